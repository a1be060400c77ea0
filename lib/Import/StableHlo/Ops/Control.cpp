//===- Control.cpp - Calls, branches, and calls of others -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../../Common/ComputedNumbers.h"
#include "../GraphImporter.h"
#include "Loops.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::stablehlo;

static LogicalResult importCall(Node &n) {
  GraphImporter &importer = n.getImporter();
  auto call = dyn_cast<func::CallOp>(n.getOperation());
  func::FuncOp callee = call ? importer.findFunction(call.getCallee()) : func::FuncOp();
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return n.fail("expected a function of one block to be called");
  Block &body = callee.getBody().front();
  bool fits = body.getNumArguments() == n.getNumOperands();
  for (unsigned i = 0; fits && i < n.getNumOperands(); ++i)
    fits = body.getArgument(i).getType() == n.getOperation()->getOperand(i).getType();
  if (!fits)
    return n.fail("expected arguments of the types that the function has");
  if (!importer.takeCall(callee))
    return n.fail("the program's calls make more ops of it than are imported");
  FailureOr<SmallVector<ModelValue>> results = importer.importBlock(body, n.getOperands(), nullptr);
  if (failed(results))
    return failure();
  if (results->size() != n.getNumResults())
    return n.fail("expected " + Twine(n.getNumResults()) + " results, found " + Twine(results->size()));
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (!importer.bodyShape && result.type && result.type != n.getResultType(i))
      return n.fail("expected results of the types that the function has");
    (void)n.setValue(i, result);
  }
  return success();
}

//===- Branches -----------------------------------------------------------------------------===//

/// The branches' results, of which one is taken. A branch has no effects, so that all are computed where it is not
/// known which.
static LogicalResult importBranches(Node &n, ArrayRef<unsigned> regions, std::optional<double> known) {
  GraphImporter &importer = n.getImporter();
  FuseBuilder &b = n.b;
  auto import = [&](unsigned region) -> FailureOr<SmallVector<ModelValue>> {
    Region &branch = n.getOperation()->getRegion(region);
    if (!branch.hasOneBlock())
      return n.fail("expected branches of one block");
    FailureOr<SmallVector<ModelValue>> results = importer.importBlock(branch.front(), {}, importer.getScope());
    if (succeeded(results) && results->size() != n.getNumResults())
      return n.fail("expected branches of " + Twine(n.getNumResults()) + " results");
    return results;
  };
  if (known) {
    bool isInside = *known >= 0 && *known < double(regions.size());
    auto results = import(isInside ? regions[static_cast<size_t>(*known)] : regions.back());
    if (failed(results))
      return failure();
    for (auto [i, result] : llvm::enumerate(*results))
      (void)n.setValue(i, result);
    return success();
  }
  SmallVector<Value> values;
  for (size_t k = regions.size(); k-- > 0;) {
    FailureOr<SmallVector<ModelValue>> results = import(regions[k]);
    if (failed(results))
      return failure();
    Value isTaken;
    if (k + 1 < regions.size()) {
      Value index = n.part(0);
      isTaken =
          b.elementOf(index).isInteger(1) ? index : b.compare(ComparePredicate::Eq, index, static_cast<double>(k));
    }
    for (auto [i, result] : llvm::enumerate(*results)) {
      if (!result.type || result.type.getElementType() != n.getResultElement(i) ||
          result.type.getRank() != n.getResultType(i).getRank())
        return n.fail("expected branches whose results have the op's types");
      Value value = n.expand(result);
      if (!isTaken)
        values.push_back(value);
      else
        values[i] = b.select(isTaken, value, values[i]);
    }
  }
  for (auto [i, value] : llvm::enumerate(values))
    if (failed(n.setResult(i, value)))
      return failure();
  return success();
}

static LogicalResult importCase(Node &n) {
  unsigned count = n.getOperation()->getNumRegions();
  if (count == 0 || n.getRank(0) != 0 || !isa<IntegerType>(n.getElement(0)))
    return n.fail("expected branches, and an integer that says which");
  return importBranches(n, llvm::to_vector(llvm::seq<unsigned>(count)), n.getSplat(0));
}

static LogicalResult importIf(Node &n) {
  if (n.getOperation()->getNumRegions() != 2 || n.getRank(0) != 0 || !n.getElement(0).isInteger(1))
    return n.fail("expected two branches, and a boolean that says which");
  // The first one is taken where the condition holds.
  std::optional<double> known = n.getSplat(0);
  return importBranches(n, {0, 1}, known ? std::optional(*known != 0 ? 0.0 : 1.0) : std::nullopt);
}

//===- Calls of what is no function of the program ----------------------------------------------===//

/// A condition on shapes, as JAX states it of a program with open dimensions.
static LogicalResult importAssertion(Node &n) {
  if (n.getNumOperands() < 1 || !n.getOperand(0).type || n.getRank(0) != 0 || !n.getElement(0).isInteger(1))
    return n.fail("expected a boolean");
  std::optional<double> known = n.getSplat(0);
  if (known && *known != 0)
    return success();
  std::string text =
      StringRef(n.getString("error_message", "a condition on shapes does not hold")).take_front(300).str();
  if (known)
    return n.fail(text);
  if (!n.getOperand(0).condition) {
    if (n.getImporter().loop)
      return n.fail("expected conditions on shapes outside of loops");
    ImplicitLocOpBuilder &builder = n.b.getBuilder();
    Value flag = tensor::ExtractOp::create(builder, n.tensor(0), ValueRange());
    cf::AssertOp::create(builder, flag, n.getDescription() + ": " + text);
    return success();
  }
  auto [predicate, left, right] = *n.getOperand(0).condition;
  auto atLeast = [&](AffineExpr x, AffineExpr y) {
    n.assumeAtLeast(x, y);
    if (y == n.getConstant(1))
      n.getImporter().positive.insert(simplifyExtent(x));
    return success();
  };
  switch (predicate) {
  case ComparePredicate::Ge:
    return atLeast(left, right);
  case ComparePredicate::Gt:
    return atLeast(left, right + 1);
  case ComparePredicate::Le:
    return atLeast(right, left);
  case ComparePredicate::Lt:
    return atLeast(right, left + 1);
  case ComparePredicate::Eq:
    n.assumeEqual(left, right);
    return success();
  case ComparePredicate::Ne:
    return success(); // what is built does not depend on it
  }
  return success();
}

static LogicalResult importCustomCall(Node &n) {
  std::string target = n.getString("call_target_name");
  if (target == "shape_assertion")
    return importAssertion(n);
  if (target == "fuse.weight") {
    std::string name = n.getString("backend_config");
    if (n.getNumResults() != 1 || !n.getResultType().hasStaticShape())
      return n.fail("expected one result of a static shape");
    FailureOr<Value> weight = n.getImporter().getWeight(name, n.getResultType(), n.b.getLoc());
    return failed(weight) ? failure() : n.setResult(*weight);
  }
  bool isMark = llvm::is_contained(
      {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement", "LayoutConstraint"},
      target);
  if (isMark && n.getNumOperands() == 1 && n.getNumResults() == 1)
    return n.setValue(0, n.getOperand(0));
  return n.fail("calls of " + quote(target) + " are not supported");
}

void mlir::fuse::stablehlo::addControlOps(OpTable &table) {
  table.add("func.call", 0, importCall, /*isElementwise=*/true);
  table.add("case", 1, importCase);
  table.add("if", 1, importIf);
  table.add("while", 0, importWhile);
  table.add("custom_call", 0, importCustomCall);
}
