//===- Table.cpp - The columns that all benchmarks print ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Table.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::fuse::bench;

/// Three digits behind the point, and more where the value is small.
static std::string formatTime(double time, const char *unit) {
  return time >= 0.1 || time == 0 ? llvm::formatv("{0:f3} {1}", time, unit).str()
                                  : llvm::formatv("{0:f5} {1}", time, unit).str();
}

void mlir::fuse::bench::printHeader() {
  llvm::outs() << llvm::formatv("{0,-30} {1,-28} {2,7} {3,12}  {4,-26} {5,12} {6,6} {7,6}\n",
                                "what", "size", "threads", "time", "reference", "its time", "ratio",
                                "wanted");
  llvm::outs().flush();
}

void mlir::fuse::bench::print(const Row &row) {
  llvm::outs() << llvm::formatv(
      "{0,-30} {1,-28} {2,7} {3,12}  {4,-26} {5,12} {6,6:f2} {7,6:f2}{8}\n", row.what, row.size,
      row.threads, formatTime(row.time, row.unit), row.reference,
      formatTime(row.referenceTime, row.unit), row.ratio, row.wanted,
      row.ratio > row.wanted ? " *" : "");
  llvm::outs().flush();
}
