//===- TestPasses.h - Passes that exist for testing ------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_LIB_TESTPASSES_H
#define FUSE_TEST_LIB_TESTPASSES_H

namespace mlir::fuse {

void registerTestDistributePass();
void registerTestScalarBodyPass();

} // namespace mlir::fuse

#endif // FUSE_TEST_LIB_TESTPASSES_H
