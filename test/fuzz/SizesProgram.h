//===- SizesProgram.h - What the program of Inputs/sizes.mlir asks of a call and computes --*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_FUZZ_SIZESPROGRAM_H
#define FUSE_TEST_FUZZ_SIZESPROGRAM_H

#include "fuse/Runtime/Bundle.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace fuse_sizes {

/// SplitMix64.
struct Random {
  uint64_t state;
  uint64_t next();
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
};

enum Dim { First, Second, Height, Width, Rows, Inner, OtherInner, Columns, Count, kNumDims };
inline constexpr const char *kDimNames[] = {"first", "second", "height",  "width", "rows",
                                            "inner", "other",  "columns", "count"};
inline constexpr int kNumInputs = 6, kNumOutputs = 5;

/// What is wrong with a call besides its sizes.
enum class Damage { None, Rank, Type, NoSizes, Strides };
inline constexpr const char *kDamageNames[] = {"none", "another rank", "another type", "no sizes", "other strides"};

struct Call {
  std::array<int64_t, kNumDims> sizes;
  Damage damage = Damage::None;
  int damaged = 0; ///< the input
};

enum class Verdict {
  Runs,    ///< must be accepted, and is small enough to be run
  Refused, ///< must be refused
  Large    ///< may be refused where memory is short
};

Call drawCall(Random &random);
Verdict judge(const Call &call);
/// Elements of an input; of sizes that are not negative and small.
int64_t countElements(const Call &call, int input);

/// Inputs and outputs as the bundle's functions take them, without data.
struct Buffers {
  explicit Buffers(const Call &call);
  Buffers(const Buffers &) = delete;
  Buffers &operator=(const Buffers &) = delete;
  fuse_buffer ins[kNumInputs], outs[kNumOutputs];

private:
  int64_t sizes[kNumInputs][3], strides[kNumInputs][3];
};

struct Arrays {
  float *a, *b, *image, *left, *right;
  int64_t *ids;
};
using Outputs = std::array<std::vector<double>, kNumOutputs>;

void fillInputs(const Call &call, const Arrays &arrays, Random &random);
Outputs computeOutputs(const Call &call, const Arrays &arrays);
bool isClose(float got, double want);

} // namespace fuse_sizes

#endif // FUSE_TEST_FUZZ_SIZESPROGRAM_H
