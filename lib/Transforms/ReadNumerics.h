//===- ReadNumerics.h - The option `numerics` of a pass -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_TRANSFORMS_READNUMERICS_H
#define FUSE_LIB_TRANSFORMS_READNUMERICS_H

#include "fuse/Support/Numerics.h"
#include "mlir/IR/Operation.h"

namespace mlir::fuse {

/// The class that an option of a pass on `op` names; nothing, with an error at `op`, where it is none.
inline std::optional<Numerics> readNumerics(Operation *op, StringRef name) {
  std::optional<Numerics> numerics = parseNumerics(name);
  if (!numerics)
    op->emitError() << describeUnknownNumerics(name);
  return numerics;
}

} // namespace mlir::fuse

#endif // FUSE_LIB_TRANSFORMS_READNUMERICS_H
