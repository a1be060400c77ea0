//===- HostCalls.cpp - Finding and calling host functions ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Device/DeviceState.h"
#include "Floats.h"
#include "Internal.h"

#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

struct HostOp {
  const char *name;
  fuse_host_fn function;
};

constexpr HostOp kHostOps[] = {
    {"log_mel", logMel},          {"log_mel_backward", logMelBackward}, {"welch_peaks", welchPeaks},
    {"all_reduce", allReduce},    {"all_gather", allGather},            {"reduce_scatter", reduceScatter},
    {"all_to_all", allToAll},     {"all_slice", allSlice},              {"broadcast_from", broadcastFrom},
    {"start_all_reduce", startAllReduce}, {"start_all_gather", startAllGather}, {"start_reduce_scatter", startReduceScatter},
    {"start_all_to_all", startAllToAll}, {"start_broadcast_from", startBroadcastFrom},
    {"wait_for_collectives", waitForCollectives}};

fuse_host_function *findRegistered(fuse_context *context, const char *name) {
  for (int64_t i = 0; i < context->num_host_functions; ++i)
    if (std::strcmp(context->host_functions[i].name, name) == 0)
      return &context->host_functions[i];
  return nullptr;
}

} // namespace

fuse_host_fn mlir::fuse::runtime::findHostOp(const char *name) {
  for (const HostOp &op : kHostOps)
    if (std::strcmp(op.name, name) == 0)
      return op.function;
  return nullptr;
}

int32_t mlir::fuse::runtime::expectCounts(fuse_context *context, const char *op,
                                          const int64_t (&expected)[3], int64_t numIns,
                                          int64_t numOuts, int64_t numAttrs) {
  if (expected[0] == numIns && expected[1] == numOuts && expected[2] == numAttrs)
    return 0;
  return failWith(context,
                  "%s: expected %lld operands, %lld results, %lld attributes, found %lld, %lld, "
                  "%lld",
                  op, toLong(expected[0]), toLong(expected[1]), toLong(expected[2]), toLong(numIns),
                  toLong(numOuts), toLong(numAttrs));
}

int32_t mlir::fuse::runtime::expectFloats(fuse_context *context, const char *op, const char *what,
                                          const fuse_buffer &buffer, int32_t rank, bool orMore) {
  if (!isFloat(buffer.dtype))
    return failWith(context, "%s: expected the %s to be of f16, bf16, f32 or f64, found %s", op,
                    what, fuse_dtype_name(buffer.dtype));
  if (buffer.rank != rank && !(orMore && buffer.rank > rank))
    return failWith(context, "%s: expected the %s to have rank %d%s, found %s", op, what, rank,
                    orMore ? " or more" : "", ShapeText(buffer).text);
  return 0;
}

extern "C" {

int32_t fuse_register_host_function(fuse_context *context, const char *name, fuse_host_fn function,
                                    void *userData) {
  if (!name || !*name)
    return failWith(context, "a host function needs a name");
  if (!function)
    return failWith(context, "host function '%s' is null", name);
  if (findHostOp(name))
    return failWith(context, "host function '%s' would hide the host op of that name", name);
  if (fuse_host_function *entry = findRegistered(context, name)) {
    entry->function = function;
    entry->user_data = userData;
    return 0;
  }
  int64_t count = context->num_host_functions;
  void *grown = std::realloc(context->host_functions, (count + 1) * sizeof(fuse_host_function));
  if (grown)
    context->host_functions = static_cast<fuse_host_function *>(grown);
  size_t bytes = std::strlen(name) + 1;
  char *copy = static_cast<char *>(grown ? std::malloc(bytes) : nullptr);
  if (!copy)
    return failWith(context, "out of memory: host function '%s'", name);
  std::memcpy(copy, name, bytes);
  context->host_functions[count] = {copy, function, userData};
  context->num_host_functions = count + 1;
  return 0;
}

int32_t fuse_host_call(fuse_context *context, const char *callee, const fuse_buffer *args,
                       int64_t numIns, int64_t numOuts, const int64_t *attrs, int64_t numAttrs) {
  if (numIns < 0 || numOuts < 0 || numAttrs < 0 || (numIns + numOuts > 0 && !args) ||
      (numAttrs > 0 && !attrs))
    return failWith(context,
                    "host function '%s': bad lists of %lld operands, %lld results, %lld attributes",
                    callee, toLong(numIns), toLong(numOuts), toLong(numAttrs));
  fuse_host_fn function = findHostOp(callee);
  void *userData = nullptr;
  if (!function) {
    if (fuse_host_function *entry = findRegistered(context, callee)) {
      function = entry->function;
      userData = entry->user_data;
    }
  }
  if (!function)
    return failWith(context, "unknown host function '%s'", callee);
  const fuse_buffer *given = args;
  if (context->device) {
    given = stageHostCall(context, callee, args, numIns, numOuts);
    if (!given)
      return 1;
  }
  // To wait is a part of what was started.
  if (function != waitForCollectives)
    ++context->counters.host_calls;
  Recording recording(context, FUSE_EVENT_HOST_CALL, callee);
  // Emptied so that a function which fails without a reason is noticed.
  context->error[0] = '\0';
  int32_t status = function(context, given, numIns, numOuts, attrs, numAttrs, userData);
  if (status != 0 && context->error[0] == '\0')
    failWith(context, "host function '%s' failed with status %d", callee, status);
  if (status == 0 && context->device)
    return sendResults(context, args, given, numIns, numOuts);
  return status;
}

} // extern "C"
