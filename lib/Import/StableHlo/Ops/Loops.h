//===- Loops.h - Loops that count -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_OPS_LOOPS_H
#define FUSE_IMPORT_STABLEHLO_OPS_LOOPS_H

#include "../Node.h"

namespace mlir::fuse::stablehlo {

LogicalResult importWhile(Node &n);

} // namespace mlir::fuse::stablehlo

#endif // FUSE_IMPORT_STABLEHLO_OPS_LOOPS_H
