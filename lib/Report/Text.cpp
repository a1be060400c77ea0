//===- Text.cpp - Numbers and names as text ---------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

using namespace mlir::fuse;

/// The bytes of the character at the start of some text.
static size_t getCharacterBytes(llvm::StringRef text) {
  unsigned char first = text.front();
  size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(bytes, text.size());
}

unsigned mlir::fuse::countColumns(llvm::StringRef text) {
  int columns = llvm::sys::unicode::columnWidthUTF8(text);
  return columns >= 0 ? columns : text.size();
}

std::string mlir::fuse::shortenText(llvm::StringRef text, unsigned columns) {
  if (countColumns(text) <= columns)
    return text.str();
  std::string kept;
  unsigned used = 1;
  while (!text.empty()) {
    llvm::StringRef character = text.take_front(getCharacterBytes(text));
    used += countColumns(character);
    if (used > columns)
      break;
    kept += character;
    text = text.drop_front(character.size());
  }
  return kept + "\xE2\x80\xA6";
}

std::string mlir::fuse::formatBytes(int64_t bytes) {
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  double size = static_cast<double>(bytes) / 1024;
  const char *units[] = {" KB", " MB", " GB", " TB", " PB", " EB"};
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(units); ++unit)
    size /= 1024;
  return formatNumber("%.1f", size) + units[unit];
}

std::string mlir::fuse::listOps(llvm::ArrayRef<std::string> ops, size_t length) {
  std::string text;
  for (size_t i = 0; i < ops.size();) {
    size_t same = 1;
    while (i + same < ops.size() && ops[i + same] == ops[i])
      ++same;
    if (same < 3)
      same = 1;
    std::string piece = ops[i] + (same > 1 ? " (" + std::to_string(same) + "x)" : "");
    if (i > 0 && text.size() + piece.size() > length)
      return text + ", and " + std::to_string(ops.size() - i) + " more";
    text += (i > 0 ? ", " : "") + piece;
    i += same;
  }
  return text;
}

std::vector<std::string> mlir::fuse::wrapPath(llvm::StringRef path, unsigned columns) {
  std::vector<std::string> lines;
  while (!path.empty()) {
    size_t end = std::min(path.find('/'), path.size() - 1) + 1;
    llvm::StringRef name = path.take_front(end);
    path = path.drop_front(end);
    if (!lines.empty() && countColumns(lines.back()) + countColumns(name) <= columns)
      lines.back() += name.str();
    else
      lines.push_back(name.str());
  }
  return lines;
}

std::string mlir::fuse::escapeForScript(llvm::StringRef json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (char c : json)
    if (llvm::StringRef("<>&").contains(c))
      escaped += "\\u00" + llvm::utohexstr(c, /*LowerCase=*/true, 2);
    else
      escaped += c;
  return escaped;
}
