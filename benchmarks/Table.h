//===- Table.h - The columns that all benchmarks print --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// benchmarks/table.py prints and counts the same rows.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_BENCHMARKS_TABLE_H
#define FUSE_BENCHMARKS_TABLE_H

#include <string>

namespace mlir::fuse::bench {

struct Row {
  std::string what, size;
  int threads;
  double time;
  std::string reference;
  double referenceTime;
  double ratio;  ///< not always that of the two times: the median of the rounds' ratios
  double wanted; ///< a higher ratio is marked
  const char *unit = "ms";
};

void printHeader();
void print(const Row &row);

} // namespace mlir::fuse::bench

#endif // FUSE_BENCHMARKS_TABLE_H
