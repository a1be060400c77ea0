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
// Outside the kernel stand the ops that pack (parameters in, so they may run once), inside it the
// views that undo them. Lowering reads through the views: no code moves anything in the kernel.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPACKPARAMETERS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Columns of a block, and the time that a column of such a block takes: two vectors of 16 floats,
/// which up to twelve rows share (see VectorPlan.cpp), or three with eight rows, or one alone, for which
/// each row is loaded anew. The products of 599 by 200 by 400 took 1.5 times as long in blocks of 16.
struct ColumnBlock {
  int64_t columns;
  double time;
};
} // namespace
static constexpr ColumnBlock kBlocks[] = {{32, 1.0}, {48, 1.03}, {16, 1.5}};
/// Weights of so many columns lie as one block.
static constexpr int64_t kMostUnpacked = 64;

namespace {

/// How a parameter is laid out: one of its dimensions padded with zeros and split in two, then all
/// permuted.
struct Packing {
  SmallVector<int64_t> paddedShape, splitShape, permutation;
  bool operator==(const Packing &other) const {
    return splitShape == other.splitShape && permutation == other.permutation;
  }
};

/// The block for so many columns, the last of which may be filled up with zeros: the one that takes
/// least time.
std::optional<int64_t> getBlock(int64_t columns) {
  if (columns <= kMostUnpacked && llvm::none_of(kBlocks, [&](const ColumnBlock &block) {
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

Value permute(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
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
    SmallVector<KernelOp> kernels;
    function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels) {
      if (kernel->hasAttr(attr::kSchedule)) // which counts the dims of weights as they are
        continue;
      unsigned first = separateWeights(kernel);
      for (OpOperand &operand : kernel->getOpOperands())
        if (isParameter(operand.get()))
          pack(kernel, operand);
      for (unsigned number = first; number < kernel->getNumOperands(); ++number)
        materialize(kernel->getOpOperand(number));
    }
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

  static bool isView(Operation *op) {
    return isa_and_nonnull<ReshapeOp, TransposeOp, SliceOp>(op);
  }

  /// Gives weights that other ops of the kernel read, too, or that are read through more than a
  /// transpose (the phases of a transposed convolution are slices of one filter), as operands of
  /// their own. Returns the number of the first one.
  unsigned separateWeights(KernelOp kernel) {
    unsigned first = kernel->getNumOperands();
    Block &body = kernel.getBody().front();
    auto separate = [&](OpOperand &weights) {
      SmallVector<Operation *> views;
      Value source = weights.get();
      for (; isView(source.getDefiningOp()); source = source.getDefiningOp()->getOperand(0))
        views.push_back(source.getDefiningOp());
      auto inside = dyn_cast<BlockArgument>(source);
      if (!inside || inside.getOwner() != &body)
        return;
      bool isTurned = views.size() == 1 && isa<TransposeOp>(views[0]) && views[0]->hasOneUse();
      Value outside = kernel.getInputs()[inside.getArgNumber()];
      if ((inside.hasOneUse() && (views.empty() || isTurned)) || !isParameter(outside))
        return;
      OpBuilder::InsertionGuard guard(top);
      if (Operation *def = outside.getDefiningOp())
        top.setInsertionPointAfter(def);
      for (Operation *view : llvm::reverse(views)) {
        IRMapping mapping;
        mapping.map(view->getOperand(0), outside);
        outside = top.clone(*view, mapping)->getResult(0);
      }
      kernel.getInputsMutable().append(outside);
      weights.set(body.addArgument(outside.getType(), outside.getLoc()));
      for (Operation *view : views)
        if (view->use_empty())
          view->erase();
    };
    for (Operation &op : body.without_terminator()) {
      if (isa<MatmulOp, Conv2dOp>(op))
        separate(op.getOpOperand(1));
      // Those of a recurrence's directions and gates are parts of one parameter.
      if (auto scan = dyn_cast<ScanOp>(op))
        for (OpOperand &invariant : scan->getOpOperands())
          if (BlockArgument argument = getInvariant(invariant); argument && isWeights(argument))
            separate(invariant);
    }
    for (unsigned number = first; number-- > 0;)
      if (first < kernel->getNumOperands() && body.getArgument(number).use_empty()) {
        body.eraseArgument(number);
        kernel.getInputsMutable().erase(number);
        --first;
      }
    return first;
  }

  /// What a scan gives to each step where its op has `operand`; null for states and sequences.
  static BlockArgument getInvariant(OpOperand &operand) {
    auto scan = dyn_cast<ScanOp>(operand.getOwner());
    if (!scan || operand.getOperandNumber() < scan.getNumStates() + scan.getSequences().size())
      return {};
    return scan.getBody().getArgument(operand.getOperandNumber());
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

  /// What was not packed is laid out as it is read.
  void materialize(OpOperand &operand) {
    Operation *view = operand.get().getDefiningOp();
    bool isInPlace = true;
    for (Operation *op = view; isView(op); op = op->getOperand(0).getDefiningOp())
      isInPlace &= isa<ReshapeOp>(op);
    if (isInPlace)
      return;
    OpBuilder::InsertionGuard guard(top);
    top.setInsertionPointAfter(view);
    operand.set(CopyOp::create(top, view->getLoc(), operand.get().getType(), operand.get()));
  }

  void pack(KernelOp kernel, OpOperand &operand) {
    BlockArgument inside = kernel.getBody().getArgument(operand.getOperandNumber());
    outer = {};
    if (!inside.hasOneUse())
      return;
    if (BlockArgument invariant = getInvariant(*inside.use_begin())) {
      outer = inside;
      inside = invariant;
      if (!inside.hasOneUse())
        return;
    }
    OpOperand *use = &*inside.use_begin();
    // Dimension i of what the reader sees is dimension order[i] of the parameter.
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(inside.getType()).getRank()));
    auto turned = dyn_cast<TransposeOp>(use->getOwner());
    if (turned && turned->hasOneUse()) {
      order.assign(turned.getPermutation().begin(), turned.getPermutation().end());
      use = &*turned->use_begin();
    }
    if (use->getOperandNumber() != 1)
      return;
    if (auto product = dyn_cast<MatmulOp>(use->getOwner()))
      packProduct(product, operand, inside, order);
    else if (auto convolution = dyn_cast<Conv2dOp>(use->getOwner()))
      packFilter(convolution, operand, inside, order);
  }

  void packProduct(MatmulOp product, OpOperand &operand, BlockArgument inside,
                   SmallVector<int64_t> order) {
    if (order.size() != 2)
      return;
    if (product.getTransposeRhs())
      std::swap(order[0], order[1]);
    // As read: blocks of columns, all rows of each. The last block may have fewer.
    Value seen = packBlocks(operand, inside, order, {0});
    if (!seen)
      return;
    product.getRhsMutable().assign(seen);
    product.setTransposeRhs(false);
  }

  void packFilter(Conv2dOp convolution, OpOperand &operand, BlockArgument inside,
                  ArrayRef<int64_t> order) {
    if (convolution.getLayout() != ConvLayout::NhwcHwcf)
      return;
    Value seen;
    if (convolution.getGroups() == 1)
      seen = packBlocks(operand, inside, order, {0, 1, 2});
    if (!seen)
      seen = packInOrder(operand, inside, order);
    if (seen)
      convolution.getFilterMutable().assign(seen);
  }

  /// Weights whose last dimension, as a reader sees it, holds the columns: in blocks of those, and
  /// in each the other dimensions in the order `rows`. Returns what the reader sees; null if they
  /// stay.
  Value packBlocks(OpOperand &operand, BlockArgument inside, ArrayRef<int64_t> order,
                   ArrayRef<int64_t> rows) {
    auto type = cast<RankedTensorType>(inside.getType());
    int64_t columnDim = order.back(), columns = type.getDimSize(columnDim);
    std::optional<int64_t> block = getBlock(columns);
    if (!block || type.getNumElements() == 0)
      return {};
    Packing packing;
    llvm::append_range(packing.paddedShape, type.getShape());
    packing.paddedShape[columnDim] = llvm::alignTo(columns, *block);
    packing.splitShape = packing.paddedShape;
    packing.splitShape[columnDim] /= *block;
    packing.splitShape.insert(packing.splitShape.begin() + columnDim + 1, *block);
    auto inSplit = [&](int64_t dim) { return dim + (dim > columnDim); };
    packing.permutation.push_back(columnDim);
    for (int64_t row : rows)
      packing.permutation.push_back(inSplit(order[row]));
    packing.permutation.push_back(columnDim + 1);
    setPacked(operand, inside, packing);
    // Back: the rows in the order seen, then both parts of the columns, joined.
    SmallVector<int64_t> back, shape;
    for (int64_t dim = 0, rank = order.size(); dim + 1 < rank; ++dim) {
      back.push_back(1 + (llvm::find(rows, dim) - rows.begin()));
      shape.push_back(type.getDimSize(order[dim]));
    }
    back.push_back(0);
    back.push_back(order.size());
    shape.push_back(packing.paddedShape[columnDim]);
    OpBuilder builder(inside.getOwner(), inside.getOwner()->begin());
    Location loc = inside.getLoc();
    Value joined = reshape(builder, loc, permute(builder, loc, inside, back), shape);
    if (shape.back() == columns)
      return joined;
    shape.back() = columns;
    SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1);
    return SliceOp::create(builder, loc, type.clone(shape), joined, zeros, shape, ones);
  }

  /// Weights as a reader sees them, if they are not so already.
  Value packInOrder(OpOperand &operand, BlockArgument inside, ArrayRef<int64_t> order) {
    if (llvm::is_sorted(order))
      return {};
    auto type = cast<RankedTensorType>(inside.getType());
    SmallVector<int64_t> shape(type.getShape());
    setPacked(operand, inside, {shape, shape, llvm::to_vector(order)});
    return inside;
  }

  void setPacked(OpOperand &operand, BlockArgument inside, const Packing &packing) {
    operand.set(getPacked(operand.get(), packing));
    inside.setType(cast<RankedTensorType>(operand.get().getType()));
    if (outer)
      outer.setType(inside.getType());
    // Who saw it as it was.
    for (Operation *user : llvm::make_early_inc_range(inside.getUsers()))
      if (auto turned = dyn_cast<TransposeOp>(user)) {
        Operation *reader = *turned->user_begin();
        reader->replaceUsesOfWith(turned, inside);
        turned->erase();
      }
  }

  Value pad(Value parameter, ArrayRef<int64_t> shape) {
    auto type = cast<RankedTensorType>(parameter.getType());
    if (type.getShape() == shape)
      return parameter;
    SmallVector<int64_t> low(shape.size(), 0), high;
    for (auto [to, from] : llvm::zip_equal(shape, type.getShape()))
      high.push_back(to - from);
    return PadOp::create(top, parameter.getLoc(), type.clone(shape), parameter, low, high,
                         top.getZeroAttr(type.getElementType()));
  }

  /// The parameter as `packing` says; one for all kernels that want the same.
  Value getPacked(Value parameter, const Packing &packing) {
    SmallVector<std::pair<Packing, Value>> &made = packed[parameter];
    for (auto &[known, value] : made)
      if (known == packing)
        return value;
    OpBuilder::InsertionGuard guard(top);
    if (Operation *view = parameter.getDefiningOp())
      top.setInsertionPointAfter(view);
    Location loc = parameter.getLoc();
    Value split = pad(parameter, packing.paddedShape);
    if (packing.paddedShape != packing.splitShape)
      split = reshape(top, loc, split, packing.splitShape);
    Value turned = permute(top, loc, split, packing.permutation);
    Value value = CopyOp::create(top, loc, turned.getType(), turned);
    made.push_back({packing, value});
    return value;
  }

  func::FuncOp function;
  OpBuilder top;
  BlockArgument outer; ///< the kernel's argument where a scan hands it to its body, else null
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
