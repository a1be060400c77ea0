//===- EmulatorLaunch.cpp - Launches on the emulator --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Internal.h"
#include "../Threads.h"
#include "EmulatorDevice.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

using namespace mlir::fuse::emulator;
using mlir::fuse::runtime::failWith;

static thread_local const fuse_emulated_kernel *described = nullptr;

extern "C" void fuse_emulated_describe(const fuse_emulated_kernel *kernel) { described = kernel; }

namespace {

constexpr int32_t kAccessChecks =
    FUSE_EMULATOR_BOUNDS | FUSE_EMULATOR_RACES | FUSE_EMULATOR_REQUESTS;

/// How many arguments a launch has: parameters name them all that kernels touch.
int32_t countArguments(const fuse_device_kernel &kernel) {
  int32_t count = 0;
  for (int64_t i = 0; i < kernel.num_params; ++i)
    count = std::max(count, kernel.params[i].buffer + 1);
  return count;
}

int32_t describe(fuse_context *context, const fuse_kernel &kernel, Launch &launch) {
  const fuse_device_kernel &code = *kernel.device;
  launch.kernel = kernel.name;
  launch.entry = code.emulated;
  if (!code.emulated)
    return failWith(context, "kernel '%s' has no code for the emulator", kernel.name);
  described = nullptr;
  code.emulated(nullptr);
  launch.description = described;
  if (!described)
    return failWith(context, "kernel '%s' was not compiled for the emulator", kernel.name);
  if (code.threads < 1 || code.threads > kMostThreads)
    return failWith(context, "kernel '%s': expected 1 to %d threads per block, found %d",
                    kernel.name, kMostThreads, code.threads);
  launch.threads = code.threads;
  launch.sharedBytes = described->shared_bytes + code.shared_bytes;
  return 0;
}

} // namespace

void Launch::fail(int64_t block, const char *format, va_list args) {
  std::lock_guard<std::mutex> lock(mutex);
  if (fault[0])
    return;
  int length = snprintf(fault, sizeof fault, "kernel '%s', block %lld: ", kernel,
                        static_cast<long long>(block));
  vsnprintf(fault + length, sizeof fault - length, format, args);
  stopped = true;
}

void EmulatorDevice::addRequests(const Launch &launch, const Queue &queue, size_t workers) {
  std::lock_guard<std::mutex> lock(mutex);
  auto &sums = requests[launch.kernel];
  for (size_t w = 0; w < workers; ++w) {
    const std::vector<RequestSums> &added = queue.workers[w]->getRequests().getSums();
    for (size_t site = 0; site < added.size(); ++site) {
      if (added[site].requests == 0 && added[site].rounds == 0)
        continue;
      RequestSums &sum = sums[{site, launch.locate(static_cast<int32_t>(site))}];
      sum.requests += added[site].requests;
      sum.sectors += added[site].sectors;
      sum.idealSectors += added[site].idealSectors;
      sum.bytes += added[site].bytes;
      sum.writes = added[site].writes;
      sum.rounds += added[site].rounds;
      sum.idealRounds += added[site].idealRounds;
    }
  }
}

static int32_t launchOn(EmulatorDevice &device, fuse_context *context, const fuse_kernel &kernel,
                        const fuse_buffer *args, int64_t blocks) {
  auto &queue = *static_cast<Queue *>(context->stream);
  const fuse_device_kernel &code = *kernel.device;
  Launch launch;
  if (describe(context, kernel, launch))
    return 1;
  launch.blocks = code.most_blocks > 0 ? std::min(blocks, code.most_blocks) : blocks;
  if (launch.blocks > INT32_MAX)
    return failWith(context, "kernel '%s': expected at most %d blocks in the grid, found %lld",
                    kernel.name, INT32_MAX, static_cast<long long>(launch.blocks));
  launch.checks = device.checks;
  launch.seed = device.seed;
  launch.isChecked = device.checks & kAccessChecks;

  int64_t perBlock =
      kernel.scratch ? std::max(kernel.scratch_bytes, kernel.scratch(args)) : kernel.scratch_bytes;
  perBlock = mlir::fuse::runtime::alignUp(perBlock);
  if (static_cast<int64_t>(queue.scratch.size()) < perBlock * launch.blocks + 64)
    queue.scratch.resize(perBlock * launch.blocks + 64);
  char *scratch = queue.scratch.data();
  scratch += -reinterpret_cast<uintptr_t>(scratch) % 64;

  std::vector<uint64_t> values(code.num_params);
  std::vector<void *> params(code.num_params);
  fuse_device_params(&code, args, blocks, scratch, perBlock, values.data());
  for (int64_t i = 0; i < code.num_params; ++i)
    params[i] = &values[i];
  launch.params = params.data();

  if (launch.isChecked) {
    for (int32_t i = 0, count = countArguments(code); i < count; ++i)
      launch.regions.addArgument(args[i], i, launch.description->granule);
    launch.regions.add(scratch, perBlock * launch.blocks, launch.description->granule, "scratch");
    if (!launch.regions.finish(launch.checksFor(FUSE_EMULATOR_RACES)))
      return failWith(context, "out of memory: the histories of kernel '%s'", kernel.name);
  }

  auto threads = static_cast<int32_t>(std::min<int64_t>(context->threads, launch.blocks));
  launch.isParallel = threads > 1;
  while (static_cast<int32_t>(queue.workers.size()) < threads)
    queue.workers.push_back(std::make_unique<Worker>());
  for (int32_t t = 0; t < threads; ++t)
    if (!queue.workers[t]->prepare(launch))
      return failWith(context, "out of memory: the threads of kernel '%s'", kernel.name);
  // Within another parallel region there may be fewer, which then do all of it.
  if (threads == 1)
    queue.workers[0]->run();
  else if (threads > 1)
    mlir::fuse::runtime::runOnThreads(
        threads,
        [](void *data, int64_t thread, int64_t) { static_cast<Queue *>(data)->workers[thread]->run(); },
        &queue);

  if (launch.fault[0])
    return failWith(context, "%s", launch.fault);
  if (launch.checksFor(FUSE_EMULATOR_REQUESTS))
    device.addRequests(launch, queue, threads);
  return 0;
}

int32_t mlir::fuse::emulator::launchEmulated(fuse_device *device, fuse_context *context,
                                             const fuse_kernel *kernel, const fuse_buffer *args,
                                             int64_t blocks) {
  // No exception may leave the runtime.
  try {
    OpenMemory open(*static_cast<EmulatorDevice *>(device));
    return launchOn(*static_cast<EmulatorDevice *>(device), context, *kernel, args, blocks);
  } catch (const std::bad_alloc &) {
    return failWith(context, "out of memory: kernel '%s' on the emulator", kernel->name);
  }
}
