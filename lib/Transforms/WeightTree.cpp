//===- WeightTree.cpp - The weights of a product as a tree over parameters -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WeightTree.h"
#include "RoundedRows.h"
#include "fuse/Analysis/PartialSums.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// Ops that weights are computed with, at most.
static constexpr unsigned kMostOps = 64;
/// Bits of the words that numbers of fewer than eight bits are packed into.
static constexpr int64_t kWordBits = 32;
/// Numbers that so many words hold are steps of one group where no scale says how long a group is.
static constexpr int64_t kGroupWords = 4;

static bool isView(Operation *op) {
  return isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp, BroadcastOp>(op);
}

static bool isElementwise(Operation *op) {
  auto fusable = dyn_cast_if_present<FusableOpInterface>(op);
  return fusable && fusable.isElementwise() && op->getNumResults() == 1 && isMemoryEffectFree(op);
}

WeightTree::WeightTree(func::FuncOp function, MatmulOp product)
    : function(function), product(product) {
  auto type = FuseBuilder::typeOf(product.getRhs());
  bool isTurned = product.getTransposeRhs();
  steps = type.getDimSize(isTurned ? 1 : 0);
  columns = type.getDimSize(isTurned ? 0 : 1);
  LoopDigit k{0, 1, steps}, n{1, 1, columns};
  root.dims = isTurned ? SmallVector<SmallVector<LoopDigit, 2>>{{n}, {k}}
                       : SmallVector<SmallVector<LoopDigit, 2>>{{k}, {n}};
}

std::string WeightTree::check() {
  std::string reason = visit(product.getRhs(), root);
  if (!reason.empty())
    return reason;
  if (numShort != 1)
    return numShort == 0 ? "weights are not computed from shorter numbers"
                         : "weights are computed from several tensors";
  // A group of steps has one scale, and whole words.
  if (group == 0)
    group = bits < 8 ? kGroupWords * kWordBits / bits : steps;
  if (bits < 8 && group % (kWordBits / bits) != 0)
    bits = 8;
  paddedSteps = llvm::alignTo(steps, group);
  return "";
}

Value WeightTree::build(FuseBuilder &b, Value x, int64_t columnsOfBlock) {
  block = columnsOfBlock;
  blocks = llvm::divideCeil(columns, block);
  words = bits < 8 ? group * bits / kWordBits : group;
  perWord = bits < 8 ? kWordBits / bits : 1;
  shape = {blocks, paddedSteps / group, words, perWord, block};
  int64_t rows = FuseBuilder::shapeOf(x)[0];
  Value weights = b.reshape(rebuild(b, product.getRhs(), root), {blocks, paddedSteps, block});
  x = b.broadcast(padSteps(b, x), {0}, {blocks});
  auto type =
      RankedTensorType::get({blocks, rows, block}, getElementTypeOrSelf(product.getType()));
  Value result = MatmulOp::create(b.getBuilder(), type, x, weights, false, false);
  return joinBlocks(b, result);
}

Value WeightTree::buildRounded(FuseBuilder &b, Value x, int64_t columnsOfBlock, int64_t digits, StringRef label) {
  RoundedProduct rounded;
  rounded.digits = digits;
  rounded.bits = bits;
  rounded.group = group;
  rounded.groups = paddedSteps / group;
  rounded.block = block = columnsOfBlock;
  rounded.blocks = blocks = llvm::divideCeil(columns, block);
  if (bits > 8 || !rounded.hasWholeWords() || !rounded.fitsSums())
    return {};
  // Outermost first: scales, a zero point, the conversion, and views between them.
  auto read = [&](Value value, const WeightAccess &at) {
    Value leaf = rebuildLeaf(b, value, at, *at.getRun());
    ArrayRef<int64_t> seen = FuseBuilder::shapeOf(leaf);
    return seen.empty() ? leaf : b.reshape(leaf, {seen[0], seen[1], 1, seen[4]});
  };
  Value value = product.getRhs();
  WeightAccess access = root;
  while (!isShortAt(value.getDefiningOp(), access)) {
    Operation *op = value.getDefiningOp();
    auto binary = dyn_cast<BinaryOp>(op);
    unsigned next = 0;
    if (binary) {
      WeightAccess sides[] = {*access.through(op, 0), *access.through(op, 1)};
      next = isFull(*sides[0].getRun()) ? 0 : 1;
      Value other = op->getOperand(1 - next);
      if (isFull(*sides[1 - next].getRun()) || rounded.zero)
        return {};
      if (binary.getKind() == BinaryKind::Mul)
        rounded.scales.push_back(read(other, sides[1 - next]));
      else if (binary.getKind() == BinaryKind::Sub && next == 0)
        rounded.zero = read(other, sides[1]);
      else
        return {};
    } else if (!isView(op)) {
      return {};
    }
    access = *access.through(op, next);
    value = op->getOperand(next);
  }
  Operation *cast = value.getDefiningOp();
  if (!isa<IntegerType>(getElementTypeOrSelf(cast->getOperand(0))))
    return {};
  rounded.least = std::min<int64_t>(0, getShortRange(cast).first);
  rounded.numbers = access.toMatrix(b, cast->getOperand(0));
  return joinBlocks(b, rounded.build(b, padSteps(b, x), label));
}

bool WeightTree::keepsOrder() const {
  int64_t perWord = bits < 8 ? kWordBits / bits : 1;
  return haveSamePartialSums({steps}, {paddedSteps / group, group / perWord, perWord});
}

Value WeightTree::padSteps(FuseBuilder &b, Value x) const {
  return paddedSteps > steps ? b.pad(x, {0, 0}, {0, paddedSteps - steps}, 0.0) : x;
}

Value WeightTree::joinBlocks(FuseBuilder &b, Value result) const {
  return b.reshape(b.transpose(result, {1, 0, 2}), {FuseBuilder::shapeOf(result)[1], blocks * block});
}

bool WeightTree::isParameter(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &function.front() &&
           function.getArgAttr(argument.getArgNumber(), attr::kParam);
  Operation *op = value.getDefiningOp();
  if (matchPattern(op, m_Constant()))
    return true;
  return ++numOps <= kMostOps && op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         isMemoryEffectFree(op) && FuseBuilder::typeOf(value).hasStaticShape() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isa<RankedTensorType>(operand.getType()) && isParameter(operand);
         });
}

std::string WeightTree::visit(Value value, const WeightAccess &access) {
  std::optional<WeightAccess::Run> run = access.getRun();
  if (!run || (run->columns > 1))
    return "a number of the weights is not for steps and columns one behind the other";
  Operation *op = value.getDefiningOp();
  if (isFull(*run) && isView(op))
    return visitOperand(op, 0, access);
  if (isFull(*run) && isElementwise(op) && !isShortAt(op, access)) {
    for (unsigned number = 0; number < op->getNumOperands(); ++number)
      if (std::string reason = visitOperand(op, number, access); !reason.empty())
        return reason;
    return "";
  }
  if (!isParameter(value))
    return "weights are not computed from parameters";
  if (isFull(*run)) {
    if (!isShortAt(op, access))
      return "weights are stored in the type that the product reads";
    ++numShort;
    auto [least, most] = getShortRange(op);
    bits = getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth();
    for (int64_t few : {4, 2})
      if (isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))) &&
          most - least < (int64_t(1) << few))
        bits = few;
  } else if (run->steps > 0) {
    group = std::gcd(group, run->steps);
  }
  return "";
}

std::string WeightTree::visitOperand(Operation *op, unsigned number, const WeightAccess &access) {
  std::optional<WeightAccess> next = access.through(op, number);
  return next ? visit(op->getOperand(number), *next)
              : "weights are read through a view that cuts them unevenly";
}

bool WeightTree::isShort(Operation *op) {
  auto cast = dyn_cast_if_present<CastOp>(op);
  if (!cast || !isa<FloatType>(getElementTypeOrSelf(cast.getType())))
    return false;
  Type from = getElementTypeOrSelf(cast.getOperand());
  constexpr unsigned kMostBits = 16;
  return from.getIntOrFloatBitWidth() <= kMostBits && !from.isInteger(1) &&
         from.getIntOrFloatBitWidth() <
             getElementTypeOrSelf(cast.getType()).getIntOrFloatBitWidth();
}

bool WeightTree::isShortAt(Operation *op, WeightAccess access) {
  if (!isShort(op))
    return false;
  for (std::optional<WeightAccess> next = access.through(op, 0);; next = access.through(op, 0)) {
    if (!next || !next->getRun() || !isFull(*next->getRun()))
      return false;
    access = *next;
    Value source = op->getOperand(0);
    op = source.getDefiningOp();
    if (!isView(op))
      return true;
  }
}

std::pair<int64_t, int64_t> WeightTree::getShortRange(Operation *op) {
  Value numbers = op->getOperand(0);
  return isa<IntegerType>(getElementTypeOrSelf(numbers)) ? getIntegerRange(numbers)
                                                         : std::pair<int64_t, int64_t>(0, 0);
}

Value WeightTree::keep(Value value) {
  if (Operation *op = value.getDefiningOp(); !isView(op) && !matchPattern(op, m_Constant()))
    op->setAttr(attr::kWidened, UnitAttr::get(op->getContext()));
  return value;
}

Value WeightTree::rebuild(FuseBuilder &b, Value value, const WeightAccess &access) {
  Operation *op = value.getDefiningOp();
  WeightAccess::Run run = *access.getRun();
  if (isFull(run) && isView(op))
    return rebuild(b, op->getOperand(0), *access.through(op, 0));
  if (!isFull(run))
    return rebuildLeaf(b, value, access, run);
  if (isShortAt(op, access))
    return widen(b, op, access);
  if (Value signedNumbers = widenSigned(b, op, access))
    return signedNumbers;
  IRMapping mapping;
  SmallVector<int64_t> extents;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    Value made = rebuild(b, operand, *access.through(op, number));
    mapping.map(operand, made);
    ArrayRef<int64_t> own = FuseBuilder::shapeOf(made);
    extents.resize(std::max(extents.size(), own.size()), 1);
    for (auto [extent, of] : llvm::zip_equal(MutableArrayRef(extents).take_back(own.size()), own))
      extent = std::max(extent, of);
  }
  Operation *clone = b.getBuilder().clone(*op, mapping);
  clone->getResult(0).setType(RankedTensorType::get(extents, getElementTypeOrSelf(value)));
  return keep(clone->getResult(0));
}

Value WeightTree::layOut(FuseBuilder &b, Value matrix, int64_t rows) {
  int64_t width = FuseBuilder::shapeOf(matrix)[1], wanted = width == 1 ? 1 : blocks * block;
  SmallVector<int64_t> have(FuseBuilder::shapeOf(matrix)), want = {rows, wanted}, low(2, 0),
                                                           high(2, 0);
  for (unsigned dim : {0, 1}) {
    if (have[dim] > want[dim])
      matrix = b.slice(matrix, dim, 0, want[dim]);
    high[dim] = std::max<int64_t>(0, want[dim] - have[dim]);
  }
  if (high[0] || high[1])
    matrix = b.pad(matrix, low, high, 0.0);
  matrix = b.reshape(matrix, {rows, width == 1 ? 1 : blocks, width == 1 ? 1 : block});
  matrix = b.transpose(matrix, {1, 0, 2});
  return CopyOp::create(b.getBuilder(), FuseBuilder::typeOf(matrix), matrix);
}

Value WeightTree::rebuildLeaf(FuseBuilder &b, Value value, const WeightAccess &access,
                  const WeightAccess::Run &run) {
  if (matchPattern(value, m_Constant()) && FuseBuilder::typeOf(value).getNumElements() == 1)
    return b.reshape(value, ArrayRef<int64_t>());
  Type element = FuseBuilder::elementOf(value);
  Value stored = value;
  WeightAccess at = access;
  while (isView(stored.getDefiningOp())) {
    Operation *view = stored.getDefiningOp();
    std::optional<WeightAccess> next = at.through(view, 0);
    if (!next || !next->getRun() || next->getRun()->steps != run.steps ||
        next->getRun()->columns != run.columns)
      break;
    at = *next;
    stored = view->getOperand(0);
  }
  Operation *op = stored.getDefiningOp();
  bool isWidened = isShort(op);
  if (isWidened) // element-wise, at the same positions
    stored = op->getOperand(0);
  else
    stored = value, at = access;
  Value matrix = at.toMatrix(b, stored);
  int64_t groups = run.steps == 0 ? 1 : paddedSteps / group;
  if (int64_t times = run.steps == 0 ? 1 : run.steps / group; times > 1) {
    SmallVector<int64_t> have(FuseBuilder::shapeOf(matrix));
    matrix = b.reshape(b.broadcast(matrix, {1}, {times}), {have[0] * times, have[1]});
  }
  Value laid = layOut(b, matrix, groups);
  SmallVector<int64_t> seen = {FuseBuilder::shapeOf(laid)[0], groups, 1, 1,
                               FuseBuilder::shapeOf(laid)[2]};
  laid = b.reshape(laid, seen);
  return isWidened ? keep(b.cast(laid, element)) : laid;
}

Value WeightTree::widenSigned(FuseBuilder &b, Operation *op, const WeightAccess &access) {
  auto difference = dyn_cast<BinaryOp>(op);
  DenseFPElementsAttr offset;
  if (!difference || difference.getKind() != BinaryKind::Sub || bits != 8 ||
      !matchPattern(difference.getRhs(), m_Constant(&offset)) || !offset.isSplat())
    return {};
  Value numbers = difference.getLhs();
  WeightAccess at = *access.through(op, 0);
  for (; isView(numbers.getDefiningOp()); numbers = numbers.getDefiningOp()->getOperand(0))
    at = *at.through(numbers.getDefiningOp(), 0);
  auto cast = numbers.getDefiningOp<CastOp>();
  APSInt by(64, /*isUnsigned=*/false);
  bool isExact = false;
  if (!isShort(cast) ||
      offset.getSplatValue<APFloat>().convertToInteger(by, APFloat::rmTowardZero, &isExact) ||
      !isExact || !isa<IntegerType>(getElementTypeOrSelf(cast.getOperand())))
    return {};
  auto [least, most] = getShortRange(cast);
  Type i32 = b.getBuilder().getI32Type(), i8 = b.getBuilder().getIntegerType(8);
  if (least - by.getExtValue() < std::numeric_limits<int8_t>::min() ||
      most - by.getExtValue() > std::numeric_limits<int8_t>::max())
    return {};
  Value matrix = b.cast(at.toMatrix(b, cast.getOperand()), i32);
  matrix = b.cast(b.sub(matrix, b.scalar(static_cast<double>(by.getExtValue()), i32)), i8);
  return keep(b.cast(b.reshape(layOut(b, matrix, paddedSteps), shape),
                     FuseBuilder::elementOf(op->getResult(0))));
}

Value WeightTree::widen(FuseBuilder &b, Operation *op, const WeightAccess &access) {
  Type element = FuseBuilder::elementOf(op->getResult(0)), i32 = b.getBuilder().getI32Type();
  Value matrix = access.toMatrix(b, op->getOperand(0));
  if (bits >= 8) {
    Value laid = layOut(b, matrix, paddedSteps);
    return keep(b.cast(b.reshape(laid, shape), element));
  }
  int64_t least = std::min<int64_t>(0, getShortRange(op).first);
  matrix = b.cast(matrix, i32);
  if (least != 0)
    matrix = b.sub(matrix, b.scalar(static_cast<double>(least), i32));
  int64_t have = FuseBuilder::shapeOf(matrix)[0];
  if (have > paddedSteps)
    matrix = b.slice(matrix, 0, 0, paddedSteps);
  else if (have < paddedSteps)
    matrix = b.pad(matrix, {0, 0}, {paddedSteps - have, 0}, 0.0);
  int64_t width = FuseBuilder::shapeOf(matrix)[1];
  SmallVector<int64_t> shifts;
  for (int64_t number = 0; number < perWord; ++number)
    shifts.push_back(number * bits);
  Value parts = b.reshape(matrix, {paddedSteps / perWord, perWord, width});
  parts = b.binary(BinaryKind::ShiftLeft, parts, b.constant(shifts, i32, {perWord, 1}));
  Value packed =
      layOut(b, b.reduce(ReduceKind::Sum, parts, {1}, /*keepDims=*/false), paddedSteps / perWord);
  packed = b.reshape(packed, {blocks, paddedSteps / group, words, 1, block});
  Value number = keep(b.iota(shape, 3, i32));
  Value shift = keep(b.mul(number, b.scalar(static_cast<double>(bits), i32)));
  Value moved = keep(b.binary(BinaryKind::ShiftRight, packed, shift));
  Value kept =
      keep(b.binary(BinaryKind::And, moved, b.scalar(static_cast<double>((1 << bits) - 1), i32)));
  Value widened = keep(b.cast(kept, element));
  return least == 0 ? widened : keep(b.sub(widened, static_cast<double>(-least)));
}
