//===- TextTable.cpp - Aligned columns of text ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TextTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::fuse;
using llvm::StringRef;

void TextTable::addColumn(StringRef head, Align align, std::vector<std::string> cells) {
  auto [upper, lower] = head.rsplit(' ');
  if (lower.empty())
    std::swap(upper, lower);
  size_t width = std::max(upper.size(), lower.size());
  for (const std::string &cell : cells)
    width = std::max(width, cell.size());
  columns.push_back({upper.str(), lower.str(), align, std::move(cells), width});
}

void TextTable::printLine(llvm::raw_ostream &os, unsigned indent, GetCell getCell) const {
  std::string line;
  for (const Column &column : columns) {
    StringRef cell = getCell(column);
    std::string blanks(column.width - cell.size(), ' ');
    line += column.align == Align::Left ? cell.str() + blanks : blanks + cell.str();
    line += "  ";
  }
  os.indent(indent) << StringRef(line).rtrim(' ') << "\n";
}

void TextTable::print(llvm::raw_ostream &os, unsigned indent) const {
  if (columns.empty())
    return;
  if (llvm::any_of(columns, [](const Column &column) { return !column.upper.empty(); }))
    printLine(os, indent, [](const Column &column) -> StringRef { return column.upper; });
  printLine(os, indent, [](const Column &column) -> StringRef { return column.lower; });
  for (size_t row = 0; row < columns.front().cells.size(); ++row)
    printLine(os, indent, [&](const Column &column) -> StringRef { return column.cells[row]; });
}
