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

/// How far a rewrite may change numbers: not at all (bit-equal to the unfused program), by the order
/// of a float reduction, or by rounding at other places.
enum class Numerics { Exact, Reassociates, ChangesRounding };
/// `exact`, `reassociates`, `changes-rounding`.
llvm::ArrayRef<llvm::StringRef> getNumericsNames();
std::optional<Numerics> parseNumerics(llvm::StringRef name);
/// What an error says of a name that is none of them.
std::string describeUnknownNumerics(llvm::StringRef name);

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_NUMERICS_H
