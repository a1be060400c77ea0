//===- CompactType.h - Custom directives of the ops' text -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Types: one where operands and results agree, else a function type, as StableHLO prints them. And lists
// of dimensions.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_IR_COMPACTTYPE_H
#define FUSE_LIB_IR_COMPACTTYPE_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::fuse {

/// Parses `type`, given to all of `types`, or `(type, …) -> type`, the result last in `types`.
ParseResult parseCompactTypes(OpAsmParser &parser, ArrayRef<Type *> types);
void printCompactTypes(OpAsmPrinter &printer, ArrayRef<Type> types);

inline ParseResult parseCompactType(OpAsmParser &p, Type &a, Type &r) {
  return parseCompactTypes(p, {&a, &r});
}
inline ParseResult parseCompactType(OpAsmParser &p, Type &a, Type &b, Type &r) {
  return parseCompactTypes(p, {&a, &b, &r});
}
inline ParseResult parseCompactType(OpAsmParser &p, Type &a, Type &b, Type &c, Type &r) {
  return parseCompactTypes(p, {&a, &b, &c, &r});
}
template <typename... Types>
void printCompactType(OpAsmPrinter &p, Operation *, Types... types) {
  printCompactTypes(p, {Type(types)...});
}

/// `dimensions = [1, 2]`; the older spelling `axes = [1, 2]` is read, and never printed.
ParseResult parseDimensions(OpAsmParser &parser, DenseI64ArrayAttr &dimensions);
void printDimensions(OpAsmPrinter &printer, Operation *op, DenseI64ArrayAttr dimensions);

} // namespace mlir::fuse

#endif // FUSE_LIB_IR_COMPACTTYPE_H
