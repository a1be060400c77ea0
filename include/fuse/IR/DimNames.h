//===- DimNames.h - Names of open dimensions ---------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A model calls the dimensions that it leaves open by names, `batch` say. Arguments keep these, so
// that messages and bundles speak of them:
//
//   func.func @main(%x: tensor<?x4xf32> {fuse.dim_names = ["batch", ""]})
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_DIMNAMES_H
#define FUSE_IR_DIMNAMES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <optional>
#include <string>

namespace mlir::fuse {

namespace attr {
/// On an argument: a string for each dimension, empty for one that has no name.
constexpr llvm::StringLiteral kDimNames = "fuse.dim_names";
} // namespace attr

/// The name of an argument's dimension; empty where it has none.
StringRef getDimName(FunctionOpInterface function, unsigned argument, int64_t dim);

/// What an argument is called: `fuse.name`, else arg0, arg1, ….
std::string getArgumentName(FunctionOpInterface function, unsigned argument);

/// "x:0", which tells a dimension of an argument apart whatever its name.
std::string getDimPlace(FunctionOpInterface function, unsigned argument, int64_t dim);

/// "dimension 0 (batch)", or "dimension 0" of one without a name.
std::string describeDim(FunctionOpInterface function, unsigned argument, int64_t dim);

/// The option of the tools that gives an open dimension of a model an extent: `--dim batch=N`, in
/// the shell's quotes where they are needed. `name` is the dimension's own, or INPUT:AXIS.
std::string getDimOption(StringRef name);

/// What a dimension's name says where it is an expression of other names, as exporters write it: of "4*h" or "past + seq". Its
/// symbols are the positions of `names`, which are those in the text, each once.
struct DimExpression {
  AffineExpr extent;
  SmallVector<std::string> names;
};

/// None for a plain name, and for text that is no expression of names by +, -, *, brackets and // with a number behind.
std::optional<DimExpression> parseDimExpression(StringRef name, MLIRContext *context);

/// The extent that such a name says where `lookup` knows that of each name in it; none for any other name, and below 0.
std::optional<int64_t> computeDimExtent(StringRef name, MLIRContext *context,
                                        llvm::function_ref<std::optional<int64_t>(StringRef)> lookup);

/// For an attribute of that name; a diagnostic at `op` for another form or number of names.
LogicalResult verifyDimNames(Operation *op, Attribute names, unsigned argument);

} // namespace mlir::fuse

#endif // FUSE_IR_DIMNAMES_H
