//===- RuntimeSymbols.h - What generated code may call ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_SESSION_RUNTIMESYMBOLS_H
#define FUSE_LIB_EXECUTION_SESSION_RUNTIMESYMBOLS_H

#include "llvm/ADT/ArrayRef.h"

namespace mlir::fuse {

struct RuntimeSymbol {
  const char *name;
  void *address;
};

/// The runtime's functions and the compiler's own helpers (conversions of the short floats) that
/// no shared library exports. Functions of libc and libm are not among them.
llvm::ArrayRef<RuntimeSymbol> getRuntimeSymbols();

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_SESSION_RUNTIMESYMBOLS_H
