//===- Call.h - One collective on arrays of any shape ----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_COLLECTIVES_CALL_H
#define FUSE_LIB_RUNTIME_COLLECTIVES_CALL_H

#include "Job.h"

#include <limits>

namespace mlir::fuse::runtime {

/// No dimension; it cannot be given by mistake, as -1 can.
constexpr int64_t kNone = std::numeric_limits<int64_t>::min();

/// One collective: its arrays in one piece each, and room beside them. What it has is copied as it is.
class Call {
public:
  Call(fuse_context *context, fuse_group *group, const char *name, const fuse_buffer *in,
       const fuse_buffer *out)
      : context(context), group(group), name(name), in(*in), out(*out) {}

  /// Fails unless `out` has the type of `in`, and its shape but for dimensions that grow or shrink
  /// to `factor` times and a `factor`-th part (kNone: none does).
  int32_t check(int64_t grows = kNone, int64_t shrinks = kNone);
  int32_t checkKind(int32_t kind);

  /// What the collective is, once it is checked. Nothing is done before `run`.
  Call &asAllReduce(int32_t kind);
  Call &asAllGather(int64_t dimension);
  Call &asReduceScatter(int32_t kind, int64_t dimension);
  Call &asAllToAll(int64_t split, int64_t concat);
  Call &asBroadcast(int64_t root);

  /// Makes the collective; where the context starts collectives, what is left of it is done when it is waited for.
  int32_t run();
  int32_t allSlice(int64_t dimension);

  // The three parts of `run`. The operand is brought to one piece in `space`, which stays until the collective has ended.
  int32_t begin(fuse_memory &space);
  const Exchange &getExchange() const { return exchange; }
  int32_t end();

  fuse_group &getGroup() const { return *group; }
  ErrorText getError() const { return {context->error, sizeof(context->error)}; }

private:
  enum class Step { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast };

  int32_t checkDimension(int64_t dimension);
  /// Where the operand lies in one piece, and where the result is to; fails without memory. `extra` bytes are at `room`.
  int32_t place(fuse_memory &space, int64_t extra);
  int32_t beginAllReduce(fuse_memory &space);
  int32_t beginAllGather(fuse_memory &space);
  int32_t beginReduceScatter(fuse_memory &space);
  int32_t beginAllToAll(fuse_memory &space);
  int32_t beginBroadcast(fuse_memory &space);
  /// What is done with what has come.
  void endReduceScatter();
  /// What is combined, in the types that transports have: short floats take twice the room as f32.
  Elements getElements(int64_t count) const { return {kind, isShort() ? FUSE_F32 : in.dtype, count}; }
  bool isShort() const { return in.dtype == FUSE_F16 || in.dtype == FUSE_BF16; }
  int64_t countElements() const { return countBytes(in) / fuse_dtype_size(in.dtype); }
  /// The same array in row-major order at `data`.
  fuse_buffer inOrder(const fuse_buffer &array, void *data, int64_t *strides) const;

  fuse_context *context;
  fuse_group *group;
  const char *name;
  fuse_buffer in, out;
  Step step = Step::AllReduce;
  int32_t kind = 0;
  int64_t dimension = 0, concat = 0; // concat: of all_to_all, whose `dimension` is split
  Exchange exchange = {};
  int64_t *rowStrides = nullptr; // room for those of one array
  const char *from = nullptr;
  char *to = nullptr, *room = nullptr;
};

/// Begins a collective among several ranks; it joins those that `context` has under way.
int32_t startCall(fuse_context *context, const Call &call);

/// Moves on what is under way, which ranks else do only as they wait.
void progressStarted(fuse_context *context);

/// Ends the collectives that were started first, until `left` are under way.
int32_t finishStarted(fuse_context *context, int64_t left);

/// Notes that a collective was started which this rank has finished already.
int32_t startNothing(fuse_context *context);

/// Frees the memory of those that have ended; none is under way.
void freeStarted(fuse_context *context);

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_COLLECTIVES_CALL_H
