//===- Context.cpp - Contexts and their memory ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Runtime/Context.h"

#include "Collectives/Call.h"
#include "Internal.h"
#include "Threads.h"
#include "fuse/Runtime/Device.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

int32_t mlir::fuse::runtime::failWith(fuse_context *context, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(context->error, sizeof(context->error), format, args);
  va_end(args);
  return 1;
}

int32_t ErrorText::fail(const char *format, ...) const {
  if (!text || capacity <= 0)
    return 1;
  va_list args;
  va_start(args, format);
  vsnprintf(text, static_cast<size_t>(capacity), format, args);
  va_end(args);
  return 1;
}

int32_t mlir::fuse::runtime::reserve(fuse_context *context, fuse_memory &memory, int64_t bytes,
                                     const char *what) {
  if (bytes <= memory.bytes)
    return 0;
  void *data = nullptr;
  if (bytes <= INT64_MAX - kHostAlignment) {
    bytes = alignUp(bytes);
    data = std::aligned_alloc(kHostAlignment, bytes);
  }
  if (!data)
    return failWith(context, "out of memory: %lld bytes for %s", toLong(bytes), what);
  std::free(memory.data);
  memory = {data, bytes};
  return 0;
}

bool mlir::fuse::runtime::makeRoom(void **array, int64_t count, int64_t *capacity,
                                   int64_t elementSize) {
  if (count < *capacity)
    return true;
  int64_t wanted = count < 8 ? 8 : 2 * count;
  void *grown = std::realloc(*array, wanted * elementSize);
  if (!grown)
    return false;
  *array = grown;
  *capacity = wanted;
  return true;
}

/// The text of an expectation that was not met: `what` with its two places filled in.
static int32_t failExpectation(fuse_context *context, const char *what, const char *relation,
                               int64_t got, int64_t want) {
  const char *first = std::strstr(what, "{}");
  if (!first)
    return failWith(context, "%s: expected %s%lld, found %lld", what, relation, toLong(want),
                    toLong(got));
  int head = static_cast<int>(first - what);
  const char *second = std::strstr(first + 2, "{}");
  if (!second)
    return failWith(context, "%.*s%lld%s, expected %s%lld", head, what, toLong(got), first + 2,
                    relation, toLong(want));
  int middle = static_cast<int>(second - (first + 2));
  return failWith(context, "%.*s%lld%.*s%lld%s", head, what, toLong(got), middle, first + 2,
                  toLong(want), second + 2);
}

extern "C" {

fuse_context *fuse_context_create(int32_t threads) {
  auto *context = static_cast<fuse_context *>(std::calloc(1, sizeof(fuse_context)));
  if (!context)
    return nullptr;
  context->abi_version = FUSE_ABI_VERSION;
  context->threads = getThreads(threads);
  return context;
}

void fuse_context_destroy(fuse_context *context) {
  if (!context)
    return;
  // Taking a device away cannot fail.
  (void)fuse_context_set_device(context, nullptr);
  freeStarted(context);
  for (int64_t i = 0; i < context->num_host_functions; ++i)
    std::free(context->host_functions[i].name);
  std::free(context->host_functions);
  std::free(context->events);
  std::free(context->scratch.data);
  std::free(context->launch_args.data);
  std::free(context->host_space.data);
  std::free(context);
}

int32_t fuse_context_set_kernels(fuse_context *context, const fuse_kernel *kernels,
                                 int64_t numKernels) {
  if (numKernels < 0 || (numKernels > 0 && !kernels))
    return failWith(context, "bad kernel table of %lld kernels", toLong(numKernels));
  int64_t stride = context->scratch_stride;
  for (int64_t i = 0; i < numKernels; ++i) {
    const fuse_kernel &kernel = kernels[i];
    const char *name = kernel.name;
    if (!name || !(kernel.run || kernel.device) || !kernel.count)
      return failWith(context, "kernel %lld '%s' lacks its name, function or block count",
                      toLong(i), name ? name : "");
    if (kernel.scratch_bytes < 0 || kernel.scratch_bytes % kHostAlignment != 0)
      return failWith(context,
                      "kernel '%s': expected scratch bytes in multiples of %lld, found %lld", name,
                      toLong(kHostAlignment), toLong(kernel.scratch_bytes));
    if (kernel.scratch_bytes > stride)
      stride = kernel.scratch_bytes;
  }
  int64_t total = 0;
  if (__builtin_mul_overflow(stride, static_cast<int64_t>(context->threads), &total))
    total = INT64_MAX;
  if (reserve(context, context->scratch, total, "the threads' scratch"))
    return 1;
  context->scratch_stride = stride;
  context->kernels = kernels;
  context->num_kernels = numKernels;
  ++context->kernel_table;
  return 0;
}

void fuse_context_reset_counters(fuse_context *context) { context->counters = {}; }

const char *fuse_context_error(const fuse_context *context) { return context->error; }

int32_t fuse_fail(fuse_context *context, const char *text) {
  return failWith(context, "%s", text ? text : "unknown error");
}

int32_t fuse_expect_equal(fuse_context *context, const char *what, int64_t got, int64_t want) {
  return got == want ? 0 : failExpectation(context, what, "", got, want);
}

int32_t fuse_expect_at_most(fuse_context *context, const char *what, int64_t got, int64_t bound) {
  return got <= bound ? 0 : failExpectation(context, what, "at most ", got, bound);
}

} // extern "C"
