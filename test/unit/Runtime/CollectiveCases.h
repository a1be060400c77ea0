//===- CollectiveCases.h - Every collective, type and grid ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Run by the ranks of a job, whether they are threads or processes of MPI. Each rank knows what all
// of them have, so that it computes its own expectation from the ops' descriptions, element by
// element. Values are small integers, which all types hold and sums and products keep exact.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_RUNTIME_COLLECTIVECASES_H
#define FUSE_TEST_UNIT_RUNTIME_COLLECTIVECASES_H

#include "TestUtils.h"
#include "fuse/Runtime/Collectives.h"
#include "Floats.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace fusetest {

using Shape = std::vector<int64_t>;

inline int64_t countElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

inline Shape unravel(int64_t index, const Shape &shape) {
  Shape place(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    place[d] = index % shape[d];
    index /= shape[d];
  }
  return place;
}

inline int64_t ravel(const Shape &place, const Shape &shape) {
  int64_t index = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    index = index * shape[d] + place[d];
  return index;
}

/// Element `index` of what rank `rank` has.
inline double getValue(int32_t dtype, int64_t rank, int64_t index) {
  int64_t mixed = index * 7 + rank * 5 + index / 3;
  if (dtype == FUSE_I1)
    return mixed % 3 == 0;
  bool isUnsigned = dtype >= FUSE_U8 && dtype <= FUSE_U64;
  return static_cast<double>(isUnsigned ? mixed % 4 : mixed % 6 - 2);
}

inline double readElement(int32_t dtype, const char *at) {
  auto as = [&](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return value;
  };
  using namespace mlir::fuse::runtime;
  switch (dtype) {
  case FUSE_F16:
    return widenF16(as(uint16_t()));
  case FUSE_BF16:
    return widenBF16(as(uint16_t()));
  case FUSE_F32:
    return as(float());
  case FUSE_F64:
    return as(double());
  case FUSE_I8:
    return as(int8_t());
  case FUSE_I16:
    return as(int16_t());
  case FUSE_I32:
    return as(int32_t());
  case FUSE_I64:
    return static_cast<double>(as(int64_t()));
  case FUSE_U16:
    return as(uint16_t());
  case FUSE_U32:
    return as(uint32_t());
  case FUSE_U64:
    return static_cast<double>(as(uint64_t()));
  default:
    return as(uint8_t());
  }
}

inline void writeElement(int32_t dtype, double value, char *at) {
  auto as = [&](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
  auto integer = static_cast<int64_t>(value);
  using namespace mlir::fuse::runtime;
  if (dtype == FUSE_F16)
    as(roundToF16(value));
  else if (dtype == FUSE_BF16)
    as(roundToBF16(value));
  else if (dtype == FUSE_F32)
    as(static_cast<float>(value));
  else if (dtype == FUSE_F64)
    as(value);
  else
    std::memcpy(at, &integer, static_cast<size_t>(fuse_dtype_size(dtype))); // little endian
}

/// An array of a type that is not known to the compiler; `gap` unused elements after each row.
struct TypedArray {
  Shape sizes, strides;
  std::vector<char> data;
  int32_t dtype;

  TypedArray(int32_t dtype, Shape shape, int64_t gap)
      : sizes(shape), strides(rowMajor(shape, gap)), dtype(dtype) {
    data.assign(static_cast<size_t>((sizes[0] * strides[0] + 1) * fuse_dtype_size(dtype)), 77);
  }
  char *at(const Shape &place) {
    int64_t offset = 0;
    for (size_t d = 0; d < place.size(); ++d)
      offset += place[d] * strides[d];
    return data.data() + offset * fuse_dtype_size(dtype);
  }
  fuse_buffer buffer() {
    return {data.data(), sizes.data(), strides.data(), static_cast<int32_t>(sizes.size()), dtype};
  }
};

/// A collective with its attributes.
struct Collective {
  std::string name;
  std::vector<int64_t> own;
  int64_t grows = -1, shrinks = -1;
  int32_t kind = -1; // of those that reduce
};

/// Of elements that are, or are not, combined by any and all; along each of the dimensions.
inline std::vector<Collective> getCollectives(bool isLogical, int64_t groupSize,
                                              const Shape &dimensions = {0, 1, 2}) {
  std::vector<Collective> all;
  std::vector<int32_t> kinds = {FUSE_REDUCE_SUM, FUSE_REDUCE_MAX, FUSE_REDUCE_MIN,
                                FUSE_REDUCE_PROD};
  if (isLogical)
    kinds = {FUSE_REDUCE_ANY, FUSE_REDUCE_ALL};
  for (int32_t kind : kinds) {
    all.push_back({"all_reduce", {kind}, -1, -1, kind});
    for (int64_t d : dimensions)
      all.push_back({"reduce_scatter", {kind, d}, -1, d, kind});
  }
  for (int64_t d : dimensions) {
    all.push_back({"all_gather", {d}, d, -1});
    all.push_back({"all_slice", {d}, -1, d});
    for (int64_t other = 0; other < 3; ++other)
      if (other != d)
        all.push_back({"all_to_all", {d, other}, other, d});
  }
  all.push_back({"broadcast_from", {0}});
  if (groupSize > 1)
    all.push_back({"broadcast_from", {groupSize - 1}});
  return all;
}

/// The ranks that differ from `rank` along the axes only, counted row-major over them.
inline std::vector<int64_t> getMembers(const Shape &grid, const Shape &axes, int64_t rank) {
  std::vector<std::pair<Shape, int64_t>> found;
  Shape mine = unravel(rank, grid);
  for (int64_t other = 0; other < countElements(grid); ++other) {
    Shape place = unravel(other, grid), key;
    bool isMember = true;
    for (size_t axis = 0; axis < grid.size(); ++axis)
      isMember &= place[axis] == mine[axis] ||
                  std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != axes.end();
    for (int64_t axis : axes)
      key.push_back(place[axis]);
    if (isMember)
      found.push_back({key, other});
  }
  std::sort(found.begin(), found.end());
  std::vector<int64_t> members;
  for (const auto &each : found)
    members.push_back(each.second);
  return members;
}

inline double combineValues(int32_t kind, double a, double b) {
  switch (kind) {
  case FUSE_REDUCE_SUM:
    return a + b;
  case FUSE_REDUCE_PROD:
    return a * b;
  case FUSE_REDUCE_MAX:
  case FUSE_REDUCE_ANY:
    return std::max(a, b);
  default:
    return std::min(a, b);
  }
}

/// What the member at `place` gets at `index` of its result.
inline double getExpected(const Collective &op, int32_t dtype, const std::vector<int64_t> &members,
                          int64_t place, Shape index, const Shape &in, const Shape &out) {
  auto size = static_cast<int64_t>(members.size());
  int64_t from = place;
  if (op.name == "broadcast_from")
    from = op.own[0];
  if (op.grows >= 0) {
    from = index[op.grows] / in[op.grows];
    index[op.grows] %= in[op.grows];
  }
  if (op.shrinks >= 0)
    index[op.shrinks] += place * out[op.shrinks];
  int64_t element = ravel(index, in);
  if (op.kind < 0)
    return getValue(dtype, members[from], element);
  double value = getValue(dtype, members[0], element);
  for (int64_t other = 1; other < size; ++other)
    value = combineValues(op.kind, value, getValue(dtype, members[other], element));
  return value;
}

/// Runs one collective as programs do; what went wrong, or nothing.
inline std::string runCollective(fuse_context *context, int64_t rank, const Collective &op,
                                 int32_t dtype, const Shape &grid, const Shape &axes, int64_t gap) {
  std::vector<int64_t> members = getMembers(grid, axes, rank);
  auto size = static_cast<int64_t>(members.size());
  int64_t place = std::find(members.begin(), members.end(), rank) - members.begin();
  Shape shape = {4, 8, 4}, result = shape;
  if (op.grows >= 0)
    result[op.grows] *= size;
  if (op.shrinks >= 0)
    result[op.shrinks] /= size;
  TypedArray in(dtype, shape, gap), out(dtype, result, gap);
  for (int64_t i = 0; i < countElements(shape); ++i)
    writeElement(dtype, getValue(dtype, rank, i), in.at(unravel(i, shape)));
  std::vector<int64_t> attrs = op.own;
  attrs.push_back(static_cast<int64_t>(grid.size()));
  attrs.insert(attrs.end(), grid.begin(), grid.end());
  attrs.insert(attrs.end(), axes.begin(), axes.end());
  fuse_buffer args[] = {in.buffer(), out.buffer()};
  std::string what = op.name + " of " + fuse_dtype_name(dtype) + " on rank " + std::to_string(rank);
  if (fuse_host_call(context, op.name.c_str(), args, 1, 1, attrs.data(),
                     static_cast<int64_t>(attrs.size())))
    return what + ": " + fuse_context_error(context);
  for (int64_t i = 0; i < countElements(result); ++i) {
    Shape index = unravel(i, result);
    double got = readElement(dtype, out.at(index));
    double want = getExpected(op, dtype, members, place, index, shape, result);
    if (got != want)
      return what + ": element " + std::to_string(i) + " is " + std::to_string(got) +
             ", expected " + std::to_string(want);
  }
  return "";
}

/// All of them on one grid, in groups along each list of axes; adds to the count. What depends on
/// dimensions and strides does not depend on types: all of these for one type, some for others.
inline std::string runCollectives(fuse_job *job, const Shape &grid, int64_t &count) {
  Context context = makeContext(1);
  fuse_context_set_job(context.get(), job);
  std::vector<Shape> groups = {{0}, {}};
  if (grid.size() > 1)
    groups = {{0}, {1}, {0, 1}, {1, 0}, {}};
  for (const Shape &axes : groups)
    for (int32_t dtype = 0; dtype < FUSE_NUM_DTYPES; ++dtype) {
      auto size = static_cast<int64_t>(getMembers(grid, axes, 0).size());
      Shape dimensions = dtype == FUSE_F32 ? Shape{0, 1, 2} : Shape{dtype % 3};
      std::vector<int64_t> gaps = {3};
      if (dtype == FUSE_F32)
        gaps = {0, 3};
      else if (dtype % 2 == 0)
        gaps = {0};
      for (const Collective &op : getCollectives(dtype == FUSE_I1, size, dimensions))
        for (int64_t gap : gaps) {
          ++count;
          std::string wrong =
              runCollective(context.get(), fuse_job_rank(job), op, dtype, grid, axes, gap);
          if (!wrong.empty())
            return wrong;
        }
    }
  return "";
}

/// The grids that a job of so many ranks can be.
inline std::vector<Shape> getGrids(int64_t ranks) {
  std::vector<Shape> grids = {{ranks}, {1, ranks}, {ranks, 1}};
  if (ranks == 4)
    grids.push_back({2, 2});
  return grids;
}

/// The maximum of NaNs and zeros of both signs: what the ranks get, bit by bit.
inline std::string runOddNumbers(fuse_job *job) {
  if (fuse_job_size(job) == 1)
    return "";
  Context context = makeContext(1);
  float nan = __builtin_nanf(""), values[2][4] = {{nan, 1, 0.0f, -0.0f}, {2, nan, -0.0f, 0.0f}};
  int64_t sizes[] = {4}, strides[] = {1};
  float result[4];
  fuse_buffer in = {values[fuse_job_rank(job) % 2], sizes, strides, 1, FUSE_F32};
  fuse_buffer out = {result, sizes, strides, 1, FUSE_F32};
  for (int32_t kind : {FUSE_REDUCE_MAX, FUSE_REDUCE_MIN}) {
    if (fuse_all_reduce(context.get(), fuse_job_all(job), kind, &in, &out))
      return fuse_context_error(context.get());
    bool isMax = kind == FUSE_REDUCE_MAX;
    if (result[0] == result[0] || result[1] == result[1])
      return "a number beside a NaN: expected a NaN";
    if ((__builtin_signbit(result[2]) != 0) == isMax || (__builtin_signbit(result[3]) != 0) == isMax)
      return "0 and -0 in two orders: expected one of them";
  }
  return "";
}

} // namespace fusetest

#endif // FUSE_TEST_UNIT_RUNTIME_COLLECTIVECASES_H
