//===- BindDims.cpp - Which dynamic dimensions must be equal ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEBINDDIMS
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// An argument's dimension times `times`, divided by `over`; of argument -1 the constant `dim`.
struct ScaledDim {
  int64_t argument, dim, times, over;
};

/// Factors of two sides without what they have in common; none if a product overflows.
using Factors = std::optional<std::pair<int64_t, int64_t>>;

/// a·b on the left, c·d on the right; all above 0.
Factors multiplySides(int64_t a, int64_t b, int64_t c, int64_t d) {
  auto divide = [](int64_t &left, int64_t &right) {
    int64_t common = std::gcd(left, right);
    left /= common;
    right /= common;
  };
  divide(a, c), divide(a, d), divide(b, c), divide(b, d);
  int64_t left, right;
  if (llvm::MulOverflow(a, b, left) || llvm::MulOverflow(c, d, right))
    return std::nullopt;
  return std::pair(left, right);
}

/// A group's one dynamic dimension and the product of the others.
struct DynamicDim {
  int64_t dim, count;
};

/// None if the group has none or several, or the product overflows, which `overflows` says.
std::optional<DynamicDim> findDynamic(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims,
                                      bool &overflows) {
  DynamicDim found = {-1, 1};
  bool isTooLarge = false;
  for (int64_t dim : dims) {
    if (!ShapedType::isDynamic(shape[dim]))
      isTooLarge |= llvm::MulOverflow(found.count, shape[dim], found.count) != 0;
    else if (found.dim >= 0)
      return std::nullopt;
    else
      found.dim = dim;
  }
  if (found.dim < 0)
    return std::nullopt;
  overflows |= isTooLarge;
  return isTooLarge ? std::nullopt : std::optional(found);
}

/// Appends argument, dimension and factor of either side where they must be equal; first an
/// argument's. Fails if a factor overflows.
LogicalResult appendCheck(SmallVectorImpl<int64_t> &checks, ScaledDim left, ScaledDim right) {
  if (left.argument < 0)
    std::swap(left, right);
  if (left.argument < 0)
    return success();
  Factors factors = multiplySides(left.times, right.over, right.times, left.over);
  int64_t extent;
  if (!factors ||
      (right.argument < 0 && llvm::MulOverflow(right.dim, factors->second, extent) != 0))
    return failure();
  if (left.argument != right.argument || left.dim != right.dim || factors->first != factors->second)
    checks.append(
        {left.argument, left.dim, factors->first, right.argument, right.dim, factors->second});
  return success();
}

struct BindDims : fuse::impl::FuseBindDimsBase<BindDims> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.isPublic() && failed(bind(function)))
        return signalPassFailure();
  }

  LogicalResult bind(func::FuncOp function) {
    // Classes of what is equal: dimensions of values and, per op, its loops.
    using Dim = std::pair<void *, int64_t>;
    llvm::EquivalenceClasses<Dim> classes;
    auto loopOf = [](Operation *op, int64_t loop) { return Dim(op, loop); };
    auto dimOf = [](Value value, int64_t dim) { return Dim(value.getAsOpaquePointer(), dim); };
    auto find = [&](Value value, int64_t dim) {
      return classes.getOrInsertLeaderValue(dimOf(value, dim));
    };
    function.walk([&](FusableOpInterface op) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      SmallVector<Value> values(op->getOperands());
      llvm::append_range(values, op->getResults());
      for (auto [value, map] : llvm::zip(values, maps)) {
        if (!map || !isa<ShapedType>(value.getType()))
          continue;
        for (auto [position, expr] : llvm::enumerate(map.getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            classes.unionSets(loopOf(op, dim.getPosition()), dimOf(value, position));
      }
    });

    // The steps of a scan.
    function.walk([&](ScanOp scan) {
      for (Value sequence : scan.getSequences())
        classes.unionSets(loopOf(scan, 0), dimOf(sequence, 0));
      for (Value output : scan.getResults().drop_front(scan.getNumStates()))
        classes.unionSets(loopOf(scan, 0), dimOf(output, 0));
    });

    // What an earlier run found, while composites were whole.
    if (auto pairs = function->getAttrOfType<DenseI64ArrayAttr>(attr::kEqualDims))
      for (ArrayRef<int64_t> list = pairs.asArrayRef(); list.size() >= 4; list = list.drop_front(4))
        if (list[2] >= 0)
          classes.unionSets(dimOf(function.getArgument(list[0]), list[1]),
                            dimOf(function.getArgument(list[2]), list[3]));

    // The first dimension of each class is what the others equal; a static extent wins.
    llvm::DenseMap<Dim, int64_t> constants;
    auto noteConstant = [&](Value value) {
      if (auto type = dyn_cast<ShapedType>(value.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (classes.contains(dimOf(value, dim)) && !type.isDynamicDim(dim))
            constants.try_emplace(find(value, dim), type.getDimSize(dim));
    };
    for (Value argument : function.getArguments())
      noteConstant(argument);
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        noteConstant(result);
    });
    llvm::DenseMap<Dim, std::pair<int64_t, int64_t>> firsts;
    SmallVector<int64_t> equal;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<ShapedType>(argument.getType());
      if (!type)
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (!type.isDynamicDim(dim))
          continue;
        Dim root = find(argument, dim);
        if (auto it = constants.find(root); it != constants.end()) {
          equal.append({argument.getArgNumber(), dim, -1, it->second});
          continue;
        }
        auto [it, isNew] = firsts.try_emplace(root, argument.getArgNumber(), dim);
        if (!isNew)
          equal.append({argument.getArgNumber(), dim, it->second.first, it->second.second});
      }
    }
    if (!equal.empty())
      function->setAttr(attr::kEqualDims, DenseI64ArrayAttr::get(&getContext(), equal));

    // A reshape makes an extent that is a multiple or a part of another one; where its result must
    // have a certain extent too, so must these.
    llvm::DenseMap<Dim, ScaledDim> sources;
    for (auto [root, extent] : constants)
      sources[root] = {-1, extent, 1, 1};
    for (auto [root, first] : firsts)
      sources[root] = {first.first, first.second, 1, 1};
    SmallVector<int64_t> scaled;
    WalkResult walked = function.walk([&](ReshapeOp op) {
      ArrayRef<int64_t> from = cast<ShapedType>(op.getOperand().getType()).getShape();
      ArrayRef<int64_t> to = op.getType().getShape();
      bool overflows = false;
      for (const ReshapeGroup &group : matchReshape(from, to)) {
        auto fromDim = findDynamic(from, group.from, overflows);
        auto toDim = findDynamic(to, group.to, overflows);
        if (!fromDim || !toDim)
          continue;
        auto source = sources.find(find(op.getOperand(), fromDim->dim));
        if (source == sources.end())
          continue;
        ScaledDim result = source->second;
        Factors factors = multiplySides(result.times, fromDim->count, result.over, toDim->count);
        overflows |= !factors;
        if (!factors)
          continue;
        std::tie(result.times, result.over) = *factors;
        auto [it, isNew] = sources.try_emplace(find(op.getResult(), toDim->dim), result);
        if (!isNew)
          overflows |= failed(appendCheck(scaled, result, it->second));
      }
      if (!overflows)
        return WalkResult::advance();
      op.emitOpError() << "extents multiply to 2^63 or more: " << formatShape(from) << " to "
                       << formatShape(to);
      return WalkResult::interrupt();
    });
    if (walked.wasInterrupted())
      return failure();
    if (!scaled.empty())
      function->setAttr(attr::kScaledDims, DenseI64ArrayAttr::get(&getContext(), scaled));
    return success();
  }
};

} // namespace
