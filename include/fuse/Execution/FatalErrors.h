//===- FatalErrors.h - What LLVM gives up on, as an exception ---------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// LLVM ends the process where it meets what it cannot compile. A library in somebody else's process must not: while a
// CaughtFatalErrors lives, such an error is thrown in the thread that it came up in. What LLVM held there is not freed.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_FATALERRORS_H
#define FUSE_EXECUTION_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::fuse {

struct FatalError {
  std::string text;
};

/// There may be several at once, in any threads. Nothing is thrown while there is none: tools end as LLVM would have it.
class CaughtFatalErrors {
public:
  CaughtFatalErrors();
  ~CaughtFatalErrors();
  CaughtFatalErrors(const CaughtFatalErrors &) = delete;
  CaughtFatalErrors &operator=(const CaughtFatalErrors &) = delete;
};

/// Calls `work`; what it throws comes back as an error. For threads of a pool, which nobody catches behind.
llvm::Error catchFatalErrors(llvm::function_ref<void()> work);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_FATALERRORS_H
