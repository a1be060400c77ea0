//===- AssignSchedules.cpp - Gives each outlined kernel its schedule ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/KernelMembers.h"
#include "fuse/Analysis/StreamedDim.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/MergedOps.h"
#include "fuse/Schedule/GpuSchedule.h"
#include "fuse/Schedule/GroupFacts.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Schedule/ScatterSchedule.h"
#include "fuse/Schedule/ThinProduct.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEASSIGNSCHEDULES
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static int64_t getElementBytes(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
}

/// The same, but for accumulators of floats: to a plan, they are no wider than what they fold.
static int64_t getPlannedBytes(OpOperand &operand) {
  auto reader = cast<linalg::LinalgOp>(operand.getOwner());
  auto folding = reader.isDpsInit(&operand) ? reader
                                            : operand.get().getDefiningOp<linalg::LinalgOp>();
  int64_t bytes = getElementBytes(operand.get()), folded = 0;
  bool isSum = folding && folding.getNumReductionLoops() > 0 &&
               isa<FloatType>(getElementTypeOrSelf(operand.get().getType()));
  if (!isSum)
    return bytes;
  for (OpOperand *input : folding.getDpsInputOperands())
    folded = std::max(folded, getElementBytes(input->get()));
  return folded > 0 ? std::min(bytes, folded) : bytes;
}

/// Several operands folded along a reduction; not a reduction that others were merged into.
static bool isContraction(linalg::LinalgOp member) {
  return member.getNumReductionLoops() > 0 && getMergedOps(member) == 1 &&
         llvm::count_if(member.getDpsInputs(),
                        [](Value in) { return !in.getDefiningOp<tensor::EmptyOp>(); }) > 1;
}

static unsigned countLoops(AffineMap map) {
  unsigned count = 0;
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    count += map.isFunctionOfDim(loop);
  return count;
}

/// The shared dims that an operand changes along, ascending.
static SmallVector<unsigned> getDims(AffineMap map, ArrayRef<int> loopDims) {
  SmallVector<unsigned> dims;
  for (auto [loop, dim] : llvm::enumerate(loopDims))
    if (dim != SharedDomain::kPrivate && map.isFunctionOfDim(loop) &&
        !llvm::is_contained(dims, static_cast<unsigned>(dim)))
      dims.push_back(dim);
  llvm::sort(dims);
  return dims;
}

/// Whether an operand of a member is the kernel's too, or its result.
static bool isOutside(const KernelMembers &kernel, OpOperand &operand) {
  linalg::LinalgOp member = cast<linalg::LinalgOp>(operand.getOwner());
  if (member.isDpsInit(&operand))
    return kernel.resultNumber(member.getTiedOpResult(&operand)).has_value();
  Operation *def = operand.get().getDefiningOp();
  return llvm::none_of(kernel.ops(), [&](linalg::LinalgOp op) { return op == def; });
}

/// The loop whose iterations are computed together: an operand that is contiguous along the last
/// dimension of the result does not change along it, so what is loaded of it serves again.
static std::optional<unsigned> getReuseLoop(linalg::LinalgOp member) {
  AffineMap written = member.getMatchingIndexingMap(member.getDpsInitOperand(0));
  if (written.getNumResults() == 0)
    return std::nullopt;
  auto vectors = dyn_cast<AffineDimExpr>(written.getResults().back());
  if (!vectors)
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = member.getIteratorTypesArray();
  SmallVector<int64_t> ranges = member.getStaticLoopRanges();
  SmallVector<ReuseLoop> loops;
  for (unsigned loop = member.getNumLoops(); loop-- > 0;) {
    if (iterators[loop] != utils::IteratorType::parallel || loop == vectors.getPosition())
      continue;
    bool isReused = false, isContiguous = false;
    for (OpOperand *operand : member.getDpsInputOperands()) {
      AffineMap map = member.getMatchingIndexingMap(operand);
      isReused |= !map.isFunctionOfDim(loop) && map.isFunctionOfDim(vectors.getPosition());
      isContiguous |= map.getNumResults() > 0 &&
                      map.getResults().back() == getAffineDimExpr(loop, map.getContext());
    }
    if (isReused)
      loops.push_back({loop, ranges[loop], isContiguous});
  }
  return chooseReuseLoop(loops);
}

/// Bytes that a row of a contraction's other operand has for itself: along the reductions whose
/// iterations no neighbouring row reads (the windows of a convolution overlap).
static int64_t getRowBytes(linalg::LinalgOp member, unsigned reuseLoop) {
  SmallVector<utils::IteratorType> iterators = member.getIteratorTypesArray();
  SmallVector<int64_t> ranges = member.getStaticLoopRanges();
  int64_t most = 0;
  for (OpOperand *operand : member.getDpsInputOperands()) {
    AffineMap map = member.getMatchingIndexingMap(operand);
    if (!map.isFunctionOfDim(reuseLoop))
      continue;
    int64_t bytes = getElementBytes(operand->get());
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && iterators[loop.getPosition()] == utils::IteratorType::reduction &&
          !ShapedType::isDynamic(ranges[loop.getPosition()]))
        bytes = std::min<uint64_t>(
            llvm::SaturatingMultiply<uint64_t>(bytes, ranges[loop.getPosition()]), int64_t(1) << 50);
    most = std::max(most, bytes);
  }
  return most;
}

/// Notes what a contraction uses again along `reuseLoop`, if that lies in blocks of columns: memory
/// runs along the last dimension of the result within a block, and along the rows behind it.
static void addPacked(KernelFacts &facts, linalg::LinalgOp member, ArrayRef<int> dims,
                      unsigned reuseLoop) {
  AffineMap written = member.getMatchingIndexingMap(member.getDpsInitOperand(0));
  AffineExpr column = written.getResults().back();
  for (OpOperand *operand : member.getDpsInputOperands()) {
    AffineMap map = member.getMatchingIndexingMap(operand);
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    if (!type || !type.hasStaticShape() || map.getNumResults() < 3 ||
        map.isFunctionOfDim(reuseLoop))
      continue;
    int64_t bytes = type.getNumElements() * getElementBytes(operand->get());
    bool isSplit = map.getResults().back() == column && written.getNumResults() > 1 &&
                   map.getResults().front() == written.getResults().drop_back().back();
    bool isWhole = map.getResults().back().getKind() == AffineExprKind::Mod;
    if (isSplit || isWhole)
      facts.packed = {getDims(map, dims), bytes, getRowBytes(member, reuseLoop)};
  }
}

/// Notes the dims that operands count through in blocks: (n floordiv block, ..., n mod block).
static void addColumnBlocks(KernelFacts &facts, linalg::LinalgOp member, ArrayRef<int> dims) {
  for (AffineMap map : member.getIndexingMapsArray()) {
    if (map.getNumResults() < 2 || map.getResults().back().getKind() != AffineExprKind::Mod)
      continue;
    auto within = cast<AffineBinaryOpExpr>(map.getResults().back());
    auto column = dyn_cast<AffineDimExpr>(within.getLHS());
    auto block = dyn_cast<AffineConstantExpr>(within.getRHS());
    if (column && block && dims[column.getPosition()] != SharedDomain::kPrivate)
      facts.columnBlocks.push_back({dims[column.getPosition()], block.getValue()});
  }
}

/// Notes the dim that a contraction's result is contiguous along.
static void addVectorDim(KernelFacts &facts, linalg::LinalgOp member, ArrayRef<int> dims) {
  AffineMap written = member.getMatchingIndexingMap(member.getDpsInitOperand(0));
  if (written.getNumResults() == 0)
    return;
  auto vectors = dyn_cast<AffineDimExpr>(written.getResults().back());
  if (vectors && dims[vectors.getPosition()] != SharedDomain::kPrivate)
    facts.vectorDims.push_back(dims[vectors.getPosition()]);
}

/// What is generated for each tile of a reader: paddings.
static void addRecomputed(KernelFacts &facts, OpOperand &operand, linalg::LinalgOp reader,
                          ArrayRef<int> dims) {
  Operation *def = operand.get().getDefiningOp();
  if (!def || !def->hasAttr(attr::kRecompute))
    return;
  auto type = cast<RankedTensorType>(operand.get().getType());
  KernelFacts::Member entry;
  int64_t elements = 1;
  for (auto [position, expr] :
       llvm::enumerate(reader.getMatchingIndexingMap(&operand).getResults())) {
    bool isCut = false;
    for (auto [loop, dim] : llvm::enumerate(dims))
      if (dim != SharedDomain::kPrivate && expr.isFunctionOfDim(loop)) {
        isCut = true;
        facts.hasBorders |=
            isa<AffineDimExpr>(expr) && dim == static_cast<int>(facts.extents.size()) - 1;
        if (!llvm::is_contained(entry.dims, dim))
          entry.dims.push_back(dim);
      }
    if (isCut || type.isDynamicDim(position))
      continue;
    elements = std::min<uint64_t>(
        llvm::SaturatingMultiply<uint64_t>(elements, type.getDimSize(position)), int64_t(1) << 50);
  }
  entry.privateElements = elements;
  entry.scratchBytes = entry.largestBytes = elements * getElementBytes(operand.get());
  facts.members.push_back(entry);
}

/// Notes a contraction with few rows or columns.
static void describeThin(linalg::LinalgOp member, ArrayRef<int> dims, KernelFacts::Member &entry) {
  SmallVector<utils::IteratorType> iterators = member.getIteratorTypesArray();
  SmallVector<ContractionLoop> loops(member.getNumLoops());
  for (auto [i, extent] : llvm::enumerate(member.getStaticLoopRanges())) {
    loops[i].extent = extent;
    loops[i].reduces = iterators[i] == utils::IteratorType::reduction;
    if (dims[i] != SharedDomain::kPrivate)
      loops[i].dims.push_back(dims[i]);
  }
  if (member.getNumDpsInputs() != 2)
    return;
  for (OpOperand *operand : member.getDpsInputOperands()) {
    AffineMap map = member.getMatchingIndexingMap(operand);
    unsigned number = operand->getOperandNumber();
    for (auto [i, loop] : llvm::enumerate(loops)) {
      loop.isIn[number] = map.isFunctionOfDim(i);
      loop.isLast[number] = map.getNumResults() > 0 && map.getResults().back().isFunctionOfDim(i);
    }
  }
  describeThinProduct(loops, entry);
}

/// Notes whether memory of an operand runs along a private loop that the member folds.
static void addFold(KernelFacts &facts, linalg::LinalgOp member, const KernelFacts::Member &entry,
                    ArrayRef<int> dims) {
  SmallVector<utils::IteratorType> iterators = member.getIteratorTypesArray();
  SmallVector<int64_t> ranges = member.getStaticLoopRanges();
  bool folds = false, isWindow = false;
  for (OpOperand *operand : member.getDpsInputOperands()) {
    AffineMap map = member.getMatchingIndexingMap(operand);
    // An empty tensor gives a window its shape.
    if (map.getNumResults() == 0 || operand->get().getDefiningOp<tensor::EmptyOp>())
      continue;
    bool isFolded = false, isAlongPoints = false;
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
      if (!map.getResults().back().isFunctionOfDim(loop) || ranges[loop] == 1)
        continue;
      bool reduces = iterators[loop] == utils::IteratorType::reduction;
      isFolded |= reduces && dims[loop] == SharedDomain::kPrivate;
      isAlongPoints |= !reduces;
    }
    folds |= isFolded && !isAlongPoints;
    isWindow |= isFolded && isAlongPoints;
  }
  facts.addFold(entry, folds, isWindow);
}

static KernelFacts getFacts(const KernelMembers &kernel, bool mayStream) {
  const SharedDomain &shared = kernel.domain();
  KernelFacts facts;
  for (unsigned dim = 0; dim < shared.numDims; ++dim)
    facts.extents.push_back(kernel.staticExtent(dim));
  std::string reason;
  std::optional<StreamedDim> stream;
  if (mayStream)
    stream = findStreamedDim(kernel, reason);
  if (stream && !ShapedType::isDynamic(stream->extent))
    facts.streamExtent = stream->extent;
  int64_t contiguousAlongShared = 0, contiguousAlongPrivate = 0;
  auto multiply = [](int64_t &product, int64_t range) {
    if (ShapedType::isDynamic(range) || ShapedType::isDynamic(product))
      product = ShapedType::kDynamic;
    else
      product = std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(product, range),
                                   int64_t(1) << 60);
  };
  for (auto [m, op] : llvm::enumerate(kernel.ops())) {
    linalg::LinalgOp member = op;
    SmallVector<int64_t> ranges = member.getStaticLoopRanges();
    KernelFacts::Member entry;
    entry.isContraction = isContraction(member);
    int64_t written = 1;
    for (auto [loop, range] : llvm::enumerate(ranges)) {
      int dim = shared.loops[m][loop];
      if (dim != SharedDomain::kPrivate) {
        if (!llvm::is_contained(entry.dims, dim))
          entry.dims.push_back(dim);
        continue;
      }
      multiply(entry.privateElements, range);
      bool reduces = member.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
      facts.hasReductions |= reduces;
      facts.foldsStream |= reduces && !entry.isContraction && facts.streamExtent &&
                           shared.classes[m][loop] == stream->dimClass;
      if (reduces)
        continue;
      multiply(written, range);
      entry.isStreamed |= facts.streamExtent && shared.classes[m][loop] == stream->dimClass;
    }
    if (!entry.isContraction)
      facts.addRow(entry.privateElements);
    multiply(entry.privateElements, getMergedOps(member));
    if (!ShapedType::isDynamic(written))
      for (OpResult result : member->getResults())
        if (!kernel.resultNumber(result))
          entry.scratchBytes += written * getElementBytes(result);
    entry.largestBytes = entry.scratchBytes;
    // Long sums keep their order where they have to.
    if (entry.isContraction && (mayStream || isShortFold(entry.privateElements)))
      describeThin(member, shared.loops[m], entry);
    facts.add(entry);
    addFold(facts, member, entry, shared.loops[m]);
    if (entry.isContraction && !facts.reuseDim)
      if (std::optional<unsigned> loop = getReuseLoop(member);
          loop && shared.loops[m][*loop] != SharedDomain::kPrivate) {
        facts.reuseDim = shared.loops[m][*loop];
        addPacked(facts, member, shared.loops[m], *loop);
      }
    if (entry.isContraction)
      addVectorDim(facts, member, shared.loops[m]);
    addColumnBlocks(facts, member, shared.loops[m]);
    for (OpOperand *operand : member.getDpsInputOperands())
      addRecomputed(facts, *operand, member, shared.loops[m]);
    for (OpOperand &operand : member->getOpOperands()) {
      AffineMap map = member.getMatchingIndexingMap(&operand);
      if (!isa<RankedTensorType>(operand.get().getType()) || map.getNumResults() == 0)
        continue;
      facts.elementBytes = std::max(facts.elementBytes, getPlannedBytes(operand));
      auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
      // Vectors do not run along what a contraction folds: such operands are packed, or spread.
      bool isFolded = entry.isContraction && last &&
                      member.getIteratorTypesArray()[last.getPosition()] ==
                          utils::IteratorType::reduction;
      if (last && !isFolded) {
        int dim = shared.loops[m][last.getPosition()];
        int64_t elements = 1;
        for (int64_t extent : cast<RankedTensorType>(operand.get().getType()).getShape())
          multiply(elements, ShapedType::isDynamic(extent) ? 1024 : extent);
        bool isLastShared = dim == static_cast<int>(shared.numDims) - 1;
        (isLastShared ? contiguousAlongShared : contiguousAlongPrivate) += elements;
        if (isLastShared)
          facts.addNarrow(getElementBytes(operand.get()));
        if (dim != SharedDomain::kPrivate && isOutside(kernel, operand) && countLoops(map) > 1)
          facts.addLine(dim, getDims(map, shared.loops[m]));
      }
    }
  }
  facts.orderBlocks();
  facts.lastDimIsContiguous = contiguousAlongShared >= contiguousAlongPrivate;
  if (facts.reuseDim == shared.numDims - 1) // rows, behind which all columns are private
    facts.lastDimIsContiguous = false;
  return facts;
}

KernelFacts mlir::fuse::getKernelFacts(const KernelMembers &kernel, bool mayStream) {
  return getFacts(kernel, mayStream);
}

namespace {
struct AssignSchedules : fuse::impl::FuseAssignSchedulesBase<AssignSchedules> {
  using FuseAssignSchedulesBase::FuseAssignSchedulesBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || function->hasAttr(attr::kSchedule))
        continue;
      FailureOr<ScatterRowsOp> scatter = findScatter(function);
      if (failed(scatter))
        return signalPassFailure();
      if (*scatter) {
        TargetAttr target = TargetAttr::lookup(function);
        ScatterShape shape = ScatterShape::get(*scatter);
        function->setAttr(attr::kSchedule,
                          gpu ? computeGpuScatterSchedule(&getContext(), shape, target)
                              : computeScatterSchedule(&getContext(), shape, target));
        continue;
      }
      FailureOr<KernelMembers> kernel = KernelMembers::get(function);
      if (failed(kernel))
        return signalPassFailure();
      auto compute = gpu ? computeGpuSchedule : computeSchedule;
      KernelFacts facts = getFacts(*kernel, stream);
      facts.isStep = function->hasAttr(attr::kSteps);
      function->setAttr(attr::kSchedule,
                        compute(&getContext(), facts, TargetAttr::lookup(function)));
    }
  }
};
} // namespace
