//===- Preparation.cpp - What a function computes of its parameters once ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Preparation.h"

#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::fuse;

FailureOr<func::FuncOp> mlir::fuse::getPreparation(func::FuncOp function) {
  SmallVector<Type> given, prepared;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (function.getArgAttr(i, attr::kPrepared))
      prepared.push_back(type);
    else if (function.getArgAttr(i, attr::kParam))
      given.push_back(type);
  auto symbol = function->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare);
  if (prepared.empty() == static_cast<bool>(symbol))
    return function.emitError() << "expected '" << attr::kPrepare << "' on a function that has "
                                << "arguments marked '" << attr::kPrepared << "', and on no other";
  if (!symbol)
    return func::FuncOp();
  auto prepare =
      function->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(symbol.getValue());
  auto expected = FunctionType::get(function.getContext(), given, prepared);
  if (prepare && prepare != function && !prepare.isExternal() &&
      prepare.getFunctionType() == expected)
    return prepare;
  InFlightDiagnostic error = function.emitError()
                             << "expected @" << symbol.getValue() << ", which '" << attr::kPrepare
                             << "' names, to be a function " << expected << " with a body, found ";
  if (!prepare)
    error << "none";
  else if (prepare.isExternal())
    error << "a declaration";
  else
    error << prepare.getFunctionType();
  return error;
}

bool mlir::fuse::isGivenParameter(func::FuncOp function, unsigned argument) {
  return function.getArgAttr(argument, attr::kParam) && !function.getArgAttr(argument, attr::kPrepared);
}

func::FuncOp mlir::fuse::createPreparation(func::FuncOp function, SymbolTable &symbols) {
  OpBuilder builder(function);
  SmallVector<Type> inputs;
  SmallVector<DictionaryAttr> attributes;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isGivenParameter(function, i))
      continue;
    inputs.push_back(type);
    attributes.push_back(function.getArgAttrDict(i));
  }
  auto prepare = func::FuncOp::create(function.getLoc(), (function.getName() + "_prepare").str(),
                                      builder.getFunctionType(inputs, {}));
  prepare.setAllArgAttrs(attributes);
  // Renames it where the name is taken.
  symbols.insert(prepare, std::next(Block::iterator(function)));
  OpBuilder inside = OpBuilder::atBlockEnd(prepare.addEntryBlock());
  func::ReturnOp::create(inside, function.getLoc());
  function->setAttr(attr::kPrepare, FlatSymbolRefAttr::get(prepare.getNameAttr()));
  return prepare;
}

bool mlir::fuse::canPrepare(func::FuncOp function) {
  if (!function.isPublic() || function.isExternal() || !function.getBody().hasOneBlock())
    return false;
  auto uses = SymbolTable::getSymbolUses(function, function->getParentOfType<ModuleOp>());
  auto isPreparation = [&](Operation *user) {
    auto symbol = user->getAttrOfType<FlatSymbolRefAttr>(attr::kPrepare);
    return symbol && symbol.getAttr() == function.getNameAttr();
  };
  return uses && llvm::all_of(*uses, [&](SymbolTable::SymbolUse use) {
           return isa<func::FuncOp>(use.getUser()) && !isPreparation(use.getUser());
         });
}
