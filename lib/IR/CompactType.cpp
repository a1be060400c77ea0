//===- CompactType.cpp - Custom directives of the ops' text -----===//
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

ParseResult mlir::fuse::parseDimensions(OpAsmParser &parser, DenseI64ArrayAttr &dimensions) {
  if (failed(parser.parseOptionalKeyword("axes")) && parser.parseKeyword("dimensions"))
    return failure();
  if (parser.parseEqual())
    return failure();
  dimensions = dyn_cast_if_present<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, Type()));
  return success(dimensions != nullptr);
}

void mlir::fuse::printDimensions(OpAsmPrinter &printer, Operation *op,
                                 DenseI64ArrayAttr dimensions) {
  printer << "dimensions = ";
  dimensions.print(printer.getStream());
}
