//===- Call.cpp - One collective on arrays of any shape --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Transports move what lies in one piece. A part of an array along dimension d is one piece only
// where no dimension before d has several elements; otherwise parts are brought together before
// they are sent, or spread out after they have come:
//
//   array  [outer][part][chunk]   <->   parts  [part][outer][chunk]
//
//===----------------------------------------------------------------------------------------===//

#include "Call.h"
#include "Widen.h"

#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

/// How an array is cut into `parts` along a dimension; chunks in bytes.
struct Cut {
  int64_t outer = 1, parts, chunk;

  Cut(const fuse_buffer &array, int64_t dimension, int64_t parts) : parts(parts) {
    chunk = countBytes(array) / parts;
    for (int64_t d = 0; d < dimension; ++d)
      outer *= array.sizes[d];
    chunk /= outer > 0 ? outer : 1;
  }

  bool isOnePiece() const { return outer == 1; }
};

/// [outer][part][chunk] to [part][outer][chunk].
void collectParts(const Cut &cut, const void *array, void *parts) {
  const char *from = static_cast<const char *>(array);
  for (int64_t o = 0; o < cut.outer; ++o)
    for (int64_t p = 0; p < cut.parts; ++p, from += cut.chunk)
      std::memcpy(static_cast<char *>(parts) + (p * cut.outer + o) * cut.chunk, from,
                  static_cast<size_t>(cut.chunk));
}

/// The other way.
void spreadParts(const Cut &cut, const void *parts, void *array) {
  char *to = static_cast<char *>(array);
  for (int64_t o = 0; o < cut.outer; ++o)
    for (int64_t p = 0; p < cut.parts; ++p, to += cut.chunk)
      std::memcpy(to, static_cast<const char *>(parts) + (p * cut.outer + o) * cut.chunk,
                  static_cast<size_t>(cut.chunk));
}

} // namespace

int32_t Call::checkDimension(int64_t dimension) {
  if (dimension == kNone || (dimension >= 0 && dimension < in.rank))
    return 0;
  return failWith(context, "%s: expected a dimension of an operand of rank %d, found %lld", name,
                  in.rank, toLong(dimension));
}

int32_t Call::check(int64_t grows, int64_t shrinks) {
  if (checkDimension(grows) || checkDimension(shrinks))
    return 1;
  bool fits = in.dtype == out.dtype && in.rank == out.rank && fuse_dtype_size(in.dtype) > 0;
  for (int32_t d = 0; fits && d < in.rank; ++d) {
    int64_t before = in.sizes[d], after = out.sizes[d];
    if (d == grows)
      before *= group->size;
    if (d == shrinks)
      after *= group->size;
    fits = before == after;
  }
  if (fits)
    return 0;
  return failWith(context, "%s among %lld ranks: operand %s of %s does not fit result %s of %s",
                  name, toLong(group->size), ShapeText(in).text, fuse_dtype_name(in.dtype),
                  ShapeText(out).text, fuse_dtype_name(out.dtype));
}

int32_t Call::checkKind(int32_t kind) {
  bool isLogical = kind == FUSE_REDUCE_ANY || kind == FUSE_REDUCE_ALL;
  bool isKnown = isLogical || kind == FUSE_REDUCE_SUM || kind == FUSE_REDUCE_PROD ||
                 kind == FUSE_REDUCE_MAX || kind == FUSE_REDUCE_MIN;
  if (isKnown && isLogical == (in.dtype == FUSE_I1))
    return 0;
  return failWith(context, "%s: ranks cannot combine %s by reduction %d", name,
                  fuse_dtype_name(in.dtype), kind);
}

fuse_buffer Call::inOrder(const fuse_buffer &array, void *data, int64_t *strides) const {
  computeStrides(array.rank, array.sizes, strides);
  return {data, array.sizes, strides, array.rank, array.dtype};
}

int32_t Call::place(fuse_memory &space, int64_t extra) {
  bool copiesIn = !isRowMajor(in), copiesOut = !isRowMajor(out);
  // The caller's sizes and strides may be gone when a collective ends that has been started.
  int64_t rank = in.rank, dimBytes = alignUp(static_cast<int64_t>(sizeof(int64_t)) * (5 * rank + 1));
  int64_t inBytes = copiesIn ? alignUp(countBytes(in)) : 0;
  int64_t outBytes = copiesOut ? alignUp(countBytes(out)) : 0;
  if (reserve(context, space, dimBytes + inBytes + outBytes + extra, name))
    return 1;
  char *next = static_cast<char *>(space.data);
  auto *dims = reinterpret_cast<int64_t *>(next);
  next += dimBytes;
  fuse_buffer *arrays[] = {&in, &out};
  for (fuse_buffer *each : arrays) {
    auto *sizes = dims, *strides = dims + rank;
    for (int64_t d = 0; d < rank; ++d) {
      sizes[d] = each->sizes[d];
      strides[d] = each->strides[d];
    }
    each->sizes = sizes;
    each->strides = strides;
    dims += 2 * rank;
  }
  rowStrides = dims;
  from = static_cast<const char *>(in.data);
  if (copiesIn) {
    fuse_buffer copy = inOrder(in, next, rowStrides);
    if (copyElements(context, in, copy))
      return 1;
    from = next;
  }
  next += inBytes;
  to = copiesOut ? next : static_cast<char *>(out.data);
  room = next + outBytes;
  return 0;
}

Call &Call::asAllReduce(int32_t reduceKind) {
  step = Step::AllReduce;
  kind = reduceKind;
  return *this;
}

Call &Call::asAllGather(int64_t joined) {
  step = Step::AllGather;
  dimension = joined;
  return *this;
}

Call &Call::asReduceScatter(int32_t reduceKind, int64_t cut) {
  step = Step::ReduceScatter;
  kind = reduceKind;
  dimension = cut;
  return *this;
}

Call &Call::asAllToAll(int64_t split, int64_t joined) {
  step = Step::AllToAll;
  dimension = split;
  concat = joined;
  return *this;
}

Call &Call::asBroadcast(int64_t root) {
  step = Step::Broadcast;
  exchange.root = root;
  return *this;
}

int32_t Call::begin(fuse_memory &space) {
  switch (step) {
  case Step::AllReduce:
    return beginAllReduce(space);
  case Step::AllGather:
    return beginAllGather(space);
  case Step::ReduceScatter:
    return beginReduceScatter(space);
  case Step::AllToAll:
    return beginAllToAll(space);
  case Step::Broadcast:
    return beginBroadcast(space);
  }
  return 1; // not reached
}

int32_t Call::end() {
  switch (step) {
  case Step::AllReduce:
    if (isShort())
      narrow(in.dtype, static_cast<float *>(exchange.out), countElements(), to);
    break;
  case Step::AllGather:
    if (exchange.out != to)
      spreadParts(Cut(out, dimension, group->size), exchange.out, to);
    break;
  case Step::ReduceScatter:
    endReduceScatter();
    break;
  case Step::AllToAll:
    if (exchange.out != to)
      spreadParts(Cut(out, concat, group->size), exchange.out, to);
    break;
  case Step::Broadcast:
    break;
  }
  return to == out.data ? 0 : copyElements(context, inOrder(out, to, rowStrides), out);
}

int32_t Call::beginAllReduce(fuse_memory &space) {
  int64_t count = countElements(), wide = isShort() ? alignUp(2 * countBytes(in)) : 0;
  if (place(space, 2 * wide))
    return 1;
  exchange = {Exchange::AllReduce, getElements(count), 0, 0, from, to};
  if (isShort()) {
    auto *widened = reinterpret_cast<float *>(room);
    widen(in.dtype, from, count, widened);
    exchange.in = widened;
    exchange.out = widened + wide / 4;
  }
  return 0;
}

int32_t Call::beginAllGather(fuse_memory &space) {
  bool isOnePiece = Cut(out, dimension, group->size).isOnePiece();
  if (place(space, isOnePiece ? 0 : countBytes(out)))
    return 1;
  exchange = {Exchange::AllGather, {}, countBytes(in), 0, from, isOnePiece ? to : room};
  return 0;
}

/// Each rank sends the others their parts and combines what it gets, in the order of ranks: that sends
/// as little as there is to send. MPI_Reduce_scatter_block of OpenMPI took two to four times as long, of
/// 1 MB and of 16 MB among two ranks.
int32_t Call::beginReduceScatter(fuse_memory &space) {
  Cut cut(in, dimension, group->size);
  int64_t bytes = countBytes(in), collects = cut.isOnePiece() ? 0 : alignUp(bytes);
  if (place(space, collects + alignUp(bytes) + (isShort() ? 2 * bytes : 0)))
    return 1;
  if (collects)
    collectParts(cut, from, room);
  exchange = {Exchange::AllToAll, {}, bytes / group->size, 0, collects ? room : from, room + collects};
  return 0;
}

void Call::endReduceScatter() {
  int64_t inCount = countElements(), count = inCount / group->size;
  auto *first = static_cast<char *>(exchange.out);
  Elements elements = getElements(count);
  if (isShort()) {
    auto *wide = reinterpret_cast<float *>(first + alignUp(countBytes(in)));
    widen(in.dtype, first, inCount, wide);
    first = reinterpret_cast<char *>(wide);
  }
  int64_t bytes = count * fuse_dtype_size(elements.dtype);
  for (int64_t rank = 1; rank < group->size; ++rank)
    combine(elements, first + rank * bytes, first);
  if (isShort())
    narrow(in.dtype, reinterpret_cast<float *>(first), count, to);
  else
    std::memcpy(to, first, static_cast<size_t>(bytes));
}

int32_t Call::beginAllToAll(fuse_memory &space) {
  Cut before(in, dimension, group->size), after(out, concat, group->size);
  int64_t bytes = countBytes(in), collects = before.isOnePiece() ? 0 : alignUp(bytes);
  if (place(space, collects + (after.isOnePiece() ? 0 : bytes)))
    return 1;
  if (collects)
    collectParts(before, from, room);
  exchange = {Exchange::AllToAll, {}, bytes / group->size, 0, collects ? room : from,
              after.isOnePiece() ? to : room + collects};
  return 0;
}

int32_t Call::beginBroadcast(fuse_memory &space) {
  if (place(space, 0))
    return 1;
  int64_t root = exchange.root, bytes = countBytes(in);
  if (group->rank == root && from != to)
    std::memcpy(to, from, static_cast<size_t>(bytes));
  exchange = {Exchange::Broadcast, {}, bytes, root, to, to};
  return 0;
}

int32_t Call::allSlice(int64_t cut) {
  fuse_buffer part = in;
  part.sizes = out.sizes;
  part.data = static_cast<char *>(in.data) +
              group->rank * out.sizes[cut] * in.strides[cut] * fuse_dtype_size(in.dtype);
  return copyElements(context, part, out);
}

int32_t Call::run() {
  // No rank has to be asked for these.
  if (group->size == 1 || countBytes(in) == 0)
    return copyElements(context, in, out);
  if (context->starts_collectives)
    return startCall(context, *this);
  return begin(context->host_space) || group->job->transport->exchange(*group, exchange, getError()) || end();
}
