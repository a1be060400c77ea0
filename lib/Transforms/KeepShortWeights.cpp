//===- KeepShortWeights.cpp - The pass fuse-keep-short-weights -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------------------------===//
//
// A product of few rows takes as long as memory takes to give the weights. Where these are computed
// element by element from parameters of few bits, the few bits are what memory should give: the
// pass lays them out as the product reads them, and leaves what makes floats of them to the
// product's kernel (see WidenedOperand.h), op for op as it is written.
//
//   W[k, n] = (float(q[k, n]) - 8) * s[k / 32, n]                  4 bits, 64 columns to a block
//
// Prepared once, for the eight j of each word:
//   words[n / 64, k / 8, n mod 64] = q[8 (k / 8) + j, n] << 4 j
// In the product's loops:
//   (float((words >> 4 j) & 15) - 8) * s[n / 64, k / 32, n mod 64]
//
// One load of 64 bytes has eight steps of 16 columns each, and no lane moves. The product is one of
// batches, which are the blocks of columns.
//
//===----------------------------------------------------------------------------------------===//

#include "ReadNumerics.h"
#include "ShortWeights.h"
#include "fuse/Analysis/PartialSums.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/OpText.h"
#include "fuse/IR/WidenedOperand.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include <numeric>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEKEEPSHORTWEIGHTS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Narrower products are left as they are: vectors run along columns.
static constexpr int64_t kLeastColumns = 16;
/// Ops that weights are computed with, at most.
static constexpr unsigned kMostOps = 64;
/// Bits of the words that numbers of fewer than eight bits are packed into.
static constexpr int64_t kWordBits = 32;
/// Numbers that so many words hold are steps of one group where no scale says how long a group is.
static constexpr int64_t kGroupWords = 4;

/// Columns of a block: four vectors of 16 floats for a row or two, which have sums enough to hide
/// the latency of additions only so, else two (see getVectors in VectorPlan.cpp).
static int64_t getColumnBlock(int64_t columns, int64_t rows) {
  constexpr int64_t kFewRows = 2, kWide = 64, kNarrow = 32;
  int64_t wide = llvm::alignTo(columns, kWide), narrow = llvm::alignTo(columns, kNarrow);
  constexpr int64_t kMostWaste = 16; // one part in so many
  return rows <= kFewRows && wide - narrow <= columns / kMostWaste ? kWide : kNarrow;
}

static bool isView(Operation *op) {
  return isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp, BroadcastOp>(op);
}

static bool isElementwise(Operation *op) {
  auto fusable = dyn_cast_if_present<FusableOpInterface>(op);
  return fusable && fusable.isElementwise() && op->getNumResults() == 1 && isMemoryEffectFree(op);
}

namespace {

/// The weights of one product as a tree over parameters, of which one leaf is short.
class WeightTree {
public:
  WeightTree(func::FuncOp function, MatmulOp product) : function(function), product(product) {
    auto type = FuseBuilder::typeOf(product.getRhs());
    bool isTurned = product.getTransposeRhs();
    steps = type.getDimSize(isTurned ? 1 : 0);
    columns = type.getDimSize(isTurned ? 0 : 1);
    LoopDigit k{0, 1, steps}, n{1, 1, columns};
    root.dims = isTurned ? SmallVector<SmallVector<LoopDigit, 2>>{{n}, {k}}
                         : SmallVector<SmallVector<LoopDigit, 2>>{{k}, {n}};
  }

  /// Why the weights are not kept short; empty if they can be.
  std::string check() {
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

  /// The product of x, [rows, steps], and the weights, whose columns lie in blocks of
  /// `columnsOfBlock`: [rows, all columns of all blocks].
  Value build(FuseBuilder &b, Value x, int64_t columnsOfBlock) {
    block = columnsOfBlock;
    blocks = llvm::divideCeil(columns, block);
    words = bits < 8 ? group * bits / kWordBits : group;
    perWord = bits < 8 ? kWordBits / bits : 1;
    shape = {blocks, paddedSteps / group, words, perWord, block};
    int64_t rows = FuseBuilder::shapeOf(x)[0];
    Value weights = b.reshape(rebuild(b, product.getRhs(), root), {blocks, paddedSteps, block});
    if (paddedSteps > steps)
      x = b.pad(x, {0, 0}, {0, paddedSteps - steps}, 0.0);
    x = b.broadcast(x, {0}, {blocks});
    auto type =
        RankedTensorType::get({blocks, rows, block}, getElementTypeOrSelf(product.getType()));
    Value result = MatmulOp::create(b.getBuilder(), type, x, weights, false, false);
    return b.reshape(b.transpose(result, {1, 0, 2}), {rows, blocks * block});
  }

  /// Whether the product sums what it summed before, in the order in which it did. After check().
  bool keepsOrder() const {
    int64_t perWord = bits < 8 ? kWordBits / bits : 1;
    return haveSamePartialSums({steps}, {paddedSteps / group, group / perWord, perWord});
  }

  /// Whether weights are computed from shorter numbers at all, after check().
  bool hasShort() const { return numShort > 0; }

  int64_t steps, columns, paddedSteps = 0, bits = 0;

private:
  bool isParameter(Value value) {
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

  /// Whether each step and column has an element of its own.
  static bool isFull(const WeightAccess::Run &run) { return run.steps == 1 && run.columns == 1; }

  std::string visit(Value value, const WeightAccess &access) {
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

  std::string visitOperand(Operation *op, unsigned number, const WeightAccess &access) {
    std::optional<WeightAccess> next = access.through(op, number);
    return next ? visit(op->getOperand(number), *next)
                : "weights are read through a view that cuts them unevenly";
  }

  /// A conversion from numbers of 16 bits or fewer to longer ones.
  static bool isShort(Operation *op) {
    auto cast = dyn_cast_if_present<CastOp>(op);
    if (!cast || !isa<FloatType>(getElementTypeOrSelf(cast.getType())))
      return false;
    Type from = getElementTypeOrSelf(cast.getOperand());
    constexpr unsigned kMostBits = 16;
    return from.getIntOrFloatBitWidth() <= kMostBits && !from.isInteger(1) &&
           from.getIntOrFloatBitWidth() <
               getElementTypeOrSelf(cast.getType()).getIntOrFloatBitWidth();
  }

  /// The same where each step and column has a number of its own, behind views.
  static bool isShortAt(Operation *op, WeightAccess access) {
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

  static std::pair<int64_t, int64_t> getShortRange(Operation *op) {
    Value numbers = op->getOperand(0);
    return isa<IntegerType>(getElementTypeOrSelf(numbers)) ? getIntegerRange(numbers)
                                                           : std::pair<int64_t, int64_t>(0, 0);
  }

  /// A marked op, which stays in the product's kernel.
  Value keep(Value value) {
    if (Operation *op = value.getDefiningOp(); !isView(op) && !matchPattern(op, m_Constant()))
      op->setAttr(attr::kWidened, UnitAttr::get(op->getContext()));
    return value;
  }

  Value rebuild(FuseBuilder &b, Value value, const WeightAccess &access) {
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

  /// A matrix of [steps / run, columns], for as many as the product has, as it is laid out:
  /// [blocks, steps / run, block].
  Value layOut(FuseBuilder &b, Value matrix, int64_t rows) {
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

  /// What whole groups of steps have in common. Short numbers stay short.
  Value rebuildLeaf(FuseBuilder &b, Value value, const WeightAccess &access,
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

  /// Of float(q) - c with numbers of eight bits and an integer c: the floats of q - c, where these
  /// are of eight bits, too. Null where the op is another. Exact.
  Value widenSigned(FuseBuilder &b, Operation *op, const WeightAccess &access) {
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

  /// The short numbers, packed, and the floats that the product makes of them.
  Value widen(FuseBuilder &b, Operation *op, const WeightAccess &access) {
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

  func::FuncOp function;
  MatmulOp product;
  WeightAccess root;
  unsigned numOps = 0, numShort = 0;
  /// Steps that have all scales in common; 0: all.
  int64_t group = 0;
  int64_t block = 0, blocks = 0, words = 0, perWord = 0;
  /// [blocks, groups, words of a group, numbers of a word, columns of a block]
  SmallVector<int64_t> shape;
};

struct KeepShortWeights : fuse::impl::FuseKeepShortWeightsBase<KeepShortWeights> {
  using FuseKeepShortWeightsBase::FuseKeepShortWeightsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    std::optional<Numerics> known = readNumerics(function, numerics);
    if (!known)
      return signalPassFailure();
    allowed = *known;
    if (function.isExternal())
      return;
    SmallVector<MatmulOp> products;
    function.walk([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      if (auto product = dyn_cast<MatmulOp>(op); product && op->getBlock() == &function.front())
        products.push_back(product);
      return WalkResult::advance();
    });
    for (MatmulOp product : products)
      keep(product);
  }

  void keep(MatmulOp product) {
    auto lhs = FuseBuilder::typeOf(product.getLhs()), rhs = FuseBuilder::typeOf(product.getRhs());
    if (rhs.getRank() != 2 || !rhs.hasStaticShape() || !isa<FloatType>(rhs.getElementType()) ||
        lhs.getRank() < 2 || product.getTransposeLhs() || !product.getRhs().getDefiningOp())
      return;
    WeightTree weights(getOperation(), product);
    if (weights.steps == 0 || weights.columns < kLeastColumns)
      return;
    std::string reason = weights.check();
    int64_t rows = lhs.hasStaticShape() ? lhs.getNumElements() / weights.steps : 0;
    if (reason.empty() && (rows == 0 || rows > kMostTimesWidened))
      reason = lhs.hasStaticShape() ? std::to_string(rows) + " rows read each weight"
                                    : "the number of rows is not known";
    if (reason.empty() && allowed < Numerics::Reassociates && !weights.keepsOrder())
      reason = "sums of groups of steps would have another order";
    if (!reason.empty()) {
      if (weights.hasShort())
        refuse(product, reason);
      return;
    }
    FuseBuilder b(OpBuilder(product), product.getLoc());
    Value x = b.reshape(product.getLhs(), {rows, weights.steps});
    Value result = weights.build(b, x, getColumnBlock(weights.columns, rows));
    int64_t padded = FuseBuilder::shapeOf(result)[1];
    if (padded > weights.columns)
      result = b.slice(result, 1, 0, weights.columns);
    // The caller's memory has no columns that fill up a block. A copy of few rows need not be the
    // product's.
    if (FuseBuilder::shapeOf(result)[1] != padded &&
        llvm::any_of(product->getUsers(), llvm::IsaPred<func::ReturnOp>))
      result = CopyOp::create(b.getBuilder(), FuseBuilder::typeOf(result), result);
    remark::passed(product.getLoc(), remark::RemarkOpts::name("kept")
                                         .category("fuse-keep-short-weights")
                                         .function(getOperation().getName()))
        << remark::add("keeps the weights of {0} as numbers of {1} bits", describeOp(product),
                       weights.bits);
    Value before = product.getRhs();
    product.getResult().replaceAllUsesWith(
        b.reshape(result, FuseBuilder::shapeOf(product.getResult())));
    product.erase();
    eraseUnused(before);
  }

  void refuse(MatmulOp product, StringRef reason) {
    remark::missed(product.getLoc(), remark::RemarkOpts::name("not-kept")
                                         .category("fuse-keep-short-weights")
                                         .function(getOperation().getName()))
        << remark::add("the weights of {0} are widened in memory", describeOp(product))
        << remark::reason("{0}", reason)
        << remark::suggest("at most {0} rows, a number that is known, and weights that are "
                           "parameters times scales of "
                           "blocks or columns",
                           kMostTimesWidened);
  }

  Numerics allowed = Numerics::Exact;
};

} // namespace
