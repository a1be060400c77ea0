//===- Units.h - Figures as people read them --------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_REPORT_UNITS_H
#define FUSE_LIB_REPORT_UNITS_H

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

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

} // namespace mlir::fuse

#endif // FUSE_LIB_REPORT_UNITS_H
