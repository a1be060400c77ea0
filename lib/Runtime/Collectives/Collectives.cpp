//===- Collectives.cpp - Exchanging arrays of any shape ------------------------------------===//
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

#include "Job.h"
#include "Widen.h"

#include <cstring>
#include <limits>

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

/// No dimension; it cannot be given by mistake, as -1 can.
constexpr int64_t kNone = std::numeric_limits<int64_t>::min();

/// One collective: its arrays in one piece each, and room beside them.
class Call {
public:
  Call(fuse_context *context, fuse_group *group, const char *name, const fuse_buffer *in,
       const fuse_buffer *out)
      : context(context), group(*group), name(name), in(*in), out(*out) {}

  /// Fails unless `out` has the type of `in`, and its shape but for dimensions that grow or shrink
  /// to `factor` times and a `factor`-th part (kNone: none does).
  int32_t check(int64_t grows = kNone, int64_t shrinks = kNone);
  int32_t checkKind(int32_t kind);
  int64_t getSize() const { return group.size; }
  int64_t getRank() const { return group.rank; }

  int32_t allReduce(int32_t kind);
  int32_t allGather(int64_t dimension);
  int32_t reduceScatter(int32_t kind, int64_t dimension);
  int32_t allToAll(int64_t split, int64_t concat);
  int32_t allSlice(int64_t dimension);
  int32_t broadcast(int64_t root);

private:
  ErrorText getError() const { return {context->error, sizeof(context->error)}; }
  int32_t checkDimension(int64_t dimension);
  /// Where the operand lies in one piece, and where the result is to; null without memory. `extra`
  /// bytes are at `room`.
  int32_t begin(int64_t extra);
  /// Copies the result to where it belongs, unless it is there.
  int32_t end();
  /// What is combined, in the types that transports have: short floats take twice the room as f32.
  Elements getElements(int32_t kind, int64_t count) const;
  bool isShort() const { return in.dtype == FUSE_F16 || in.dtype == FUSE_BF16; }
  /// The same array in row-major order at `data`.
  fuse_buffer inOrder(const fuse_buffer &array, void *data, int64_t *strides) const;

  fuse_context *context;
  fuse_group &group;
  const char *name;
  fuse_buffer in, out;
  const char *from = nullptr;
  char *to = nullptr, *room = nullptr;
};

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
      before *= group.size;
    if (d == shrinks)
      after *= group.size;
    fits = before == after;
  }
  if (fits)
    return 0;
  return failWith(context, "%s among %lld ranks: operand %s of %s does not fit result %s of %s",
                  name, toLong(group.size), ShapeText(in).text, fuse_dtype_name(in.dtype),
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

int32_t Call::begin(int64_t extra) {
  bool copiesIn = !isRowMajor(in), copiesOut = !isRowMajor(out);
  int64_t strideBytes = alignUp(static_cast<int64_t>(sizeof(int64_t)) * (in.rank + 1));
  int64_t inBytes = copiesIn ? alignUp(countBytes(in)) : 0;
  int64_t outBytes = copiesOut ? alignUp(countBytes(out)) : 0;
  if (reserve(context, context->host_space, strideBytes + inBytes + outBytes + extra, name))
    return 1;
  char *next = static_cast<char *>(context->host_space.data);
  auto *strides = reinterpret_cast<int64_t *>(next);
  next += strideBytes;
  from = static_cast<const char *>(in.data);
  if (copiesIn) {
    fuse_buffer copy = inOrder(in, next, strides);
    if (copyElements(context, in, copy))
      return 1;
    from = next;
  }
  next += inBytes;
  to = copiesOut ? next : static_cast<char *>(out.data);
  room = next + outBytes;
  return 0;
}

int32_t Call::end() {
  if (to == out.data)
    return 0;
  auto *strides = static_cast<int64_t *>(context->host_space.data);
  return copyElements(context, inOrder(out, to, strides), out);
}

Elements Call::getElements(int32_t kind, int64_t count) const {
  return {kind, isShort() ? FUSE_F32 : in.dtype, count};
}

int32_t Call::allReduce(int32_t kind) {
  int64_t bytes = countBytes(in), count = bytes / fuse_dtype_size(in.dtype);
  int64_t wide = isShort() ? alignUp(2 * bytes) : 0;
  if (begin(2 * wide))
    return 1;
  const Transport &transport = *group.job->transport;
  Elements elements = getElements(kind, count);
  if (!isShort()) {
    if (transport.allReduce(group, elements, from, to, getError()))
      return 1;
    return end();
  }
  auto *widened = reinterpret_cast<float *>(room), *combined = widened + wide / 4;
  widen(in.dtype, from, count, widened);
  if (transport.allReduce(group, elements, widened, combined, getError()))
    return 1;
  narrow(in.dtype, combined, count, to);
  return end();
}

int32_t Call::allGather(int64_t dimension) {
  Cut cut(out, dimension, group.size);
  int64_t bytes = countBytes(in);
  if (begin(cut.isOnePiece() ? 0 : countBytes(out)))
    return 1;
  char *gathered = cut.isOnePiece() ? to : room;
  if (group.job->transport->allGather(group, from, gathered, bytes, getError()))
    return 1;
  if (!cut.isOnePiece())
    spreadParts(cut, gathered, to);
  return end();
}

/// Each rank sends the others their parts and combines what it gets, in the order of ranks: that sends
/// as little as there is to send. MPI_Reduce_scatter_block of OpenMPI took two to four times as long, of
/// 1 MB and of 16 MB among two ranks.
int32_t Call::reduceScatter(int32_t kind, int64_t dimension) {
  Cut cut(in, dimension, group.size);
  int64_t inBytes = countBytes(in), inCount = inBytes / fuse_dtype_size(in.dtype);
  int64_t count = inCount / group.size, partBytes = inBytes / group.size;
  int64_t collects = cut.isOnePiece() ? 0 : alignUp(inBytes), wide = isShort() ? 2 * inBytes : 0;
  if (begin(collects + alignUp(inBytes) + wide))
    return 1;
  const char *parts = from;
  if (!cut.isOnePiece()) {
    collectParts(cut, from, room);
    parts = room;
  }
  char *received = room + collects, *wideParts = received + alignUp(inBytes);
  if (group.job->transport->allToAll(group, parts, received, partBytes, getError()))
    return 1;
  Elements elements = getElements(kind, count);
  char *first = received;
  if (isShort()) {
    widen(in.dtype, received, inCount, reinterpret_cast<float *>(wideParts));
    first = wideParts;
  }
  int64_t bytes = count * fuse_dtype_size(elements.dtype);
  for (int64_t rank = 1; rank < group.size; ++rank)
    combine(elements, first + rank * bytes, first);
  if (isShort())
    narrow(in.dtype, reinterpret_cast<float *>(first), count, to);
  else
    std::memcpy(to, first, static_cast<size_t>(bytes));
  return end();
}

int32_t Call::allToAll(int64_t split, int64_t concat) {
  Cut before(in, split, group.size), after(out, concat, group.size);
  int64_t bytes = countBytes(in);
  int64_t collects = before.isOnePiece() ? 0 : alignUp(bytes);
  if (begin(collects + (after.isOnePiece() ? 0 : bytes)))
    return 1;
  const char *sent = from;
  if (!before.isOnePiece()) {
    collectParts(before, from, room);
    sent = room;
  }
  char *received = after.isOnePiece() ? to : room + collects;
  if (group.job->transport->allToAll(group, sent, received, bytes / group.size, getError()))
    return 1;
  if (!after.isOnePiece())
    spreadParts(after, received, to);
  return end();
}

int32_t Call::allSlice(int64_t dimension) {
  fuse_buffer part = in;
  part.sizes = out.sizes;
  part.data = static_cast<char *>(in.data) + group.rank * out.sizes[dimension] *
                                                 in.strides[dimension] * fuse_dtype_size(in.dtype);
  return copyElements(context, part, out);
}

int32_t Call::broadcast(int64_t root) {
  if (begin(0))
    return 1;
  if (group.rank == root && from != to)
    std::memcpy(to, from, static_cast<size_t>(countBytes(in)));
  if (group.job->transport->broadcast(group, to, countBytes(in), root, getError()))
    return 1;
  return end();
}

/// What no rank has to be asked for.
bool isLocal(const fuse_group *group, const fuse_buffer *in) {
  return group->size == 1 || countBytes(*in) == 0;
}

} // namespace

extern "C" {

int32_t fuse_all_reduce(fuse_context *context, fuse_group *group, int32_t kind,
                        const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_reduce", in, out);
  if (call.check() || call.checkKind(kind))
    return 1;
  return isLocal(group, in) ? copyElements(context, *in, *out) : call.allReduce(kind);
}

int32_t fuse_all_gather(fuse_context *context, fuse_group *group, int64_t dimension,
                        const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_gather", in, out);
  if (call.check(/*grows=*/dimension))
    return 1;
  return isLocal(group, in) ? copyElements(context, *in, *out) : call.allGather(dimension);
}

int32_t fuse_reduce_scatter(fuse_context *context, fuse_group *group, int32_t kind,
                            int64_t dimension, const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "reduce_scatter", in, out);
  if (call.check(/*grows=*/kNone, /*shrinks=*/dimension) || call.checkKind(kind))
    return 1;
  return isLocal(group, in) ? copyElements(context, *in, *out)
                            : call.reduceScatter(kind, dimension);
}

int32_t fuse_all_to_all(fuse_context *context, fuse_group *group, int64_t split, int64_t concat,
                        const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_to_all", in, out);
  if (call.check(/*grows=*/concat, /*shrinks=*/split))
    return 1;
  return isLocal(group, in) ? copyElements(context, *in, *out) : call.allToAll(split, concat);
}

int32_t fuse_all_slice(fuse_context *context, fuse_group *group, int64_t dimension,
                       const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "all_slice", in, out);
  return call.check(/*grows=*/kNone, /*shrinks=*/dimension) || call.allSlice(dimension);
}

int32_t fuse_broadcast_from(fuse_context *context, fuse_group *group, int64_t root,
                            const fuse_buffer *in, const fuse_buffer *out) {
  Call call(context, group, "broadcast_from", in, out);
  if (call.check())
    return 1;
  if (root < 0 || root >= group->size)
    return failWith(context, "broadcast_from: expected one of %lld ranks, found %lld",
                    toLong(group->size), toLong(root));
  return isLocal(group, in) ? copyElements(context, *in, *out) : call.broadcast(root);
}

int32_t fuse_barrier(fuse_context *context, fuse_group *group) {
  ErrorText error = {context->error, sizeof(context->error)};
  return group->size == 1 ? 0 : group->job->transport->barrier(*group, error);
}

} // extern "C"
