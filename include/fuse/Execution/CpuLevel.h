//===- CpuLevel.h - The CPUs that code can be compiled for --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// "native" is the CPU that this runs on, with all of its features. The others are what any CPU of a
// generation has: on x86-64 the levels of its ABI, elsewhere the architecture's least.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_CPULEVEL_H
#define FUSE_EXECUTION_CPULEVEL_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::fuse {

inline constexpr llvm::StringLiteral kNativeCpu = "native";

/// What lowering asks of a CPU.
struct CpuVectors {
  int64_t bytes = 16;
  /// How many vector registers there are.
  int64_t registers = 32;
  /// Whether they are multiplied and added with one rounding, in one instruction.
  bool hasFma = true;
  /// Whether they are scaled by powers of two in one instruction.
  bool hasScaling = false;
  /// How many floats of one are permuted by the numbers in another in one instruction: 16 or 8; 1
  /// if tables are read element by element, 0 if there are to be none.
  int64_t permutedLanes = 0;
  /// Whether they multiply and sum groups of 8-bit integers, or of bf16, in one instruction.
  bool hasInt8Dot = false, hasBf16Dot = false;
  /// Whether tile registers multiply matrices of 8-bit integers, or of bf16.
  bool hasInt8Tiles = false, hasBf16Tiles = false;
  /// Whether they multiply and sum pairs of 16-bit integers in one instruction.
  bool hasInt16Dot = false;
};

struct CpuLevel {
  std::string name;     // as options have it
  std::string cpu;      // as LLVM names it
  std::string features; // as LLVM lists them: "+avx,-xop,…"
  CpuVectors vectors;

  bool isNative() const { return name == kNativeCpu; }
};

/// The names that there are on this architecture, the CPU with most instructions first: "native",
/// "x86-64-v4", "x86-64-v3", …
ArrayRef<StringRef> getCpuLevelNames();

/// None for another name.
std::optional<CpuLevel> findCpuLevel(StringRef name);

/// A feature that the level has and this CPU lacks, as LLVM names it; empty: code of the level runs
/// here.
std::string findMissingFeature(const CpuLevel &level);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_CPULEVEL_H
