//===- MemoryCases.h - Kernels that memory bounds -------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_BENCHMARKS_MEMORYCASES_H
#define FUSE_BENCHMARKS_MEMORYCASES_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::fuse::bench {

/// What a kernel is held against: a loop that only moves bytes.
enum class Reference { Triad, Read, Copy };

struct MemoryCase {
  const char *name;
  /// A function over f32. XTYPE is the type of the large operand, ROWTYPE and COLTYPE those of a
  /// vector with its rows' or columns' extent, ONETYPE that of a matrix of one column.
  const char *source;
  Reference reference;
  /// Arrays as large as the operand that are read or written, all told.
  double arrays;
  /// The highest ratio that is wanted.
  double target;
  /// Whether the reference is the kernel's own time on a block in the first cache, where that is
  /// longer.
  bool mayCompute;
  /// Whether odd and dynamic sizes are measured as well.
  bool hasOddSizes;
};

std::vector<MemoryCase> getMemoryCases();

struct MatrixShape {
  int64_t rows, columns;
  bool isDynamic = false; ///< of the program; the sizes are the run's
};

/// The program of a case. Vectors of columns are dynamic where the shape is.
std::string makeProgram(const MemoryCase &test, const MatrixShape &shape);
std::vector<std::vector<int64_t>> getInputShapes(const MemoryCase &test, const MatrixShape &shape);

} // namespace mlir::fuse::bench

#endif // FUSE_BENCHMARKS_MEMORYCASES_H
