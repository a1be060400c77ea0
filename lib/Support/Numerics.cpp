//===- Numerics.cpp - How far numbers may change -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/Numerics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::fuse;

static constexpr llvm::StringRef kNumerics[] = {"exact", "reassociates", "changes-rounding"};

llvm::ArrayRef<llvm::StringRef> mlir::fuse::getNumericsNames() { return kNumerics; }

std::optional<Numerics> mlir::fuse::parseNumerics(llvm::StringRef name) {
  for (auto [number, known] : llvm::enumerate(kNumerics))
    if (name == known)
      return static_cast<Numerics>(number);
  return std::nullopt;
}

std::string mlir::fuse::describeUnknownNumerics(llvm::StringRef name) {
  return "unknown numerics '" + name.str() +
         "', expected one of: " + llvm::join(getNumericsNames(), ", ");
}
