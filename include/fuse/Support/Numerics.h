//===- Numerics.h - How far numbers may change -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_NUMERICS_H
#define FUSE_SUPPORT_NUMERICS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir::fuse {

/// How far a rewrite may change numbers. Each class allows what those before it do; docs/numerics.md
/// has a table.
enum class Numerics {
  Exact,           ///< not at all: bit-equal to the unfused program
  Reassociates,    ///< by the order of a float reduction
  Folds,           ///< by folding parameters into others: errors of the size of the type's rounding
  ReducedPrecision ///< by operands of products that are rounded to a shorter type
};
/// `exact`, `reassociates`, `folds`, `reduced-precision`.
llvm::ArrayRef<llvm::StringRef> getNumericsNames();
/// The name of a class.
llvm::StringRef getNumericsName(Numerics numerics);
/// The class of a name. `changes-rounding`, an older name, is `reduced-precision`.
std::optional<Numerics> parseNumerics(llvm::StringRef name);
/// The same, for a name that was checked before; `exact` where it is none.
Numerics getNumerics(llvm::StringRef name);
/// What an error says of a name that is none of them.
std::string describeUnknownNumerics(llvm::StringRef name);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_NUMERICS_H
