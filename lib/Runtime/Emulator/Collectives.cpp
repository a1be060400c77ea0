//===- Collectives.cpp - Shuffles, votes and reductions of a warp -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Worker.h"

#include <cmath>

using namespace mlir::fuse::emulator;

namespace {

struct Operands {
  uint32_t value;
  int32_t lane, clamp; // of a shuffle
  uint64_t result;
};

Operands &operandsOf(Thread &thread) { return *static_cast<Operands *>(thread.call.operands); }

/// Calls fn(operands, lane) for each lane of the mask.
template <class Function>
void forLanes(Thread *lanes, uint32_t mask, Function fn) {
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    int lane = __builtin_ctz(rest);
    fn(operandsOf(lanes[lane]), lane);
  }
}

int32_t kindOf(Thread *lanes, uint32_t mask) { return lanes[__builtin_ctz(mask)].call.kind; }

/// As PTX says of shfl.sync: the clamp holds the last lane of a segment and the mask of lane bits
/// that stay.
void shuffle(Worker &, Thread *lanes, uint32_t mask) {
  int32_t kind = kindOf(lanes, mask);
  forLanes(lanes, mask, [&](Operands &operands, int lane) {
    int last = operands.clamp & 31, kept = operands.clamp >> 8 & 31, by = operands.lane & 31;
    int most = (lane & kept) | (last & ~kept), least = lane & kept, from = lane;
    bool isInside = false;
    switch (kind) {
    case FUSE_EMULATED_SHUFFLE_UP:
      from = lane - by;
      isInside = from >= most;
      break;
    case FUSE_EMULATED_SHUFFLE_DOWN:
      from = lane + by;
      isInside = from <= most;
      break;
    case FUSE_EMULATED_SHUFFLE_BFLY:
      from = lane ^ by;
      isInside = from <= most;
      break;
    default:
      from = least | (by & ~kept);
      isInside = from <= most;
      break;
    }
    if (!isInside)
      from = lane;
    // What a lane outside the mask has is undefined: a pattern that shows.
    uint32_t value = mask >> from & 1 ? operandsOf(lanes[from]).value : 0xffffffffu;
    operands.result = value | static_cast<uint64_t>(isInside) << 32;
  });
}

void vote(Worker &, Thread *lanes, uint32_t mask) {
  int32_t kind = kindOf(lanes, mask);
  uint32_t ballot = 0;
  forLanes(lanes, mask, [&](Operands &operands, int lane) {
    ballot |= static_cast<uint32_t>(operands.value != 0) << lane;
  });
  forLanes(lanes, mask, [&](Operands &operands, int lane) {
    switch (kind) {
    case FUSE_EMULATED_VOTE_ANY:
      operands.result = ballot != 0;
      return;
    case FUSE_EMULATED_VOTE_ALL:
      operands.result = ballot == mask;
      return;
    case FUSE_EMULATED_VOTE_UNI:
      operands.result = ballot == mask || ballot == 0;
      return;
    case FUSE_EMULATED_VOTE_MATCH: {
      uint32_t same = 0, wanted = operands.value;
      forLanes(lanes, mask, [&](Operands &other, int otherLane) {
        same |= static_cast<uint32_t>(other.value == wanted) << otherLane;
      });
      operands.result = same;
      return;
    }
    default:
      operands.result = ballot;
      return;
    }
  });
}

uint32_t reduceFloats(int32_t kind, uint32_t leftBits, uint32_t rightBits) {
  auto left = __builtin_bit_cast(float, leftBits), right = __builtin_bit_cast(float, rightBits);
  bool isMin = kind == FUSE_EMULATED_REDUCE_FMIN || kind == FUSE_EMULATED_REDUCE_FMIN_NAN;
  bool keepsNaN = kind == FUSE_EMULATED_REDUCE_FMIN_NAN || kind == FUSE_EMULATED_REDUCE_FMAX_NAN;
  float result = isMin ? std::fmin(left, right) : std::fmax(left, right);
  if (keepsNaN && (std::isnan(left) || std::isnan(right)))
    result = NAN;
  return __builtin_bit_cast(uint32_t, result);
}

uint32_t reducePair(int32_t kind, uint32_t left, uint32_t right) {
  auto a = static_cast<int32_t>(left), b = static_cast<int32_t>(right);
  switch (kind) {
  case FUSE_EMULATED_REDUCE_ADD:
    return left + right;
  case FUSE_EMULATED_REDUCE_AND:
    return left & right;
  case FUSE_EMULATED_REDUCE_OR:
    return left | right;
  case FUSE_EMULATED_REDUCE_XOR:
    return left ^ right;
  case FUSE_EMULATED_REDUCE_MIN:
    return a < b ? left : right;
  case FUSE_EMULATED_REDUCE_MAX:
    return a > b ? left : right;
  case FUSE_EMULATED_REDUCE_UMIN:
    return left < right ? left : right;
  case FUSE_EMULATED_REDUCE_UMAX:
    return left > right ? left : right;
  default:
    return reduceFloats(kind, left, right);
  }
}

void reduce(Worker &, Thread *lanes, uint32_t mask) {
  int32_t kind = kindOf(lanes, mask);
  int first = __builtin_ctz(mask);
  uint32_t result = operandsOf(lanes[first]).value;
  forLanes(lanes, mask & (mask - 1),
           [&](Operands &operands, int) { result = reducePair(kind, result, operands.value); });
  forLanes(lanes, mask, [&](Operands &operands, int) { operands.result = result; });
}

void meet(Worker &worker, Thread *lanes, uint32_t) { worker.orderWarp(lanes->warp); }

uint64_t callCollective(fuse_emulated_thread *thread, void (*complete)(Worker &, Thread *, uint32_t),
              const char *what, int32_t kind, uint32_t mask, int32_t site, Operands operands) {
  auto *self = static_cast<Thread *>(thread);
  self->worker->together(*self, {complete, what, kind, mask, site, &operands});
  return operands.result;
}

} // namespace

extern "C" {

void fuse_emulated_warp_barrier(fuse_emulated_thread *thread, uint32_t mask, int32_t site) {
  callCollective(thread, meet, "warp barrier", 0, mask, site, {});
}

uint64_t fuse_emulated_shuffle(fuse_emulated_thread *thread, int32_t kind, uint32_t mask,
                               uint32_t value, int32_t lane, int32_t clamp, int32_t site) {
  return callCollective(thread, shuffle, "shuffle", kind, mask, site, {value, lane, clamp, 0});
}

uint32_t fuse_emulated_vote(fuse_emulated_thread *thread, int32_t kind, uint32_t mask,
                            uint32_t value, int32_t site) {
  return callCollective(thread, vote, "vote", kind, mask, site, {value, 0, 0, 0});
}

uint32_t fuse_emulated_reduce(fuse_emulated_thread *thread, int32_t kind, uint32_t mask,
                              uint32_t value, int32_t site) {
  return callCollective(thread, reduce, "warp reduction", kind, mask, site, {value, 0, 0, 0});
}

} // extern "C"
