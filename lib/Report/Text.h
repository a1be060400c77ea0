//===- Text.h - Numbers and names as text ----------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_TEXT_H
#define FUSE_LIB_REPORT_TEXT_H

#include "fuse/CostModel/Profile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::fuse {

/// `format` as printf's, of one number.
template <typename T>
std::string formatNumber(const char *format, T value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, value);
  return text;
}

/// `64.0`; 1 KB = 1024 bytes.
inline std::string formatKilobytes(int64_t bytes) {
  return formatNumber("%.1f", static_cast<double>(bytes) / 1024.0);
}

/// `  name: launches …`, one line.
void printProfile(StringRef name, const Profile &profile, raw_ostream &os);

/// Longer text of an op or a type is cut short in boxes; the page's scripts cut at the same place.
constexpr unsigned kMaxTextColumns = 34;

/// How many columns text takes, at least: wide characters take two. What is no UTF-8 counts by
/// bytes.
unsigned countColumns(llvm::StringRef text);
/// At most `columns` columns, the last of them an ellipsis where something was cut off.
std::string shortenText(llvm::StringRef text, unsigned columns);
/// "512 B", "16.0 KB", "1.5 GB"; 1 KB = 1024 bytes.
std::string formatBytes(int64_t bytes);
/// The first ops, as many as fit into `length` characters, and how many more there are. Many equal
/// ones in a row are counted.
std::string listOps(llvm::ArrayRef<std::string> ops, size_t length);
/// Lines of a path, cut behind slashes where it has more than `columns` columns.
std::vector<std::string> wrapPath(llvm::StringRef path, unsigned columns);
/// Text in a script element: JSON in which no character can end it.
std::string escapeForScript(llvm::StringRef json);

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_TEXT_H
