//===- CompactType.cpp - The custom directive for op types -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompactType.h"

using namespace mlir;

ParseResult mlir::fuse::parseCompactTypes(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *slot : types)
      *slot = type;
    return success();
  }
  if (function.getNumInputs() != types.size() - 1 || function.getNumResults() != 1)
    return parser.emitError(loc) << "expected a function type with " << types.size() - 1
                                 << " operands and 1 result, found " << function;
  for (auto [slot, input] : llvm::zip(types.drop_back(), function.getInputs()))
    *slot = input;
  *types.back() = function.getResult(0);
  return success();
}

void mlir::fuse::printCompactTypes(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types.back();
  else
    printer.printFunctionalType(types.drop_back(), types.take_back());
}
