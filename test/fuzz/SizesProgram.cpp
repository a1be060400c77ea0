//===- SizesProgram.cpp - What the program of Inputs/sizes.mlir asks of a call and computes --------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SizesProgram.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace fuse_sizes;

uint64_t Random::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// Sizes of an input, and how many there are.
static int getShape(const Call &call, int input, int64_t shape[2]) {
  static constexpr int dims[kNumInputs][2] = {{First, -1},   {Second, -1},         {Height, Width},
                                              {Rows, Inner}, {OtherInner, Columns}, {Count, -1}};
  for (int d : {0, 1})
    shape[d] = dims[input][d] < 0 ? 4 : call.sizes[dims[input][d]];
  return input == 5 ? 1 : 2;
}

int64_t fuse_sizes::countElements(const Call &call, int input) {
  int64_t shape[2], count = 1;
  for (int d = 0, rank = getShape(call, input, shape); d < rank; ++d)
    count *= shape[d];
  return count;
}

Call fuse_sizes::drawCall(Random &random) {
  static constexpr int64_t small[] = {0, 1, 2, 3, 5, 7, 13, 16, 17, 31, 64, 65};
  static constexpr int64_t odd[] = {0,
                                    1,
                                    2,
                                    3,
                                    97,
                                    128,
                                    -1,
                                    -5,
                                    (int64_t(1) << 31) - 1,
                                    int64_t(1) << 31,
                                    int64_t(1) << 32,
                                    int64_t(1) << 40,
                                    int64_t(1) << 59,
                                    int64_t(1) << 62,
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};
  Call call;
  for (int64_t &size : call.sizes)
    size = small[random.below(std::size(small))];
  // What fits, as a rule.
  call.sizes[Second] += (call.sizes[First] + call.sizes[Second]) % 2;
  call.sizes[OtherInner] = call.sizes[Inner];
  for (Dim dim : {Height, Width})
    call.sizes[dim] = std::max<int64_t>(call.sizes[dim], 3);
  if (call.sizes[First] == 0)
    call.sizes[Count] = 0;
  for (int64_t i = 0, end = std::max<int64_t>(random.below(5) - 1, 0); i < end; ++i)
    call.sizes[random.below(kNumDims)] = odd[random.below(std::size(odd))];
  // Two large ones whose product, as a number of 64 bits, is small.
  if (random.below(8) == 0)
    for (Dim dim : {First, Second})
      call.sizes[dim] = int64_t(1) << (31 + random.below(3));
  if (random.below(10) == 0) {
    call.damage = static_cast<Damage>(1 + random.below(4));
    call.damaged = static_cast<int>(random.below(kNumInputs));
  }
  return call;
}

Verdict fuse_sizes::judge(const Call &call) {
  using Wide = __int128;
  constexpr Wide kMost = Wide(1) << 63;
  for (int64_t size : call.sizes)
    if (size < 0)
      return Verdict::Refused;
  auto at = [&](Dim dim) { return static_cast<Wide>(call.sizes[dim]); };
  bool isLarge = false;
  for (int64_t size : call.sizes)
    isLarge |= size > 4096;
  if (call.damage == Damage::Rank || call.damage == Damage::Type || call.damage == Damage::NoSizes)
    return Verdict::Refused;
  if (call.damage == Damage::Strides) // seen once it is run
    isLarge = true;
  if ((at(First) + at(Second)) % 2 != 0 || at(Height) < 3 || at(Width) < 3 || at(Inner) != at(OtherInner) ||
      (at(First) == 0 && at(Count) > 0) || at(Count) > 100)
    return Verdict::Refused;
  Wide bytes[] = {at(First) * 16,
                  at(Second) * 16,
                  (at(First) + at(Second)) * 16,
                  at(Height) * at(Width) * 4,
                  at(Rows) * at(Inner) * 4,
                  at(Inner) * at(Columns) * 4,
                  at(Rows) * at(Columns) * 4,
                  at(Count) * 16,
                  at(First) * at(Second) * 4};
  for (Wide each : bytes)
    if (each >= kMost)
      return Verdict::Refused;
  return isLarge ? Verdict::Large : Verdict::Runs;
}

Buffers::Buffers(const Call &call) {
  for (int i = 0; i < kNumInputs; ++i) {
    int rank = getShape(call, i, sizes[i]);
    sizes[i][2] = 1;
    bool isDamaged = i == call.damaged;
    if (isDamaged && call.damage == Damage::Rank)
      ++rank;
    uint64_t stride = 1;
    for (int d = rank; d-- > 0;) {
      strides[i][d] = static_cast<int64_t>(stride) + (isDamaged && call.damage == Damage::Strides);
      stride *= static_cast<uint64_t>(sizes[i][d]);
    }
    bool isOther = isDamaged && call.damage == Damage::Type;
    ins[i] = {nullptr, sizes[i], i % 2 ? strides[i] : nullptr, rank, (i == 5) != isOther ? FUSE_I64 : FUSE_F32};
    if (isDamaged && call.damage == Damage::Strides)
      ins[i].strides = strides[i];
    if (isDamaged && call.damage == Damage::NoSizes)
      ins[i].sizes = nullptr;
  }
  for (fuse_buffer &out : outs)
    out = {};
}

void fuse_sizes::fillInputs(const Call &call, const Arrays &arrays, Random &random) {
  float *floats[] = {arrays.a, arrays.b, arrays.image, arrays.left, arrays.right};
  for (int i = 0; i < 5; ++i)
    for (int64_t at = 0, end = countElements(call, i); at < end; ++at)
      floats[i][at] = static_cast<float>(random.below(2001) - 1000) / 512;
  int64_t rows = call.sizes[First];
  for (int64_t at = 0; at < call.sizes[Count]; ++at)
    arrays.ids[at] = random.below(2 * rows) - rows;
}

Outputs fuse_sizes::computeOutputs(const Call &call, const Arrays &arrays) {
  Outputs outputs;
  auto size = [&](Dim dim) { return call.sizes[dim]; };
  for (const auto &[rows, count] : {std::pair(arrays.a, size(First)), {arrays.b, size(Second)}})
    for (int64_t at = 0; at < 4 * count; ++at)
      outputs[0].push_back(2 * rows[at]);
  for (int64_t y = 0; y + 3 <= size(Height); y += 2)
    for (int64_t x = 0; x + 3 <= size(Width); x += 2) {
      float most = -std::numeric_limits<float>::infinity();
      for (int64_t at = 0; at < 9; ++at)
        most = std::max(most, arrays.image[(y + at / 3) * size(Width) + x + at % 3]);
      outputs[1].push_back(most);
    }
  for (int64_t row = 0; row < size(Rows); ++row)
    for (int64_t column = 0; column < size(Columns); ++column) {
      double sum = 0;
      for (int64_t k = 0; k < size(Inner); ++k)
        sum += static_cast<double>(arrays.left[row * size(Inner) + k]) * arrays.right[k * size(Columns) + column];
      outputs[2].push_back(sum);
    }
  for (int64_t i = 0; i < size(Count); ++i) {
    int64_t row = arrays.ids[i] + (arrays.ids[i] < 0 ? size(First) : 0);
    outputs[3].insert(outputs[3].end(), arrays.a + 4 * row, arrays.a + 4 * row + 4);
  }
  for (int64_t i = 0; i < size(First); ++i) {
    float least = std::numeric_limits<float>::infinity();
    for (int64_t j = 0; j < size(Second); ++j)
      least = std::min(least, arrays.a[4 * i] * arrays.b[4 * j]);
    outputs[4].push_back(least);
  }
  return outputs;
}

bool fuse_sizes::isClose(float got, double want) { return got == want || std::fabs(got - want) <= 1e-4 * (1 + std::fabs(want)); }
