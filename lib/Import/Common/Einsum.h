//===- Einsum.h - Products and sums over named dimensions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_EINSUM_H
#define FUSE_IMPORT_COMMON_EINSUM_H

#include "OpContext.h"

namespace mlir::fuse::importer {

/// "ij,jk->ik", "...ij->...ji", "ii->i": as NumPy reads it. Fails for equations that do not fit the operands.
FailureOr<Value> buildEinsum(OpContext &n, ArrayRef<Value> operands, StringRef equation);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_EINSUM_H
