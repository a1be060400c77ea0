//===- SplitExtrema.cpp - The pass fuse-split-extrema -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Planned.h"

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITEXTREMA
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Longer last dimensions are cut into parts of the first of these extents that divides them: the widths of blocks of packed
/// weights and multiples of them, so that a tile of a product holds whole parts.
static constexpr int64_t kLongDim = 128, kPartExtents[] = {64, 32, 16};
/// Others are one part, with the dimensions before them up to so many elements: images of 14x14.
static constexpr int64_t kMostOfWholeDims = 256;
/// Ops between a convolution and an extremum of what is made of it.
static constexpr size_t kMostOpsBehind = 32;
/// Fewer elements are folded by each reader of the result.
static constexpr int64_t kFewElements = 256;
/// Each block of a reader folds the partial results again: of so many, in one or two microseconds.
static constexpr int64_t kMostPartials = 1 << 14;

namespace {

struct SplitExtrema : fuse::impl::FuseSplitExtremaBase<SplitExtrema> {
  void runOnOperation() override {
    SmallVector<ReduceOp> reductions;
    getOperation().walk([&](ReduceOp op) {
      if (isSplit(op))
        reductions.push_back(op);
    });
    for (ReduceOp op : reductions)
      split(op);
  }

  /// Whether an order in which elements are folded changes nothing, and all of a computed tensor are.
  static bool isSplit(ReduceOp op) {
    if (!llvm::is_contained({ReduceKind::Max, ReduceKind::Min, ReduceKind::Any, ReduceKind::All}, op.getKind()))
      return false;
    ArrayRef<int64_t> shape = FuseBuilder::shapeOf(op.getOperand());
    Operation *producer = op.getOperand().getDefiningOp();
    if (isPlanned(op) || shape.size() != op.getDimensions().size() || shape.empty() || !isComputed(producer))
      return false;
    int64_t elements = 1;
    for (int64_t extent : shape)
      if (!ShapedType::isDynamic(extent) && llvm::MulOverflow(elements, extent, elements))
        return false;
    std::optional<Part> part = getPart(op.getOperand());
    return part && elements > kFewElements && elements / part->elements <= kMostPartials;
  }

  /// Whether a kernel makes what `producer` gives, so that it can fold parts of it.
  static bool isComputed(Operation *producer) {
    while (producer && classifyNode(producer) == NodeKind::View)
      producer = producer->getOperand(0).getDefiningOp();
    return producer && classifyNode(producer) == NodeKind::Device;
  }

  /// What one partial result is made of: the whole dimensions `dims`, or, where there are none, `elements` of the last one.
  struct Part {
    SmallVector<int64_t, 4> dims;
    int64_t elements;
  };

  /// The rows of the image that a value is; nothing where no convolution or pool says so. Its channels lie last in memory, whatever
  /// the program says (docs/layouts.md), and blocks are cut along its rows.
  static std::optional<int64_t> findImageRows(Value value) {
    ArrayRef<int64_t> shape = FuseBuilder::shapeOf(value);
    llvm::SetVector<Value> values;
    values.insert(value);
    for (size_t i = 0; i < values.size() && i < kMostOpsBehind; ++i) {
      Operation *op = values[i].getDefiningOp();
      if (!op)
        continue;
      std::optional<ConvLayout> layout =
          llvm::TypeSwitch<Operation *, std::optional<ConvLayout>>(op)
              .Case<Conv2dOp, MaxPool2dOp, AvgPool2dOp>([](auto image) { return image.getLayout(); })
              .Default(std::nullopt);
      if (layout)
        return *layout == ConvLayout::NchwFchw ? 2 : 1;
      if (classifyNode(op) != NodeKind::Device || classifyPattern(op) != OpPattern::Elementwise)
        continue;
      for (Value operand : op->getOperands())
        if (auto type = dyn_cast<RankedTensorType>(operand.getType()); type && type.getShape() == shape)
          values.insert(operand);
    }
    return std::nullopt;
  }

  static std::optional<Part> getPart(Value value) {
    ArrayRef<int64_t> shape = FuseBuilder::shapeOf(value);
    Part part{{}, 1};
    auto join = [&](int64_t dim) {
      part.dims.insert(part.dims.begin(), dim);
      part.elements *= shape[dim];
    };
    if (std::optional<int64_t> rows = findImageRows(value)) {
      for (int64_t dim : {int64_t(3), 3 - *rows}) { // W and C: 3 and 1 of NCHW, 2 and 3 of NHWC
        if (ShapedType::isDynamic(shape[dim]))
          return std::nullopt;
        join(dim);
      }
      return part;
    }
    int64_t extent = shape.back();
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    for (int64_t cut : kPartExtents)
      if (extent > kLongDim && extent % cut == 0)
        return Part{{}, cut};
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (ShapedType::isDynamic(shape[dim]) || (!part.dims.empty() && part.elements * shape[dim] > kMostOfWholeDims))
        break;
      join(dim);
    }
    // Nothing is left for a second stage.
    if (part.dims.size() == shape.size() || part.elements == 1)
      return std::nullopt;
    return part;
  }

  static void split(ReduceOp op) {
    Value value = op.getOperand();
    Part part = *getPart(value);
    OpBuilder builder(op);
    FuseBuilder b(builder, op.getLoc());
    if (part.dims.empty()) {
      SmallVector<int64_t> cut(FuseBuilder::shapeOf(value));
      part.dims = {static_cast<int64_t>(cut.size())};
      cut.back() /= part.elements;
      cut.push_back(part.elements);
      value = b.reshape(value, cut);
    }
    Value parts = b.reduce(op.getKind(), value, part.dims, /*keepDims=*/false);
    SmallVector<int64_t> rest = llvm::to_vector(llvm::seq<int64_t>(0, FuseBuilder::rankOf(parts)));
    Value result = b.reduce(op.getKind(), parts, rest, /*keepDims=*/false);
    if (op.getKeepDims())
      result = b.reshape(result, FuseBuilder::shapeOf(op.getResult()));
    op.getResult().replaceAllUsesWith(result);
    op.erase();
  }
};

} // namespace
