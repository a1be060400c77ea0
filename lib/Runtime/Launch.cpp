//===- Launch.cpp - Kernels over threads ---------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Collectives/Call.h"
#include "Device/DeviceState.h"
#include "Threads.h"

using namespace mlir::fuse::runtime;

namespace {

/// Makes the threads' scratch large enough for these operands. What a launch got stays, so that a
/// second one finds the memory in place.
int32_t growScratch(fuse_context *context, const fuse_kernel &kernel, const fuse_buffer *args) {
  int64_t bytes = kernel.scratch(args), total = 0;
  if (bytes <= context->scratch_stride)
    return 0;
  if (__builtin_add_overflow(bytes, 63, &bytes))
    bytes = INT64_MAX;
  bytes = bytes / 64 * 64;
  if (__builtin_mul_overflow(bytes, static_cast<int64_t>(context->threads), &total))
    total = INT64_MAX;
  if (reserve(context, context->scratch, total, "the threads' scratch"))
    return 1;
  context->scratch_stride = bytes;
  return 0;
}

int32_t countBlocks(fuse_context *context, const fuse_kernel &kernel, const fuse_buffer *args,
                    int64_t &blocks) {
  blocks = kernel.count(args);
  if (blocks >= 0)
    return 0;
  return failWith(context, "kernel '%s': expected at least 0 blocks, found %lld", kernel.name,
                  toLong(blocks));
}

int32_t launch(fuse_context *context, const fuse_kernel &kernel, const fuse_buffer *args) {
  if (!kernel.run)
    return failWith(context, "kernel '%s' has code for a device only, and the context has none",
                    kernel.name);
  int64_t blocks = 0;
  if (countBlocks(context, kernel, args, blocks))
    return 1;
  if (kernel.scratch && growScratch(context, kernel, args))
    return 1;
  return fuse_parallel_for(context, &kernel, args, blocks);
}

int32_t launchOnDevice(fuse_context *context, const fuse_kernel &kernel, const fuse_buffer *args,
                       int64_t nargs) {
  fuse_device *device = context->device;
  if (!kernel.device)
    return failWith(context, "kernel '%s' has no code for device '%s'", kernel.name, device->name);
  int64_t blocks = 0;
  if (countBlocks(context, kernel, args, blocks))
    return 1;
  ++context->counters.launches;
  if (blocks == 0)
    return 0;
  leaveHost(context, args, nargs);
  return device->launch(device, context, &kernel, args, blocks);
}

/// Runs blocks on the thread that launches. Collectives under way move on only when they are asked to: between pieces.
void runBlocks(fuse_context *context, fuse_blocks_fn run, const fuse_buffer *args, int64_t begin, int64_t end,
               char *scratch) {
  constexpr int64_t kPieces = 16;
  if (context->num_started_collectives > 0) {
    int64_t piece = (end - begin + kPieces - 1) / kPieces;
    for (; end - begin > piece; begin += piece) {
      run(args, begin, begin + piece, scratch);
      progressStarted(context);
    }
  }
  run(args, begin, end, scratch);
}

/// A launch, for all of its threads.
struct Work {
  fuse_context *context;
  fuse_blocks_fn run;
  const fuse_buffer *args;
  int64_t blocks;
  char *scratch; ///< of the first thread; null where no kernel has any
  int64_t stride; ///< bytes from one thread's scratch to the next one's
};

void runShare(void *data, int64_t thread, int64_t threads) {
  Work work = *static_cast<Work *>(data);
  // The first `extra` threads take one block more.
  int64_t share = work.blocks / threads, extra = work.blocks % threads;
  int64_t begin = thread * share + (thread < extra ? thread : extra);
  int64_t end = begin + share + (thread < extra ? 1 : 0);
  if (begin >= end)
    return;
  if (thread == 0) // the one that launches
    runBlocks(work.context, work.run, work.args, begin, end, work.scratch);
  else
    work.run(work.args, begin, end, work.scratch ? work.scratch + thread * work.stride : nullptr);
}

} // namespace

extern "C" {

int32_t fuse_parallel_for(fuse_context *context, const fuse_kernel *kernel, const fuse_buffer *args,
                          int64_t blocks) {
  if (kernel->scratch_bytes > context->scratch_stride)
    return failWith(context, "kernel '%s' needs %lld bytes of scratch per thread, found %lld",
                    kernel->name, toLong(kernel->scratch_bytes), toLong(context->scratch_stride));
  ++context->counters.launches;
  if (blocks <= 0)
    return 0;
  fuse_blocks_fn run = kernel->run;
  char *scratch = static_cast<char *>(context->scratch.data);
  if (context->threads == 1 || blocks < 2) {
    runBlocks(context, run, args, 0, blocks, scratch);
    return 0;
  }

  // Always the same team size, also for fewer blocks than threads: OpenMP reuses a team of the
  // same size, but frees and makes threads when it changes.
  Work work = {context, run, args, blocks, scratch, context->scratch_stride};
  runOnThreads(context->threads, runShare, &work);
  return 0;
}

int32_t fuse_launch(fuse_context *context, int64_t kernel, const fuse_buffer *args, int64_t nargs) {
  if (kernel < 0 || kernel >= context->num_kernels)
    return failWith(context, "expected a kernel index below %lld, found %lld",
                    toLong(context->num_kernels), toLong(kernel));
  const fuse_kernel &entry = context->kernels[kernel];
  if (nargs < 0 || nargs > INT32_MAX || (nargs > 0 && !args))
    return failWith(context, "kernel '%s': bad argument list of %lld buffers", entry.name,
                    toLong(nargs));
  Recording recording(context, FUSE_EVENT_LAUNCH, entry.name, static_cast<int32_t>(kernel));
  return context->device ? launchOnDevice(context, entry, args, nargs)
                         : launch(context, entry, args);
}

} // extern "C"
