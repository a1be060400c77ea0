//===- HostFunctions.h - Functions that host_call cases name ------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_DIFFERENTIAL_HOSTFUNCTIONS_H
#define FUSE_TEST_NUMERIC_DIFFERENTIAL_HOSTFUNCTIONS_H

#include "fuse/Interpreter/Interpreter.h"
#include "fuse/Runtime/HostCalls.h"

namespace mlir::fuse::differential {

/// @reverse: the bytes of its operand, the last element first.
void registerHostFunctions(fuse_context *context);
void registerHostFunctions(InterpreterOptions &options);

} // namespace mlir::fuse::differential

#endif // FUSE_TEST_NUMERIC_DIFFERENTIAL_HOSTFUNCTIONS_H
