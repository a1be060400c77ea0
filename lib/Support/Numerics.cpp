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

static constexpr llvm::StringRef kNumerics[] = {"exact", "reassociates", "folds",
                                             "reduced-precision"};

llvm::ArrayRef<llvm::StringRef> mlir::fuse::getNumericsNames() { return kNumerics; }

llvm::StringRef mlir::fuse::getNumericsName(Numerics numerics) {
  return kNumerics[static_cast<size_t>(numerics)];
}

std::optional<Numerics> mlir::fuse::parseNumerics(llvm::StringRef name) {
  for (auto [number, known] : llvm::enumerate(kNumerics))
    if (name == known)
      return static_cast<Numerics>(number);
  if (name == "changes-rounding")
    return Numerics::ReducedPrecision;
  return std::nullopt;
}

Numerics mlir::fuse::getNumerics(llvm::StringRef name) {
  return parseNumerics(name).value_or(Numerics::Exact);
}

std::string mlir::fuse::describeUnknownNumerics(llvm::StringRef name) {
  return "unknown numerics '" + name.str() +
         "', expected one of: " + llvm::join(getNumericsNames(), ", ");
}
