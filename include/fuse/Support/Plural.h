//===- Plural.h - "1 kernel", "2 kernels" ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_PLURAL_H
#define FUSE_SUPPORT_PLURAL_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::fuse {

/// A number of what `noun` names, for remarks and errors: "1 edge", "2 edges", "0 edges".
template <typename Number>
std::string pluralize(Number number, llvm::StringRef noun) {
  return std::to_string(number) + " " + noun.str() + (number == 1 ? "" : "s");
}

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_PLURAL_H
