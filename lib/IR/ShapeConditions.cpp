//===- ShapeConditions.cpp - What must hold of the extents of a function's arguments ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/ShapeConditions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fuse;

ShapeConditions::ShapeConditions(FunctionOpInterface function, const SymbolicShapes &shapes)
    : function(function), shapes(shapes) {
  if (auto known = function->getAttrOfType<ArrayAttr>(kShapeConditions))
    all.insert_range(known.getValue());
}

LogicalResult ShapeConditions::add(AffineExpr one, AffineExpr other, bool isLeast, const Twine &text) {
  auto isArgument = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner()->getParentOp() == function && isa<ShapedType>(value.getType());
  };
  if (!shapes.isOf(one, isArgument) || !shapes.isOf(other, isArgument))
    return failure();
  SmallVector<int64_t> dims;
  DenseMap<AffineExpr, AffineExpr> renamed;
  MLIRContext *context = function.getContext();
  for (AffineExpr expr : {one, other})
    expr.walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol)
        return;
      ExtentSymbol source = shapes.getSource(symbol);
      AffineExpr extent = getAffineSymbolExpr(dims.size() / 2, context);
      if (renamed.try_emplace(part, source.getOf(extent)).second)
        dims.append({static_cast<int64_t>(cast<BlockArgument>(source.value).getArgNumber()), source.dim});
    });
  Builder builder(context);
  SmallVector<AffineExpr> results = {one.replace(renamed), other.replace(renamed)};
  SmallVector<NamedAttribute> entries = {
      builder.getNamedAttr("dims", builder.getDenseI64ArrayAttr(dims)),
      builder.getNamedAttr("map", AffineMapAttr::get(AffineMap::get(0, dims.size() / 2, results, context))),
      builder.getNamedAttr("text", builder.getStringAttr(text))};
  if (isLeast)
    entries.push_back(builder.getNamedAttr("least", builder.getUnitAttr()));
  // Several ops may say the same.
  auto isSame = [&](Attribute other) {
    auto known = cast<DictionaryAttr>(other);
    return known.get("dims") == entries[0].getValue() && known.get("map") == entries[1].getValue() &&
           known.contains("least") == isLeast;
  };
  if (llvm::none_of(all, isSame))
    all.insert(builder.getDictionaryAttr(entries));
  return success();
}

SmallVector<ShapeCheck> mlir::fuse::computeShapeConditions(FunctionOpInterface function, OpBuilder &builder) {
  SmallVector<ShapeCheck> checks;
  auto conditions = function->getAttrOfType<ArrayAttr>(kShapeConditions);
  if (!conditions)
    return checks;
  Location loc = function.getLoc();
  for (auto condition : conditions.getAsRange<DictionaryAttr>()) {
    SmallVector<Value> symbols;
    for (ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(condition.get("dims")).asArrayRef(); !dims.empty();
         dims = dims.drop_front(2)) {
      Value argument = function.getArgument(dims[0]);
      symbols.push_back(isa<MemRefType>(argument.getType())
                            ? memref::DimOp::create(builder, loc, argument, dims[1]).getResult()
                            : tensor::DimOp::create(builder, loc, argument, dims[1]).getResult());
    }
    AffineMap map = cast<AffineMapAttr>(condition.get("map")).getValue();
    auto compute = [&](unsigned i) -> Value {
      return affine::AffineApplyOp::create(builder, loc, map.getSubMap({i}), symbols);
    };
    Value got = compute(0), want = compute(1);
    if (condition.contains("least")) // the less of both is the one that is wanted
      got = arith::MinSIOp::create(builder, loc, got, want);
    checks.push_back({cast<StringAttr>(condition.get("text")).str(), got, want});
  }
  return checks;
}

/// One of the two expressions of a condition, with the extents that are known in the place of their symbols.
static AffineExpr substitute(DictionaryAttr condition, unsigned i, FindExtent find) {
  AffineMap map = cast<AffineMapAttr>(condition.get("map")).getValue();
  ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(condition.get("dims")).asArrayRef();
  SmallVector<AffineExpr> extents;
  for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol) {
    std::optional<int64_t> known = find(dims[2 * symbol], dims[2 * symbol + 1]);
    MLIRContext *context = condition.getContext();
    extents.push_back(known ? getAffineConstantExpr(*known, context) : getAffineSymbolExpr(symbol, context));
  }
  return simplifyAffineExpr(map.getResult(i).replaceSymbols(extents), 0, map.getNumSymbols());
}

/// Whether an expression is 0 for some integers: of 16 * s0 - 1 it is for none.
static bool mayBeZero(AffineExpr expr) {
  AffineExpr rest = expr;
  int64_t plus = 0;
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue() == 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr); sum && expr.getKind() == AffineExprKind::Add)
    if (auto number = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      plus = number.getValue();
      rest = sum.getLHS();
    }
  return plus % rest.getLargestKnownDivisor() == 0;
}

bool mlir::fuse::mayHold(ArrayAttr conditions, FindExtent find) {
  if (!conditions)
    return true;
  return llvm::all_of(conditions.getAsRange<DictionaryAttr>(), [&](DictionaryAttr condition) {
    AffineExpr one = substitute(condition, 0, find), other = substitute(condition, 1, find);
    unsigned numSymbols = cast<AffineMapAttr>(condition.get("map")).getValue().getNumSymbols();
    AffineExpr difference = simplifyAffineExpr(one - other, 0, numSymbols);
    if (!condition.contains("least"))
      return mayBeZero(difference);
    auto number = dyn_cast<AffineConstantExpr>(difference);
    return !number || number.getValue() >= 0;
  });
}

void mlir::fuse::forEachComputedDim(
    ArrayAttr conditions, FindExtent find,
    llvm::function_ref<void(int64_t argument, int64_t dim, std::optional<int64_t> extent)> act) {
  if (!conditions)
    return;
  llvm::DenseSet<std::pair<int64_t, int64_t>> seen;
  for (auto condition : conditions.getAsRange<DictionaryAttr>()) {
    AffineMap map = cast<AffineMapAttr>(condition.get("map")).getValue();
    ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(condition.get("dims")).asArrayRef();
    for (unsigned side = 0; side < 2 && !condition.contains("least"); ++side) {
      auto symbol = dyn_cast<AffineSymbolExpr>(map.getResult(side));
      AffineExpr other = map.getResult(1 - side);
      if (!symbol || isa<AffineSymbolExpr>(other) || other.isFunctionOfSymbol(symbol.getPosition()))
        continue;
      int64_t argument = dims[2 * symbol.getPosition()], dim = dims[2 * symbol.getPosition() + 1];
      if (!seen.insert({argument, dim}).second)
        continue;
      auto number = dyn_cast<AffineConstantExpr>(substitute(condition, 1 - side, find));
      act(argument, dim, number ? std::optional(number.getValue()) : std::nullopt);
      break;
    }
  }
}

void mlir::fuse::assertShape(OpBuilder &builder, Location loc, const SymbolicShapes &shapes, AffineExpr one,
                             AffineExpr other, bool isLeast, const Twine &text) {
  auto compute = [&](AffineExpr expr) {
    return getValueOrCreateConstantIndexOp(builder, loc, shapes.materialize(builder, loc, expr));
  };
  auto predicate = isLeast ? arith::CmpIPredicate::sge : arith::CmpIPredicate::eq;
  Value holds = arith::CmpIOp::create(builder, loc, predicate, compute(one), compute(other));
  cf::AssertOp::create(builder, loc, holds, text.str());
}

void ShapeConditions::setAttribute() {
  if (!all.empty())
    function->setAttr(kShapeConditions, ArrayAttr::get(function.getContext(), all.getArrayRef()));
}
