//===- TextTable.h - Aligned columns of text --------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_TEXTTABLE_H
#define FUSE_LIB_REPORT_TEXTTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// Columns as wide as their widest cell, two spaces between. Lines carry no blanks at their end.
class TextTable {
public:
  enum class Align { Left, Right };

  /// Appends a column. Its head may take two lines, cut at the last blank.
  void addColumn(llvm::StringRef head, Align align, std::vector<std::string> cells);
  void print(llvm::raw_ostream &os, unsigned indent) const;

private:
  struct Column {
    std::string upper, lower;
    Align align;
    std::vector<std::string> cells;
    size_t width;
  };
  using GetCell = llvm::function_ref<llvm::StringRef(const Column &)>;
  void printLine(llvm::raw_ostream &os, unsigned indent, GetCell getCell) const;

  std::vector<Column> columns;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_TEXTTABLE_H
