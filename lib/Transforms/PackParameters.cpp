//===- PackParameters.cpp - The pass fuse-pack-parameters -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The weights of a product or convolution are read in blocks of columns (output channels), all rows
// of one block after the other. Row-major weights have those rows on as many pages; the pass lays
// them out as they are read:
//
//   w[k, n] = packed[n / block, k, n % block]
//
// Products of bytes are summed by instructions that take four steps of the reduction at once (see
// lib/Codegen/Cpu/DotPlan.h), which lie next to each other then, with zeros behind the last step:
//
//   w[k, n] = packed[n / block, k / 4, n % block, k % 4]
//
// Those of bf16 take two, and without them two are widened to f32 by an instruction each.
//
// Matrices of which a gather takes some, as a mixture of experts does, are packed each by itself,
// and gathered as they are packed:
//
//   w[index[b], k, n] = gather(packed, index)[b, n / block, k, n % block]
//
// At the top of the function stand the ops that pack (parameters in, so they may run once), in
// front of the product the views that undo them. These become views in the product's kernel, which
// lowering reads through: no code moves anything there. The pass runs before kernels are planned,
// so that the plan prices the weights as they are read.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPACKPARAMETERS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Columns of a block, and the time that a column of such a block takes: two vectors of 16 floats,
/// which up to ten rows share (see VectorPlan.cpp), or three with eight rows, or one alone, for which
/// each row is loaded anew. The products of 599 by 200 by 400 took 1.5 times as long in blocks of 16.
struct ColumnBlock {
  int64_t columns;
  double time;
};
} // namespace
static constexpr ColumnBlock kBlocks[] = {{32, 1.0}, {48, 1.03}, {16, 1.5}};
/// Weights of so many columns lie as one block, unless their steps lie in groups.
static constexpr int64_t kMostUnpacked = 64;
/// Steps of a group of bytes, and of bf16. Three of four are worth the zero behind them, two are not.
static constexpr int64_t kByteGroup = 4, kLeastByteSteps = 3, kPair = 2;

namespace {

/// How a parameter is laid out: its columns, and the innermost steps if they lie in groups, padded with
/// zeros and split in two, then all permuted.
struct Packing {
  SmallVector<int64_t> paddedShape, splitShape, permutation;
  bool operator==(const Packing &other) const {
    return splitShape == other.splitShape && permutation == other.permutation;
  }
};

/// The block for so many columns, the last of which may be filled up with zeros: the one that takes
/// least time.
std::optional<int64_t> getBlock(int64_t columns, bool isGrouped) {
  if (!isGrouped && columns <= kMostUnpacked && llvm::none_of(kBlocks, [&](const ColumnBlock &block) {
        return columns % block.columns == 0 && columns > block.columns;
      }))
    return std::nullopt;
  auto getTime = [&](const ColumnBlock &block) {
    return static_cast<double>(llvm::alignTo(columns, block.columns)) * block.time;
  };
  const ColumnBlock *best = llvm::min_element(kBlocks, [&](const ColumnBlock &a, const ColumnBlock &b) {
    return getTime(a) < getTime(b);
  });
  return best->columns;
}

/// Whether memory may have the rows of a product, or the pixels of an image, along their last dimension: not
/// where they are a transposed view.
bool areRowsInOrder(Value rows) {
  while (Operation *view = rows.getDefiningOp()) {
    if (auto transpose = dyn_cast<TransposeOp>(view)) {
      ArrayRef<int64_t> shape = transpose.getOperand().getType().getShape();
      int64_t last = -1; // the last dimension of several elements, which comes last in memory, too, if it is in order
      for (int64_t dim : transpose.getPermutation())
        if (shape[dim] != 1)
          last = dim;
      if (llvm::any_of(shape.drop_front(last + 1), [](int64_t extent) { return extent != 1; }))
        return false;
    }
    if (!isa<TransposeOp, ReshapeOp, SliceOp>(view))
      break;
    rows = view->getOperand(0);
  }
  return true;
}

/// How many of so many steps of a reduction lie next to each other in the weights: those that an instruction
/// takes at once.
int64_t getGroup(Value rows, Value weights, int64_t steps) {
  Type left = getElementTypeOrSelf(rows), right = getElementTypeOrSelf(weights);
  if (!areRowsInOrder(rows))
    return 1;
  if (left.isBF16() && right.isBF16())
    return steps >= kPair ? kPair : 1;
  return left.isInteger(8) && right.isInteger(8) && steps >= kLeastByteSteps ? kByteGroup : 1;
}

Value createTranspose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t from : permutation)
    shape.push_back(type.getDimSize(from));
  return TransposeOp::create(builder, loc, type.clone(shape), value, permutation);
}

Value reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return ReshapeOp::create(builder, loc, type.clone(shape), value);
}

class Packer {
public:
  explicit Packer(func::FuncOp function) : function(function), top(function.getContext()) {
    top.setInsertionPointToStart(&function.front());
  }

  void run() {
    SmallVector<OpOperand *> all;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op)) // formed before; its schedule may count the dims of weights as they are
        return WalkResult::skip();
      if (isa<MatmulOp, Conv2dOp>(op))
        all.push_back(&op->getOpOperand(1));
      auto scan = dyn_cast<ScanOp>(op);
      if (!scan)
        return WalkResult::advance();
      // What each step is given, which one product of it reads as weights.
      for (OpOperand &invariant : op->getOpOperands().drop_front(scan.getNumStates() +
                                                                 scan.getSequences().size()))
        if (isWeights(scan.getBody().getArgument(invariant.getOperandNumber())))
          all.push_back(&invariant);
      return WalkResult::skip();
    });
    for (OpOperand *weights : all)
      if (isGathered(weights->get()))
        pack(*weights);
      else if (isParameter(weights->get()) && !pack(*weights))
        layOut(*weights);
  }

private:
  /// Or a view of one: the filter of a line, which is one of an image of one row.
  bool isParameter(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape())
      return false;
    if (isView(value.getDefiningOp()))
      return isParameter(value.getDefiningOp()->getOperand(0));
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &function.front() &&
           function.getArgAttr(argument.getArgNumber(), attr::kParam);
  }

  /// Matrices of a parameter, which indices along one dimension name, maybe transposed.
  bool isGathered(Value value) {
    while (auto transpose = value.getDefiningOp<TransposeOp>())
      value = transpose.getOperand();
    auto op = value.getDefiningOp<GatherOp>();
    return op && op.getType().hasStaticShape() && op.getIndices().getType().getRank() == 1 &&
           isParameter(op.getOperand());
  }

  /// What undoes a layout that is made for the reader already is marked.
  static bool isView(Operation *op) {
    return isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp>(op) && !op->hasAttr(attr::kWidened);
  }

  /// Whether `value` has one reader, as weights, maybe transposed.
  static bool isWeights(Value value) {
    if (!value.hasOneUse())
      return false;
    OpOperand &use = *value.use_begin();
    if (auto turned = dyn_cast<TransposeOp>(use.getOwner()))
      return isWeights(turned);
    return isa<MatmulOp, Conv2dOp>(use.getOwner()) && use.getOperandNumber() == 1;
  }

  /// What is not packed is laid out as it is read, unless it is read as it lies, or transposed by this
  /// op alone: the slices of a parameter (the phases of a transposed convolution), and what other ops
  /// read in another order.
  void layOut(OpOperand &operand) {
    SmallVector<Operation *> views;
    Value source = operand.get();
    for (; isView(source.getDefiningOp()); source = source.getDefiningOp()->getOperand(0))
      views.push_back(source.getDefiningOp());
    bool isTurned = views.size() == 1 && isa<TransposeOp>(views[0]) && source.hasOneUse();
    if (isTurned || llvm::all_of(views, llvm::IsaPred<ReshapeOp>))
      return;
    OpBuilder::InsertionGuard guard(top);
    top.setInsertionPointAfter(views.front());
    operand.set(CopyOp::create(top, operand.getOwner()->getLoc(), operand.get().getType(), operand.get()));
  }

  /// Packs the weights that a product or convolution reads, or a step of a scan that they are given to.
  bool pack(OpOperand &operand) {
    reader = &operand;
    step = {};
    gather = {};
    if (auto scan = dyn_cast<ScanOp>(operand.getOwner())) {
      step = scan.getBody().getArgument(operand.getOperandNumber());
      reader = &*step.use_begin();
      if (isa<TransposeOp>(reader->getOwner()))
        reader = &*reader->getOwner()->use_begin();
    }
    // Dimension i of what the reader sees is dimension order[i] of the parameter.
    parameter = operand.get();
    SmallVector<int64_t> order = llvm::to_vector(
        llvm::seq<int64_t>(0, cast<RankedTensorType>(parameter.getType()).getRank()));
    auto take = [&](TransposeOp transpose) {
      order = llvm::map_to_vector(order, [&](int64_t dim) { return transpose.getPermutation()[dim]; });
    };
    if (auto transpose = reader->get().getDefiningOp<TransposeOp>(); transpose && step)
      take(transpose);
    auto takeAll = [&] {
      while (auto transpose = parameter.getDefiningOp<TransposeOp>()) {
        take(transpose);
        parameter = transpose.getOperand();
      }
    };
    takeAll();
    if ((gather = parameter.getDefiningOp<GatherOp>())) {
      // The dimension that the indices count along has to be that of the product's matrices.
      if (order.front() != static_cast<int64_t>(gather.getDimension()))
        return false;
      parameter = gather.getOperand();
      takeAll();
    }
    Value seen;
    if (auto product = dyn_cast<MatmulOp>(reader->getOwner()))
      seen = packProduct(product, order);
    else
      seen = packFilter(cast<Conv2dOp>(reader->getOwner()), order);
    if (!seen)
      return false;
    Value before = reader->get();
    reader->set(seen);
    if (Operation *view = before.getDefiningOp(); step && view)
      view->erase();
    return true;
  }

  Value packProduct(MatmulOp product, SmallVector<int64_t> order) {
    int64_t row = gather ? 1 : 0;
    if (static_cast<int64_t>(order.size()) != row + 2)
      return {};
    if (product.getTransposeRhs())
      std::swap(order[row], order[row + 1]);
    // As read: blocks of columns, all rows of each. The last block may have fewer.
    int64_t steps = cast<RankedTensorType>(parameter.getType()).getDimSize(order[row]);
    int64_t group = product.getTransposeLhs() ? 1 : getGroup(product.getLhs(), parameter, steps);
    Value seen = packBlocks(order, {row}, group);
    if (seen)
      product.setTransposeRhs(false);
    return seen;
  }

  Value packFilter(Conv2dOp convolution, ArrayRef<int64_t> order) {
    if (convolution.getLayout() != ConvLayout::NhwcHwcf)
      return {};
    Value seen;
    if (convolution.getGroups() == 1) {
      int64_t channels = cast<RankedTensorType>(parameter.getType()).getDimSize(order[2]);
      seen = packBlocks(order, {0, 1, 2}, getGroup(convolution.getInput(), parameter, channels));
    }
    return seen ? seen : packInOrder(order);
  }

  /// Weights whose last dimension, as a reader sees it, holds the columns: in blocks of those, and in each the
  /// other dimensions in the order `rows`. Of the last one of these, `group` elements of each column lie next to
  /// each other. Returns what the reader sees; null if they stay.
  Value packBlocks(ArrayRef<int64_t> order, ArrayRef<int64_t> rows, int64_t group) {
    auto type = cast<RankedTensorType>(parameter.getType());
    int64_t columnDim = order.back(), columns = type.getDimSize(columnDim), stepDim = order[rows.back()];
    bool isGrouped = group > 1;
    std::optional<int64_t> block = getBlock(columns, isGrouped);
    // A gather of blocks of which the last one is cut off is no slice, which its reader finds in
    // place.
    if (gather && block && columns % *block != 0)
      block = columns % kBlocks[2].columns == 0 ? std::optional(kBlocks[2].columns) : std::nullopt;
    if (!block || type.getNumElements() == 0)
      return {};
    Packing packing;
    llvm::append_range(packing.paddedShape, type.getShape());
    packing.paddedShape[columnDim] = llvm::alignTo(columns, *block);
    packing.paddedShape[stepDim] = llvm::alignTo(packing.paddedShape[stepDim], group);
    // Where the parts of a dimension stand among those of all. A single block is no dimension.
    bool hasBlocks = packing.paddedShape[columnDim] != *block;
    SmallVector<int64_t> outside, inside;
    auto addPart = [&](int64_t extent) {
      packing.splitShape.push_back(extent);
      return static_cast<int64_t>(packing.splitShape.size()) - 1;
    };
    for (auto [dim, extent] : llvm::enumerate(packing.paddedShape)) {
      bool isColumn = static_cast<int64_t>(dim) == columnDim, isStep = static_cast<int64_t>(dim) == stepDim;
      int64_t inner = isColumn && hasBlocks ? *block : isStep && isGrouped ? group : 0;
      outside.push_back(addPart(inner ? extent / inner : extent));
      inside.push_back(inner ? addPart(inner) : outside.back());
    }
    // The blocks, the rows, the columns of a block, the steps of a group; and back: the rows in the order
    // seen, then the columns, both parts of each joined.
    SmallVector<int64_t> back, shape;
    auto place = [&](int64_t part) {
      packing.permutation.push_back(part);
      return static_cast<int64_t>(packing.permutation.size()) - 1;
    };
    SmallVector<SmallVector<int64_t, 2>> seen(order.size());
    if (gather)
      seen.front().push_back(place(outside[order.front()]));
    if (hasBlocks)
      seen.back().push_back(place(outside[columnDim]));
    for (int64_t row : rows)
      seen[row].push_back(place(outside[order[row]]));
    seen.back().push_back(place(inside[columnDim]));
    if (isGrouped)
      seen[rows.back()].push_back(place(inside[stepDim]));
    for (auto [dim, parts] : llvm::zip_equal(order, seen)) {
      llvm::append_range(back, parts);
      shape.push_back(packing.paddedShape[dim]);
    }
    Value packed = give(packing);
    OpBuilder builder(reader->getOwner());
    Location loc = parameter.getLoc();
    SmallVector<int64_t> wanted =
        llvm::map_to_vector(order, [&](int64_t dim) { return type.getDimSize(dim); });
    if (gather) {
      auto packedType = cast<RankedTensorType>(packed.getType());
      SmallVector<int64_t> taken(packedType.getShape());
      taken.front() = shape.front() = wanted.front() = gather.getIndices().getType().getDimSize(0);
      packed = GatherOp::create(builder, gather.getLoc(), packedType.clone(taken), packed,
                                gather.getIndices(), 0);
    }
    Value joined = createTranspose(builder, loc, packed, back);
    if (hasBlocks || isGrouped)
      joined = reshape(builder, loc, joined, shape);
    if (shape == wanted)
      return joined;
    SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1);
    return SliceOp::create(builder, loc, type.clone(wanted), joined, zeros, wanted, ones);
  }

  /// Weights as a reader sees them, if they are not so already.
  Value packInOrder(ArrayRef<int64_t> order) {
    if (llvm::is_sorted(order))
      return {};
    SmallVector<int64_t> shape(cast<RankedTensorType>(parameter.getType()).getShape());
    return give({shape, shape, llvm::to_vector(order)});
  }

  /// The packed parameter, where the reader has it: through the steps of a scan that are given it.
  Value give(const Packing &packing) {
    Value packed = getPacked(packing);
    if (!step)
      return packed;
    step.getOwner()->getParentOp()->setOperand(step.getArgNumber(), packed);
    step.setType(cast<RankedTensorType>(packed.getType()));
    return step;
  }

  Value pad(ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(parameter.getType());
    if (type.getShape() == shape)
      return parameter;
    SmallVector<int64_t> low(shape.size(), 0), high;
    for (auto [to, from] : llvm::zip_equal(shape, type.getShape()))
      high.push_back(to - from);
    return PadOp::create(top, parameter.getLoc(), type.clone(shape), parameter, low, high,
                         top.getZeroAttr(type.getElementType()));
  }

  /// The parameter as `packing` says; one for all readers that want the same.
  Value getPacked(const Packing &packing) {
    SmallVector<std::pair<Packing, Value>> &made = packed[parameter];
    for (auto &[known, value] : made)
      if (known == packing)
        return value;
    OpBuilder::InsertionGuard guard(top);
    if (Operation *view = parameter.getDefiningOp())
      top.setInsertionPointAfter(view);
    Location loc = parameter.getLoc();
    Value split = pad(packing.paddedShape);
    if (packing.paddedShape != packing.splitShape)
      split = reshape(top, loc, split, packing.splitShape);
    Value turned = createTranspose(top, loc, split, packing.permutation);
    Value value = CopyOp::create(top, loc, turned.getType(), turned);
    made.push_back({packing, value});
    return value;
  }

  func::FuncOp function;
  OpBuilder top;
  /// What is packed, the operand that reads it, and the argument of a scan's body that it comes
  /// through, if it does.
  Value parameter;
  OpOperand *reader = nullptr;
  /// What takes matrices of it, where the reader does not read all.
  GatherOp gather;
  BlockArgument step;
  llvm::MapVector<Value, SmallVector<std::pair<Packing, Value>>> packed;
};

struct PackParameters : fuse::impl::FusePackParametersBase<PackParameters> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isExternal())
      Packer(function).run();
  }
};

} // namespace
