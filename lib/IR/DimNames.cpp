//===- DimNames.cpp - Names of open dimensions ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

StringRef mlir::fuse::getDimName(FunctionOpInterface function, unsigned argument, int64_t dim) {
  auto names = function.getArgAttrOfType<ArrayAttr>(argument, attr::kDimNames);
  if (!names || dim >= static_cast<int64_t>(names.size()))
    return "";
  return cast<StringAttr>(names[dim]).getValue();
}

std::string mlir::fuse::getArgumentName(FunctionOpInterface function, unsigned argument) {
  auto given = function.getArgAttrOfType<StringAttr>(argument, attr::kName);
  return given ? given.getValue().str() : "arg" + std::to_string(argument);
}

std::string mlir::fuse::getDimPlace(FunctionOpInterface function, unsigned argument, int64_t dim) {
  return getArgumentName(function, argument) + ":" + std::to_string(dim);
}

std::string mlir::fuse::describeDim(FunctionOpInterface function, unsigned argument, int64_t dim) {
  StringRef name = getDimName(function, argument, dim);
  std::string text = "dimension " + std::to_string(dim);
  return name.empty() ? text : text + " (" + name.str() + ")";
}

std::string mlir::fuse::getDimOption(StringRef name) {
  bool isWord = llvm::all_of(
      name, [](char c) { return llvm::isAlnum(c) || StringRef("_-.:/+,@%").contains(c); });
  if (isWord)
    return "--dim " + name.str() + "=N";
  // What is not ASCII may well be UTF-8.
  std::string text = "--dim '";
  for (char c : name) {
    if (static_cast<unsigned char>(c) >= 32 && c != 127)
      text += c;
    else
      text += {'\\', 'x', llvm::hexdigit((c >> 4) & 15), llvm::hexdigit(c & 15)};
  }
  return text + "=N'";
}

std::optional<DimExpression> mlir::fuse::parseDimExpression(StringRef name, MLIRContext *context) {
  constexpr size_t kMostCharacters = 256;
  auto isLetter = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  auto isNamePart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  if (name.size() > kMostCharacters || llvm::all_of(name, isNamePart))
    return std::nullopt;
  // The same as the text of an affine expression, each name as a symbol.
  DimExpression found;
  std::string text;
  for (StringRef rest = name; !rest.empty();) {
    if (isLetter(rest.front())) {
      StringRef word = rest.take_while(isNamePart);
      const auto *it = llvm::find(found.names, word);
      text += "s" + std::to_string(it - found.names.begin());
      if (it == found.names.end())
        found.names.push_back(word.str());
      rest = rest.drop_front(word.size());
    } else if (rest.consume_front("//")) {
      text += " floordiv ";
    } else if (llvm::isDigit(rest.front()) || StringRef(" +-*()").contains(rest.front())) {
      text += rest.front();
      rest = rest.drop_front();
    } else {
      return std::nullopt;
    }
  }
  if (found.names.empty())
    return std::nullopt;
  std::string symbols;
  for (size_t i = 0; i < found.names.size(); ++i)
    symbols += (i ? ", s" : "s") + std::to_string(i);
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  auto map = dyn_cast_or_null<AffineMapAttr>(
      parseAttribute("affine_map<()[" + symbols + "] -> (" + text + ")>", context));
  if (!map || map.getValue().getNumResults() != 1)
    return std::nullopt;
  found.extent = map.getValue().getResult(0);
  bool dividesByNumbers = true;
  found.extent.walk([&](AffineExpr part) {
    auto quotient = dyn_cast<AffineBinaryOpExpr>(part);
    if (!quotient || part.getKind() == AffineExprKind::Add || part.getKind() == AffineExprKind::Mul)
      return;
    auto divisor = dyn_cast<AffineConstantExpr>(quotient.getRHS());
    dividesByNumbers &= divisor && divisor.getValue() > 0;
  });
  return dividesByNumbers ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<int64_t> mlir::fuse::computeDimExtent(StringRef name, MLIRContext *context,
                                                    llvm::function_ref<std::optional<int64_t>(StringRef)> lookup) {
  std::optional<DimExpression> expression = parseDimExpression(name, context);
  if (!expression)
    return std::nullopt;
  SmallVector<AffineExpr> values;
  for (const std::string &part : expression->names) {
    std::optional<int64_t> known = lookup(part);
    if (!known)
      return std::nullopt;
    values.push_back(getAffineConstantExpr(*known, context));
  }
  auto extent = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(expression->extent.replaceSymbols(values), 0, 0));
  return extent && extent.getValue() >= 0 ? std::optional(extent.getValue()) : std::nullopt;
}

LogicalResult mlir::fuse::verifyDimNames(Operation *op, Attribute names, unsigned argument) {
  auto list = dyn_cast<ArrayAttr>(names);
  if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return op->emitError() << "attribute '" << attr::kDimNames << "' of argument " << argument
                           << " expects an array of strings, found " << names;
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto type = function ? dyn_cast<ShapedType>(function.getArgumentTypes()[argument]) : ShapedType();
  if (!type || !type.hasRank())
    return op->emitError() << "attribute '" << attr::kDimNames
                           << "' belongs on an argument that has a shape";
  if (static_cast<int64_t>(list.size()) != type.getRank())
    return op->emitError() << "attribute '" << attr::kDimNames << "' of argument " << argument
                           << " expects one name for each of " << type.getRank()
                           << " dimensions, found " << list.size();
  return success();
}
