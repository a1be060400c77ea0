//===- Precision.cpp - The types that products are computed in -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/Precision.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::fuse;

static constexpr llvm::StringRef kPrecisions[] = {"as-written", "bf16", "int8"};

llvm::ArrayRef<llvm::StringRef> mlir::fuse::getPrecisionNames() { return kPrecisions; }

llvm::StringRef mlir::fuse::getPrecisionName(Precision precision) {
  return kPrecisions[static_cast<size_t>(precision)];
}

std::optional<Precision> mlir::fuse::parsePrecision(llvm::StringRef name) {
  const auto *found = llvm::find(kPrecisions, name);
  if (found == std::end(kPrecisions))
    return std::nullopt;
  return static_cast<Precision>(found - std::begin(kPrecisions));
}
