//===- SplitReductions.cpp - The pass fuse-split-reductions -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Planned.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Analysis/SerialCutoff.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/OpText.h"
#include "fuse/IR/ScalarBody.h"
#include "fuse/Support/Plural.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITREDUCTIONS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Fewer elements take few blocks no longer than a second launch, and so do shorter folds.
static constexpr int64_t kManyElements = 1 << 18, kLongFold = 1024;
/// Columns that a block sums up side by side.
static constexpr int64_t kColumns = 128;
/// Few columns are folded by few threads in the second launch.
static constexpr int64_t kMostNarrowParts = 512;
/// Blocks wanted for each multiprocessor, and partial results that one block folds in no time.
static constexpr int64_t kBlocksPerProcessor = 2, kMostSplitParts = 4096;
/// Multiprocessors of a target that does not say.
static constexpr int64_t kUnknownProcessors = 108;
/// What parts of a row are multiples of, so that each begins where a chunk of 16 bytes can.
static constexpr int64_t kAlignedElements = 32;

namespace {

/// The multiprocessors of a GPU, or the threads of a CPU; how many blocks keep enough of them busy, and
/// how many there shall be.
struct Machine {
  int64_t processors, enoughBlocks, wantedBlocks;

  explicit Machine(TargetAttr target)
      : processors(static_cast<int64_t>(target.getFigure("max_threads"))) {
    bool isGpu = target.getKind() == TargetKind::Gpu;
    if (isGpu && processors <= 1)
      processors = kUnknownProcessors;
    enoughBlocks = isGpu ? processors / 2 : processors;
    wantedBlocks = kBlocksPerProcessor * processors;
    if (!isGpu)
      wantedBlocks = std::max(wantedBlocks, kWantedBlocks);
  }

  /// For a reduction of what the program makes up (see isMadeUp): with as many blocks as planning asks
  /// for, it is fused with that; else its operand would be written to memory and read again.
  static Machine forMadeUp(const Machine &machine) {
    Machine copy = machine;
    copy.processors = std::max<int64_t>(machine.processors, 1);
    copy.enoughBlocks = std::max(machine.enoughBlocks, kWantedBlocks);
    return copy;
  }
};

/// Whether a value is computed element by element of next to nothing: iotas, constants and what is
/// repeated. An identity matrix is.
bool isMadeUp(Value value) {
  constexpr unsigned kMostOps = 64;
  constexpr int64_t kMuchLess = 16;
  llvm::SetVector<Value> values;
  values.insert(value);
  int64_t bytes = 0;
  unsigned numOps = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *def = values[i].getDefiningOp();
    bool isFollowed = def && (classifyNode(def) == NodeKind::View || isa<IotaOp>(def) ||
                              (classifyNode(def) == NodeKind::Device &&
                               classifyPattern(def) == OpPattern::Elementwise));
    if (isFollowed) {
      if (++numOps > kMostOps)
        return false;
      values.insert(def->operand_begin(), def->operand_end());
      continue;
    }
    auto type = dyn_cast<ShapedType>(values[i].getType());
    DenseElementsAttr constant;
    if (!type || !type.hasStaticShape())
      return false;
    if (!(matchPattern(values[i], m_Constant(&constant)) && constant.isSplat()))
      bytes += getByteSize(type);
  }
  return numOps > 0 && bytes <= getByteSize(value.getType()) / kMuchLess;
}

/// How a reduction is cut: `dim` in `parts` of `length`, and what is left behind the last of them.
/// The second reduction folds the partial results and what is left.
struct Split {
  int64_t dim, parts, length, rest = 0;
};

int64_t countElements(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims, bool isFolded) {
  int64_t count = 1;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (llvm::is_contained(dims, static_cast<int64_t>(dim)) == isFolded &&
        llvm::MulOverflow(count, extent, count))
      return std::numeric_limits<int64_t>::max();
  return count;
}

/// Of the numbers of parts that are large enough, the one that leaves the fewest elements.
Split cutUnevenly(int64_t dim, int64_t extent, int64_t wanted, bool isRow) {
  Split best{dim, wanted, extent / wanted, extent};
  for (int64_t parts = wanted; parts <= std::min(2 * wanted, extent); ++parts) {
    int64_t length = extent / parts;
    if (isRow && length >= kAlignedElements)
      length -= length % kAlignedElements;
    int64_t rest = extent - parts * length;
    if (rest < best.rest)
      best = {dim, parts, length, rest};
  }
  return best;
}

std::optional<Split> findSplit(ReduceOp op, const Machine &machine) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> shape = type.getShape(), dims = op.getDimensions();
  if (!type.hasStaticShape() || dims.empty() || llvm::is_contained(shape, 0) ||
      countElements(shape, dims, /*isFolded=*/true) < kLongFold ||
      countElements(shape, {}, /*isFolded=*/false) < kManyElements)
    return std::nullopt;
  int64_t points = countElements(shape, dims, /*isFolded=*/false);
  bool foldsRows = llvm::is_contained(dims, type.getRank() - 1);
  int64_t blocks = foldsRows ? points : llvm::divideCeil(points, kColumns);
  if (blocks >= machine.enoughBlocks)
    return std::nullopt;
  int64_t wanted = llvm::divideCeil(machine.wantedBlocks, blocks);
  // Of few columns a block takes several parts side by side.
  if (!foldsRows && points < kColumns)
    wanted = std::max(wanted, std::min(kMostNarrowParts, wanted * kColumns / points));
  // The outermost dim that has a divisor of about that size.
  for (int64_t dim : dims)
    for (int64_t parts = wanted; parts <= std::min(shape[dim], kMostSplitParts); ++parts)
      if (shape[dim] % parts == 0)
        return Split{dim, parts, shape[dim] / parts};
  for (int64_t dim : dims)
    if (shape[dim] >= wanted)
      return cutUnevenly(dim, shape[dim], wanted, dim == type.getRank() - 1);
  // Too short for all: one part for each element of the longest.
  int64_t longest =
      *llvm::max_element(dims, [&](int64_t a, int64_t b) { return shape[a] < shape[b]; });
  if (kBlocksPerProcessor * shape[longest] * blocks < machine.processors)
    return std::nullopt;
  return Split{longest, shape[longest], 1};
}

/// Whether each element comes from the elements of the operands at its own place.
bool isPlainElementwise(Operation *op) {
  auto fusable = dyn_cast_if_present<FusableOpInterface>(op);
  if (!fusable || classifyPattern(op) != OpPattern::Elementwise || op->getNumResults() != 1 ||
      op->getNumOperands() == 0 || !isMemoryEffectFree(op) || isMarked(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && type.hasStaticShape() &&
         llvm::all_of(op->getOperandTypes(),
                      [&](Type operand) {
                        auto ranked = dyn_cast<RankedTensorType>(operand);
                        return ranked && ranked.getShape() == type.getShape();
                      }) &&
         llvm::all_of(fusable.getIndexingMapsArray(),
                      [](AffineMap map) { return map && map.isIdentity(); });
}

/// Parts of the operand of a reduction along one dimension. Element-wise ops that nobody else reads
/// are made again for each part, so that kernels still compute them where they fold them:
///
///   sum(exp(x))  →  exp(slice(x)), not slice(exp(x)), which memory would have to hold
class SlicedOperand {
public:
  SlicedOperand(ReduceOp reader, int64_t dim);

  /// The elements [offset, offset + size) of the operand.
  Value create(OpBuilder &builder, int64_t offset, int64_t size);

private:
  using Made = llvm::DenseMap<Value, Value>;
  Value slice(OpBuilder &builder, Value value, int64_t dim, int64_t offset, int64_t size,
              Made &made);

  ReduceOp reader;
  int64_t dim;
  /// The element-wise ops that only the reader needs.
  llvm::DenseSet<Operation *> own;
};

SlicedOperand::SlicedOperand(ReduceOp reader, int64_t dim) : reader(reader), dim(dim) {
  llvm::SetVector<Operation *> open;
  open.insert(reader);
  // Users stand before what they use: an op is looked at again when another user has come in.
  for (size_t i = 0; i < open.size(); ++i)
    for (Value operand : open[i]->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!isPlainElementwise(def) || open.contains(def) || def->getBlock() != reader->getBlock() ||
          !llvm::all_of(def->getUsers(), [&](Operation *user) { return open.contains(user); }))
        continue;
      open.insert(def);
      own.insert(def);
    }
}

Value SlicedOperand::create(OpBuilder &builder, int64_t offset, int64_t size) {
  Made made;
  return slice(builder, reader.getOperand(), dim, offset, size, made);
}

Value SlicedOperand::slice(OpBuilder &builder, Value value, int64_t along, int64_t offset,
                           int64_t size, Made &made) {
  if (Value known = made.lookup(value))
    return known;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes(type.getShape()), offsets(type.getRank(), 0),
      strides(type.getRank(), 1);
  offsets[along] = offset;
  sizes[along] = size;
  auto sliced = RankedTensorType::get(sizes, type.getElementType());
  Operation *def = value.getDefiningOp();
  Value result;
  DenseElementsAttr constant;
  if (def && own.contains(def)) {
    IRMapping mapping;
    for (Value operand : def->getOperands())
      mapping.map(operand, slice(builder, operand, along, offset, size, made));
    Operation *copy = builder.clone(*def, mapping);
    copy->removeAttr(attr::kOrigin); // its composite would hold both parts together
    result = copy->getResult(0);
    result.setType(sliced);
  } else if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    result = arith::ConstantOp::create(builder, def->getLoc(), constant.resizeSplat(sliced));
  } else if (auto broadcast = dyn_cast_if_present<BroadcastOp>(def)) {
    ArrayRef<int64_t> added = broadcast.getDimensions();
    Value source = broadcast.getOperand();
    if (!llvm::is_contained(added, along)) {
      int64_t before = llvm::count_if(added, [&](int64_t dim) { return dim < along; });
      Made none; // values are known for one dimension
      source = slice(builder, source, along - before, offset, size, none);
    }
    result = BroadcastOp::create(builder, broadcast.getLoc(), sliced, source, added);
  } else {
    result = SliceOp::create(builder, reader.getLoc(), sliced, value, offsets, sizes, strides);
  }
  made[value] = result;
  return result;
}

class ReductionSplitter {
public:
  ReductionSplitter(ReduceOp op, const Split &split)
      : op(op), split(split), builder(op), loc(op.getLoc()),
        type(cast<RankedTensorType>(op.getOperand().getType())), wide(type.getElementType()) {
    // Partial results keep the type that a reduction adds up in.
    if (wide.isF16() || wide.isBF16())
      wide = builder.getF32Type();
  }

  void run() {
    // A mean with a rest is a sum that is divided at the end: the rest is shorter than the parts.
    bool dividesLast = op.getKind() == ReduceKind::Mean && split.rest > 0;
    ReduceKind kind = dividesLast ? ReduceKind::Sum : op.getKind();
    int64_t whole = split.parts * split.length;
    Value first = op.getOperand(), last;
    if (split.rest > 0) {
      SlicedOperand slices(op, split.dim);
      last = slices.create(builder, whole, split.rest);
      first = slices.create(builder, 0, whole);
    }
    Value result = reduceParts(kind, widen(first));
    if (split.rest > 0) {
      Value rest = reduce(kind, widen(last), op.getDimensions());
      result = BinaryOp::create(builder, loc, getCombiner(kind), result, rest);
    }
    if (dividesLast)
      result =
          divide(result, countElements(type.getShape(), op.getDimensions(), /*isFolded=*/true));
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    if (wide != type.getElementType())
      result = CastOp::create(builder, loc,
                              cast<RankedTensorType>(result.getType()).clone(type.getElementType()),
                              result);
    if (result.getType() != resultType)
      result = ReshapeOp::create(builder, loc, resultType, result);
    op.getResult().replaceAllUsesWith(result);
    Value operand = op.getOperand();
    op.erase();
    eraseUnused(operand);
  }

private:
  Value widen(Value value) {
    auto valueType = cast<RankedTensorType>(value.getType());
    return valueType.getElementType() == wide
               ? value
               : CastOp::create(builder, loc, valueType.clone(wide), value).getResult();
  }

  Value reduce(ReduceKind kind, Value value, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> kept;
    for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape()))
      if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
        kept.push_back(extent);
    return ReduceOp::create(builder, loc, RankedTensorType::get(kept, wide), kind, value, dims,
                            /*keep_dims=*/false);
  }

  /// A reduction of each part, and one of their results.
  Value reduceParts(ReduceKind kind, Value value) {
    SmallVector<int64_t> shape(type.getShape()), folded;
    shape[split.dim] = split.length;
    shape.insert(shape.begin() + split.dim, split.parts);
    int64_t partsDim = split.dim;
    for (int64_t dim : op.getDimensions()) {
      folded.push_back(dim < split.dim ? dim : dim + 1);
      partsDim -= dim < split.dim;
    }
    Value cut = ReshapeOp::create(builder, loc, RankedTensorType::get(shape, wide), value);
    return reduce(kind, reduce(kind, cut, folded), partsDim);
  }

  Value divide(Value sum, int64_t count) {
    auto sumType = cast<RankedTensorType>(sum.getType());
    Value counts = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(sumType, FloatAttr::get(wide, static_cast<double>(count))));
    return BinaryOp::create(builder, loc, BinaryKind::Div, sum, counts);
  }

  ReduceOp op;
  Split split;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  Type wide;
};

void remarkSplit(ReduceOp op, const Split &split) {
  std::string rest;
  if (split.rest > 0)
    rest = " and " + pluralize(split.rest, "element") + (split.rest == 1 ? " that is left" : " that are left");
  remark::passed(op.getLoc(), remark::RemarkOpts::name("split").category("fuse-split-reductions"))
      << remark::add("{0} is split into two launches: {1} of {2} of dimension {3}, then "
                     "their results{4}; one launch would leave most processors without work",
                     describeOp(op), pluralize(split.parts, "part"), pluralize(split.length, "element"), split.dim, rest);
}

struct SplitReductions : fuse::impl::FuseSplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    Machine machine(target);
    SmallVector<ReduceOp> reductions;
    getOperation().walk([&](ReduceOp op) { reductions.push_back(op); });
    for (ReduceOp op : reductions) {
      // Short integers are added up in wider ones, which no cast here would undo alike.
      Type element = getElementTypeOrSelf(op.getOperand());
      if (isPlanned(op) || element.isInteger(8) || element.isInteger(16))
        continue;
      std::optional<Split> cut;
      if (machine.processors > 1)
        cut = findSplit(op, machine);
      if (!cut && target.getKind() == TargetKind::Cpu && isMadeUp(op.getOperand()))
        cut = findSplit(op, Machine::forMadeUp(machine));
      if (cut) {
        remarkSplit(op, *cut);
        ReductionSplitter(op, *cut).run();
      }
    }
  }
};

} // namespace
