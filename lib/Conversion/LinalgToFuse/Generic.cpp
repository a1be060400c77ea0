//===- Generic.cpp - Structured ops by their maps and bodies ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

TypedAttr fuse::getSplatValue(Value value) {
  DenseElementsAttr dense;
  if (matchPattern(value, m_Constant(&dense)))
    return dense.isSplat() && !dense.empty() ? dyn_cast<TypedAttr>(dense.getSplatValue<Attribute>())
                                             : TypedAttr();
  auto fill = value.getDefiningOp<linalg::FillOp>();
  Attribute scalar;
  // A fill may convert its scalar.
  if (!fill || fill.getInputs()[0].getType() != getElementTypeOrSelf(value.getType()) ||
      !matchPattern(fill.getInputs()[0], m_Constant(&scalar)))
    return {};
  return dyn_cast<TypedAttr>(scalar);
}

bool fuse::isNeutral(ReduceKind kind, TypedAttr value) {
  if (!value)
    return false;
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat x = number.getValue();
    switch (kind) {
    case ReduceKind::Sum:
      return x.isZero();
    case ReduceKind::Prod:
      return x.isExactlyValue(1.0);
    case ReduceKind::Max:
      return x.isInfinity() && x.isNegative();
    case ReduceKind::Min:
      return x.isInfinity() && !x.isNegative();
    default:
      return false;
    }
  }
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number)
    return false;
  APInt x = number.getValue();
  bool isMask = x.getBitWidth() == 1;
  switch (kind) {
  case ReduceKind::Sum:
  case ReduceKind::Any:
    return x.isZero();
  case ReduceKind::Prod:
    return x.isOne();
  case ReduceKind::All:
    return x.isAllOnes();
  case ReduceKind::Max:
    return !isMask && x.isMinSignedValue();
  case ReduceKind::Min:
    return !isMask && x.isMaxSignedValue();
  default:
    return false;
  }
}

namespace {
struct Combiner {
  ReduceKind kind;
  BinaryKind binary;
};
} // namespace

static std::optional<Combiner> getCombiner(Operation *op) {
  // Masks are combined by `or` and `and` alone, and integers by neither.
  if (op->getNumResults() == 1 && op->getResult(0).getType().isInteger(1)) {
    if (isa<arith::OrIOp>(op))
      return Combiner{ReduceKind::Any, BinaryKind::Or};
    if (isa<arith::AndIOp>(op))
      return Combiner{ReduceKind::All, BinaryKind::And};
    return std::nullopt;
  }
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Combiner{ReduceKind::Sum, BinaryKind::Add};
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Combiner{ReduceKind::Prod, BinaryKind::Mul};
  if (isa<arith::MaximumFOp, arith::MaxSIOp>(op))
    return Combiner{ReduceKind::Max, BinaryKind::Max};
  if (isa<arith::MinimumFOp, arith::MinSIOp>(op))
    return Combiner{ReduceKind::Min, BinaryKind::Min};
  return std::nullopt;
}

/// The loops of a result's dimensions, or failure where its map is no projected permutation.
static FailureOr<SmallVector<int64_t>> getResultLoops(linalg::LinalgOp op, OpOperand &init) {
  SmallVector<int64_t> loops;
  AffineMap map = op.getMatchingIndexingMap(&init);
  if (!map.isProjectedPermutation())
    return failure();
  for (AffineExpr expr : map.getResults())
    loops.push_back(cast<AffineDimExpr>(expr).getPosition());
  return loops;
}

/// `x` over all of its loops, ascending, with its dimensions in the order of the result's.
static Value orderAs(FuseBuilder &g, Value x, ArrayRef<int64_t> order) {
  SmallVector<int64_t> sorted(order), permutation;
  llvm::sort(sorted);
  for (int64_t loop : order)
    permutation.push_back(llvm::find(sorted, loop) - sorted.begin());
  return g.transpose(x, permutation);
}

static FailureOr<SmallVector<Value>> convertElementwise(linalg::LinalgOp op, BodyBuilder &body) {
  if (failed(body.readOperands(/*withInits=*/true)))
    return failure();
  Block *block = op.getBlock();
  for (Operation &inner : block->without_terminator())
    if (failed(body.build(&inner)))
      return failure();
  SmallVector<int64_t> loops = llvm::to_vector(llvm::seq<int64_t>(0, body.getNumLoops()));
  SmallVector<Value> results;
  for (auto [yielded, init] :
       llvm::zip_equal(block->getTerminator()->getOperands(), op.getDpsInitsMutable())) {
    const LoopTensor *tensor = body.lookup(yielded);
    FailureOr<SmallVector<int64_t>> order = getResultLoops(op, init);
    if (!tensor || failed(order) || order->size() != loops.size())
      return failure();
    FailureOr<Value> whole = body.broadcastTo(*tensor, loops);
    if (failed(whole))
      return failure();
    results.push_back(orderAs(body.getGraph(), *whole, *order));
  }
  return results;
}

/// The one value that the body combines with the accumulator.
static Value getCombined(linalg::LinalgOp op, Operation *combine) {
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  if (!combine || combine->getNumOperands() != 2 || !accumulator.hasOneUse())
    return {};
  if (combine->getOperand(0) == accumulator)
    return combine->getOperand(1);
  return combine->getOperand(1) == accumulator ? combine->getOperand(0) : Value();
}

static FailureOr<SmallVector<Value>> convertReduction(linalg::LinalgOp op, BodyBuilder &body) {
  if (op.getNumDpsInits() != 1)
    return failure();
  Block *block = op.getBlock();
  Operation *combine = block->getTerminator()->getOperand(0).getDefiningOp();
  if (!combine || combine->getBlock() != block)
    return failure();
  std::optional<Combiner> combiner = getCombiner(combine);
  Value combined = getCombined(op, combine);
  OpOperand &init = *op.getDpsInitsMutable().begin();
  RankedTensorType initType = getTensorType(init.get());
  FailureOr<SmallVector<int64_t>> order = getResultLoops(op, init);
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (!combiner || !combined || !initType || failed(order) ||
      order->size() + reduced.size() != op.getNumLoops() ||
      llvm::any_of(*order, [&](int64_t loop) { return llvm::is_contained(reduced, loop); }) ||
      failed(body.readOperands(/*withInits=*/false)))
    return failure();
  // The factors of a sum of products are kept apart.
  Operation *product = combined.getDefiningOp();
  bool isProduct = combiner->kind == ReduceKind::Sum && product && product->getBlock() == block &&
                   isa<arith::MulFOp, arith::MulIOp>(product) && product->hasOneUse();
  for (Operation &inner : block->without_terminator())
    if (&inner != combine && !(isProduct && &inner == product) && failed(body.build(&inner)))
      return failure();

  FailureOr<Value> result = failure();
  Type element = initType.getElementType();
  FuseBuilder &g = body.getGraph();
  if (isProduct) {
    const LoopTensor *lhs = body.lookup(product->getOperand(0));
    LoopTensor left = lhs ? *lhs : LoopTensor();
    const LoopTensor *rhs = body.lookup(product->getOperand(1));
    if (!lhs || !rhs)
      return failure();
    result = buildContraction(body, left, *rhs, *order, element);
    if (failed(result) && failed(body.build(product)))
      return failure();
  }
  if (failed(result)) {
    const LoopTensor *tensor = body.lookup(combined);
    if (!tensor)
      return failure();
    SmallVector<int64_t> loops = llvm::to_vector(llvm::seq<int64_t>(0, body.getNumLoops()));
    FailureOr<Value> whole = body.broadcastTo(*tensor, loops);
    if (failed(whole))
      return failure();
    SmallVector<int64_t> dimensions(reduced.begin(), reduced.end()), shape;
    for (int64_t loop : loops)
      if (!llvm::is_contained(dimensions, loop))
        shape.push_back(body.getExtent(loop));
    llvm::sort(dimensions);
    Value folded = ReduceOp::create(g.getBuilder(), RankedTensorType::get(shape, element),
                                    combiner->kind, *whole, dimensions);
    result = orderAs(g, folded, *order);
  }
  if (!isNeutral(combiner->kind, getSplatValue(init.get())))
    result = g.binary(combiner->binary, *result, init.get(), initType);
  return SmallVector<Value>{*result};
}

void fuse::eraseBuilt(PatternRewriter &rewriter, Operation *op, Operation *before) {
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
}

/// Erases what was built and is not read: widenings that a product takes over.
static void eraseUnread(PatternRewriter &rewriter, Operation *op, Operation *before) {
  for (Operation *built = op->getPrevNode(); built != before;) {
    Operation *next = built->getPrevNode();
    if (built->use_empty())
      rewriter.eraseOp(built);
    built = next;
  }
}

namespace {
/// Element-wise ops, views, reductions and products, by maps and body.
struct ConvertStructure : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || isa<linalg::FillOp>(op))
      return rewriter.notifyMatchFailure(op, "not on tensors");
    for (Type type : op->getResultTypes())
      if (getTypeClass(getElementTypeOrSelf(type)) == NoTypes)
        return rewriter.notifyMatchFailure(op, "a result without a form");
    bool isReduction = op.getNumReductionLoops() > 0;
    if (op.getNumParallelLoops() + op.getNumReductionLoops() != op.getNumLoops())
      return rewriter.notifyMatchFailure(op, "loops of another kind");
    Operation *before = op->getPrevNode();
    BodyBuilder body(rewriter, op);
    FailureOr<SmallVector<Value>> results =
        isReduction ? convertReduction(op, body) : convertElementwise(op, body);
    bool isSame =
        succeeded(results) && llvm::equal(ValueRange(*results).getTypes(), op->getResultTypes());
    if (!isSame) {
      eraseBuilt(rewriter, op, before);
      return rewriter.notifyMatchFailure(op, "its maps or its body are not recognized");
    }
    rewriter.setInsertionPoint(op);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *results))
      rewriter.replaceAllUsesWith(result, value);
    eraseUnread(rewriter, op, before);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void fuse::populateLinalgStructurePatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertStructure>(patterns.getContext());
}
