//===- Checks.cpp - What importers of all formats check and say -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Checks.h"
#include "Limits.h"
#include "fuse/Support/HostArray.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::importer;

std::optional<std::string> mlir::fuse::importer::findShapeProblem(ElementType type, ArrayRef<int64_t> shape) {
  if (static_cast<int64_t>(shape.size()) > kMostRank)
    return "expected at most " + std::to_string(kMostRank) + " dimensions, found " + std::to_string(shape.size());
  SmallVector<int64_t> known;
  llvm::copy_if(shape, std::back_inserter(known), [](int64_t extent) { return !ShapedType::isDynamic(extent); });
  // Extents of 0 hide no others: sums and products of the rest stay within their bounds, too.
  std::optional<int64_t> bytes = HostArray::computeByteSize(type, known);
  if (bytes && llvm::is_contained(known, 0)) {
    llvm::erase(known, 0);
    bytes = HostArray::computeByteSize(type, known);
  }
  if (bytes && *bytes <= kMostBytes)
    return std::nullopt;
  auto names = llvm::map_range(
      shape, [](int64_t extent) { return ShapedType::isDynamic(extent) ? std::string("?") : std::to_string(extent); });
  return "no tensor can have the dimensions [" + llvm::join(names, ", ") + "]";
}

std::string mlir::fuse::importer::quote(StringRef name) {
  constexpr size_t kMostShown = 200;
  std::string text = "'";
  llvm::raw_string_ostream stream(text);
  for (char c : name.take_front(kMostShown)) {
    // What is not ASCII may well be UTF-8.
    if (static_cast<unsigned char>(c) < 32 || c == 127)
      stream << "\\x" << llvm::hexdigit((c >> 4) & 15) << llvm::hexdigit(c & 15);
    else
      stream << c;
  }
  stream << (name.size() > kMostShown ? "…'" : "'");
  return text;
}

std::string mlir::fuse::importer::describeExtent(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}
