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

#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

/// Columns as wide as their widest cell, two spaces between. Lines carry no blanks at their end.
/// What finds no room in a line stands in a table below, where the first column is repeated.
class TextTable {
public:
  enum class Align { Left, Right };

  explicit TextTable(size_t maxWidth) : maxWidth(maxWidth) {}

  /// Appends a column. Its head may take two lines, cut at the last blank.
  void addColumn(llvm::StringRef head, Align align, std::vector<std::string> cells);
  /// A text for each row, which is the last column where all of them have room, and otherwise
  /// stands below its row, in as many lines as it takes.
  void setText(llvm::StringRef head, std::vector<std::string> texts);
  void print(llvm::raw_ostream &os, unsigned indent) const;

private:
  struct Column {
    std::string upper, lower;
    Align align;
    std::vector<std::string> cells;
    size_t width;
  };
  using GetCell = llvm::function_ref<llvm::StringRef(const Column &)>;
  using Columns = llvm::ArrayRef<const Column *>;

  static Column makeColumn(llvm::StringRef head, Align align, std::vector<std::string> cells);
  static void printLine(llvm::raw_ostream &os, unsigned indent, Columns columns, GetCell getCell);
  void printPart(llvm::raw_ostream &os, unsigned indent, Columns columns,
                 llvm::ArrayRef<std::string> below) const;

  size_t maxWidth;
  std::vector<Column> columns;
  std::optional<Column> text;
};

/// Text in lines of at most `width` columns, cut at blanks outside of parentheses; what is longer
/// without one has a line of its own.
std::vector<std::string> wrapText(llvm::StringRef text, size_t width);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_TEXTTABLE_H
