//===- Dispatch.cpp - What a launch costs --------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dispatch.h"
#include "Rounds.h"

#include "fuse/Runtime/Context.h"
#include "llvm/Support/Error.h"

#include <omp.h>

using namespace mlir::fuse::bench;

static constexpr int64_t kFloats = 16;

static void addOne(const fuse_buffer *args, int64_t begin, int64_t end, void *) {
  for (int64_t block = begin; block < end; ++block)
    for (int64_t i = 0; i < kFloats; ++i)
      static_cast<float *>(args[0].data)[block * kFloats + i] += 1.0f;
}

static int64_t countBlocks(const fuse_buffer *args) { return args[0].sizes[0]; }

DispatchTimes mlir::fuse::bench::timeDispatch(int threads, int rounds) {
  constexpr int repeats = 2000;
  llvm::ExitOnError check("benchmark: ");
  fuse_kernel kernel = {};
  kernel.name = "add one";
  kernel.run = addOne;
  kernel.count = countBlocks;
  fuse_context *context = fuse_context_create(threads);
  if (!context || fuse_context_set_kernels(context, &kernel, 1))
    check(llvm::createStringError("no context"));
  std::vector<float> data(static_cast<size_t>(threads) * kFloats);
  int64_t sizes[] = {threads, kFloats}, strides[] = {kFloats, 1};
  fuse_buffer args[] = {{data.data(), sizes, strides, 2, FUSE_F32}};
  // Not a constant, so that the call stays one.
  fuse_blocks_fn volatile run = addOne;

  std::vector<Contender> contenders = {{"launch", [&] {
                                          for (int i = 0; i < repeats; ++i)
                                            fuse_launch(context, 0, args, 1);
                                        }}};
  if (threads == 1)
    contenders.push_back({"plain call", [&] {
                            for (int i = 0; i < repeats; ++i)
                              run(args, 0, 1, nullptr);
                          }});
  else
    contenders.push_back({"bare omp parallel", [&] {
                            for (int i = 0; i < repeats; ++i) {
#pragma omp parallel num_threads(threads)
                              {
                                int64_t thread = omp_get_thread_num();
                                run(args, thread, thread + 1, nullptr);
                              }
                            }
                          }});
  timeRounds(contenders, rounds);
  fuse_context_destroy(context);
  auto perLaunch = [&](const Contender &contender) {
    return contender.getMedian() * 1e6 / repeats;
  };
  return {perLaunch(contenders[0]), perLaunch(contenders[1])};
}
