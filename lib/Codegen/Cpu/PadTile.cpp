//===- PadTile.cpp - A tile of a padded image, as a member lays it out -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PadTile.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isConstant(Value value, int64_t expected) {
  IntegerAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.getInt() == expected;
}

/// `value` as an expression of d0, the number of an iteration of the position's loop, and of its
/// symbols.
static AffineExpr describe(linalg::GenericOp op, Value value, BodyPosition &position) {
  MLIRContext *context = op.getContext();
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getAffineConstantExpr(constant.getInt(), context);
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != op.getBody()) {
    position.symbols.push_back(value);
    return getAffineSymbolExpr(position.symbols.size() - 1, context);
  }
  if (auto index = dyn_cast<linalg::IndexOp>(def)) {
    if (position.loop && *position.loop != index.getDim())
      return {};
    position.loop = index.getDim();
    return getAffineDimExpr(0, context);
  }
  SmallVector<AffineExpr> operands;
  for (Value operand : def->getOperands()) {
    operands.push_back(describe(op, operand, position));
    if (!operands.back())
      return {};
  }
  if (isa<arith::SubIOp>(def))
    return operands[0] - operands[1];
  if (isa<arith::AddIOp>(def))
    return operands[0] + operands[1];
  if (auto applied = dyn_cast<affine::AffineApplyOp>(def)) {
    AffineMap map = applied.getMap();
    auto all = ArrayRef(operands);
    return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                  all.drop_front(map.getNumDims()));
  }
  return {};
}

std::optional<BodyPosition> mlir::fuse::getBodyPosition(linalg::GenericOp op, Value value) {
  BodyPosition position;
  AffineExpr expr = describe(op, value, position);
  if (!expr)
    return std::nullopt;
  MLIRContext *context = op.getContext();
  auto at = [&](int64_t iteration) {
    return expr.replace(getAffineDimExpr(0, context), getAffineConstantExpr(iteration, context));
  };
  position.start = at(0);
  AffineExpr step = simplifyAffineExpr(at(1) - at(0), 0, position.symbols.size());
  if (step != getAffineConstantExpr(position.loop ? 1 : 0, context))
    return std::nullopt;
  return position;
}

namespace {

class Matcher {
public:
  explicit Matcher(linalg::GenericOp op) : op(op) { pad.op = op; }

  std::optional<PadTile> match() {
    if (!op->hasAttr(attr::kRecompute) || op.getNumDpsInputs() != 0 || op.getNumDpsInits() != 1 ||
        op.getNumReductionLoops() != 0 || !op.getIndexingMapsArray().front().isIdentity())
      return std::nullopt;
    auto choice = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
    if (!choice || !matchPattern(choice.getFalseValue(), m_Constant()))
      return std::nullopt;
    load = choice.getTrueValue().getDefiningOp<memref::LoadOp>();
    if (!load || load->getBlock() != op.getBody() || !collectConditions(choice.getCondition()))
      return std::nullopt;
    unsigned numPadded = 0;
    for (auto [dim, at] : llvm::enumerate(load.getIndices())) {
      unsigned loop = 0;
      std::optional<PadTile::Dimension> dimension = matchIndex(at, dim, loop);
      if (!dimension || loop != dim)
        return std::nullopt;
      numPadded += dimension->isPadded;
      pad.dimensions.push_back(*dimension);
    }
    // Each condition is about one padded dimension.
    if (pad.dimensions.size() != op.getNumLoops() || numPadded != conditions.size())
      return std::nullopt;
    pad.tile = op.getDpsInits().front();
    pad.source = load.getMemRef();
    pad.border = choice.getFalseValue();
    return pad;
  }

private:
  bool collectConditions(Value condition) {
    if (auto both = condition.getDefiningOp<arith::AndIOp>())
      return collectConditions(both.getLhs()) && collectConditions(both.getRhs());
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
      return false;
    conditions.push_back(compare);
    return true;
  }

  std::optional<PadTile::Dimension> matchIndex(Value at, unsigned dim, unsigned &loop) {
    PadTile::Dimension dimension;
    int64_t bound = dimension.size = load.getMemRefType().getDimSize(dim);
    if (auto lower = at.getDefiningOp<arith::MaxSIOp>()) {
      auto upper = lower.getLhs().getDefiningOp<arith::MinSIOp>();
      bool isClamped = upper && isConstant(lower.getRhs(), 0) && !ShapedType::isDynamic(bound) &&
                       isConstant(upper.getRhs(), bound - 1);
      if (!isClamped)
        return std::nullopt;
      at = upper.getLhs();
      // The clamp hides what the condition tells.
      if (llvm::none_of(conditions, [&](arith::CmpIOp compare) {
            return compare.getLhs() == at && isConstant(compare.getRhs(), bound);
          }))
        return std::nullopt;
      dimension.isPadded = true;
    }
    std::optional<BodyPosition> position = getBodyPosition(op, at);
    if (!position)
      return std::nullopt;
    // Of the only element nobody asks which it is.
    if (!position->loop && cast<MemRefType>(op.getDpsInits()[0].getType()).getDimSize(dim) != 1)
      return std::nullopt;
    loop = position->loop.value_or(dim);
    dimension.start = position->start;
    dimension.symbols = position->symbols;
    return dimension;
  }

  linalg::GenericOp op;
  memref::LoadOp load;
  SmallVector<arith::CmpIOp> conditions;
  PadTile pad;
};

} // namespace

std::optional<PadTile> PadTile::match(linalg::GenericOp op) { return Matcher(op).match(); }
