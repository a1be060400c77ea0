//===- RenameSymbols.h - Objects whose functions get other names --------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_BUNDLE_RENAMESYMBOLS_H
#define FUSE_LIB_EXECUTION_BUNDLE_RENAMESYMBOLS_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <vector>

namespace mlir::fuse {

/// Appends `suffix` to the name of every symbol that one of the objects defines, wherever one of
/// them has it, so that they can be linked with others of the same names. Objects may be null.
/// Error: what is no object.
llvm::Error renameSymbols(std::vector<std::unique_ptr<llvm::MemoryBuffer>> &objects,
                          StringRef suffix);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_BUNDLE_RENAMESYMBOLS_H
