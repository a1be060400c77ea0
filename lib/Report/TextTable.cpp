//===- TextTable.cpp - Aligned columns of text ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "TextTable.h"

#include "Text.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::fuse;
using llvm::StringRef;

static constexpr size_t kGap = 2;
/// How far a text stands behind the row that it is below of.
static constexpr size_t kTextIndent = 4;

TextTable::Column TextTable::makeColumn(StringRef head, Align align,
                                        std::vector<std::string> cells) {
  auto [upper, lower] = head.rsplit(' ');
  if (lower.empty())
    std::swap(upper, lower);
  size_t width = std::max(upper.size(), lower.size());
  for (StringRef cell : cells)
    width = std::max<size_t>(width, countColumns(cell));
  return {upper.str(), lower.str(), align, std::move(cells), width};
}

void TextTable::addColumn(StringRef head, Align align, std::vector<std::string> cells) {
  columns.push_back(makeColumn(head, align, std::move(cells)));
}

void TextTable::setText(StringRef head, std::vector<std::string> texts) {
  text = makeColumn(head, Align::Left, std::move(texts));
}

void TextTable::printLine(llvm::raw_ostream &os, unsigned indent, Columns columns,
                          GetCell getCell) {
  std::string line;
  for (const Column *column : columns) {
    StringRef cell = getCell(*column);
    std::string blanks(column->width - countColumns(cell), ' ');
    line += column->align == Align::Left ? cell.str() + blanks : blanks + cell.str();
    line.append(kGap, ' ');
  }
  os.indent(indent) << StringRef(line).rtrim(' ') << "\n";
}

void TextTable::printPart(llvm::raw_ostream &os, unsigned indent, Columns columns,
                          llvm::ArrayRef<std::string> below) const {
  if (llvm::any_of(columns, [](const Column *column) { return !column->upper.empty(); }))
    printLine(os, indent, columns, [](const Column &column) -> StringRef { return column.upper; });
  printLine(os, indent, columns, [](const Column &column) -> StringRef { return column.lower; });
  for (size_t row = 0; row < columns.front()->cells.size(); ++row) {
    // A row that has nothing in this part, like that of totals.
    if (llvm::all_of(columns.drop_front(),
                     [&](auto *column) { return column->cells[row].empty(); }))
      continue;
    printLine(os, indent, columns,
              [&](const Column &column) -> StringRef { return column.cells[row]; });
    if (!below.empty())
      for (StringRef line : wrapText(below[row], maxWidth - indent - kTextIndent))
        os.indent(indent + kTextIndent) << line << "\n";
  }
}

void TextTable::print(llvm::raw_ostream &os, unsigned indent) const {
  if (columns.empty())
    return;
  // Each part begins with the first column, which says what its rows are.
  std::vector<llvm::SmallVector<const Column *>> parts;
  size_t width = 0;
  auto hasRoom = [&](const Column &column) {
    return width + kGap + column.width <= maxWidth - indent;
  };
  auto add = [&](const Column &column) {
    width += (parts.back().empty() ? 0 : kGap) + column.width;
    parts.back().push_back(&column);
  };
  for (const Column &column : columns) {
    if (parts.empty() || (parts.back().size() > 1 && !hasRoom(column))) {
      parts.emplace_back();
      width = 0;
      if (parts.size() > 1)
        add(columns.front());
    }
    add(column);
  }
  bool isColumn = text && parts.size() == 1 && hasRoom(*text);
  if (isColumn)
    parts.front().push_back(&*text);
  for (auto [i, part] : llvm::enumerate(parts))
    printPart(os, indent, part,
              i == 0 && text && !isColumn ? llvm::ArrayRef(text->cells)
                                          : llvm::ArrayRef<std::string>());
}

/// The end of the first word: at a blank outside of parentheses, which keep one op together.
static size_t findWordEnd(StringRef text) {
  int depth = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    depth += (c == '(') - (c == ')');
    if (c == ' ' && depth <= 0)
      return i;
  }
  return text.size();
}

std::vector<std::string> mlir::fuse::wrapText(StringRef text, size_t width) {
  std::vector<std::string> lines;
  while (!(text = text.ltrim(' ')).empty()) {
    StringRef word = text.take_front(findWordEnd(text));
    text = text.drop_front(word.size());
    if (!lines.empty() && countColumns(lines.back()) + 1 + countColumns(word) <= width)
      lines.back() += " " + word.str();
    else
      lines.push_back(word.str());
  }
  return lines;
}
