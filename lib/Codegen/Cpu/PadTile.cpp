//===- PadTile.cpp - A tile of a padded image, as a member lays it out -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PadTile.h"
#include "../Kernel/BodyAccess.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

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
    if (!choice || isInBody(choice.getFalseValue()) ||
        !matchPattern(choice.getFalseValue(), m_Constant()))
      return std::nullopt;
    pad.tile = op.getDpsInits().front();
    pad.border = choice.getFalseValue();
    pad.element = choice.getTrueValue();
    pad.dimensions.resize(op.getNumLoops());
    if (!collectConditions(choice.getCondition()) || !placeConditions() || !collect(pad.element) ||
        !llvm::all_of(loads, [&](memref::LoadOp load) { return matchRead(load); }))
      return std::nullopt;
    if (isCopy())
      pad.source = pad.reads.front().load.getMemRef();
    return pad;
  }

private:
  /// `position` lies below `size`, as it does along dimension `loop` of what is inside.
  struct Condition {
    Value value;
    BodyPosition position;
    int64_t size;
    unsigned loop = 0;
  };

  bool isInBody(Value value) { return value.getParentBlock() == op.getBody(); }

  /// The only element along `loop`: nobody asks which it is.
  bool isSingle(unsigned loop) {
    return cast<MemRefType>(pad.tile.getType()).getDimSize(loop) == 1;
  }

  bool collectConditions(Value condition) {
    if (auto both = condition.getDefiningOp<arith::AndIOp>())
      return collectConditions(both.getLhs()) && collectConditions(both.getRhs());
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    IntegerAttr size;
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult ||
        !matchPattern(compare.getRhs(), m_Constant(&size)) || size.getInt() <= 0)
      return false;
    std::optional<BodyPosition> position = getBodyPosition(op, compare.getLhs());
    if (position)
      conditions.push_back({compare.getLhs(), *position, size.getInt()});
    return position.has_value();
  }

  /// Finds a dimension for each condition, one of its own.
  bool placeConditions() {
    // Those that count along a loop have no choice.
    auto hasLoop = [](const Condition &condition) { return condition.position.loop.has_value(); };
    llvm::partition(conditions, hasLoop);
    for (Condition &condition : conditions) {
      auto isFree = [&](unsigned loop) {
        return !pad.dimensions[loop].isPadded && (hasLoop(condition) || isSingle(loop));
      };
      condition.loop = hasLoop(condition) ? *condition.position.loop : getIndexed(condition.value);
      if (!hasLoop(condition) && !isFree(condition.loop)) {
        auto loops = llvm::seq<unsigned>(0, op.getNumLoops());
        if (auto free = llvm::find_if(loops, isFree); free != loops.end())
          condition.loop = *free;
      }
      if (!isFree(condition.loop))
        return false;
      pad.dimensions[condition.loop] = {condition.position.start, condition.position.symbols,
                                        /*isPadded=*/true, condition.size};
    }
    return true;
  }

  /// The dimension that a load has `position` as its index of, if the tile has it, too; else 0.
  unsigned getIndexed(Value position) {
    for (memref::LoadOp load : op.getBody()->getOps<memref::LoadOp>())
      for (auto [dim, index] : llvm::enumerate(load.getIndices()))
        if (dim < op.getNumLoops() && getUnclamped(index).value_or(nullptr) == position)
          return dim;
    return 0;
  }

  /// The position that max(min(position, size - 1), 0) is made of, and size.
  std::optional<Value> getUnclamped(Value index, int64_t *size = nullptr) {
    auto lower = index.getDefiningOp<arith::MaxSIOp>();
    auto upper = lower ? lower.getLhs().getDefiningOp<arith::MinSIOp>() : nullptr;
    IntegerAttr last;
    if (!upper || !isConstant(lower.getRhs(), 0) ||
        !matchPattern(upper.getRhs(), m_Constant(&last)))
      return std::nullopt;
    if (size)
      *size = last.getInt() + 1;
    return upper.getLhs();
  }

  /// Notes the loads that `value` is computed from. Where it is computed may matter to them alone.
  bool collect(Value value) {
    if (!isInBody(value))
      return true;
    Operation *def = value.getDefiningOp();
    if (!def || isa<linalg::IndexOp>(def))
      return false;
    if (auto load = dyn_cast<memref::LoadOp>(def)) {
      loads.insert(load);
      return true;
    }
    if (!isMemoryEffectFree(def) || def->getNumRegions() != 0)
      return false;
    return !seen.insert(def).second ||
           llvm::all_of(def->getOperands(), [&](Value operand) { return collect(operand); });
  }

  bool matchRead(memref::LoadOp load) {
    if (isInBody(load.getMemRef()) || getBase(load.getMemRef()) == getBase(pad.tile))
      return false;
    PadTile::Read read{load, {}};
    for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
      std::optional<BodyPosition> position = matchIndex(index);
      if (!position)
        return false;
      if (!position->loop && load.getIndices().size() == op.getNumLoops() && isSingle(dim))
        position->loop = dim;
      if (position->loop)
        if (PadTile::Dimension &dimension = pad.dimensions[*position->loop]; !dimension.start) {
          dimension.start = position->start;
          dimension.symbols = position->symbols;
        }
      read.indices.push_back(*position);
    }
    pad.reads.push_back(read);
    return true;
  }

  std::optional<BodyPosition> matchIndex(Value index) {
    int64_t size = 0;
    std::optional<Value> unclamped = getUnclamped(index, &size);
    if (!unclamped)
      return getBodyPosition(op, index);
    // The clamp hides what a condition tells.
    auto condition = llvm::find_if(conditions, [&](const Condition &condition) {
      return condition.value == *unclamped && condition.size == size;
    });
    if (condition == conditions.end())
      return std::nullopt;
    BodyPosition position = condition->position;
    position.loop = condition->loop;
    return position;
  }

  bool isCopy() {
    if (pad.reads.size() != 1 || pad.element != pad.reads.front().load.getResult() ||
        pad.reads.front().indices.size() != op.getNumLoops())
      return false;
    for (auto [dim, index] : llvm::enumerate(pad.reads.front().indices))
      if (index.loop != dim || index.start != pad.dimensions[dim].start ||
          index.symbols != pad.dimensions[dim].symbols)
        return false;
    return true;
  }

  linalg::GenericOp op;
  SmallVector<Condition> conditions;
  llvm::SetVector<memref::LoadOp> loads;
  llvm::SmallPtrSet<Operation *, 16> seen;
  PadTile pad;
};

} // namespace

std::optional<PadTile> PadTile::match(linalg::GenericOp op) { return Matcher(op).match(); }
