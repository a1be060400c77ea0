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
#include <map>
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

/// The one dynamic dimension of a group, -1 if there is not just one, and the product of the others.
std::pair<int64_t, int64_t> splitDynamic(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  int64_t dynamic = -1, count = 1;
  for (int64_t dim : dims) {
    if (!ShapedType::isDynamic(shape[dim]))
      count *= shape[dim];
    else if (dynamic >= 0)
      return {-1, 1};
    else
      dynamic = dim;
  }
  return {dynamic, count};
}

/// Appends argument, dimension and factor of either side where they must be equal; first an argument's.
void appendCheck(SmallVectorImpl<int64_t> &checks, ScaledDim left, ScaledDim right) {
  if (left.argument < 0)
    std::swap(left, right);
  int64_t leftFactor = left.times * right.over, rightFactor = right.times * left.over;
  bool isSame = left.argument == right.argument && left.dim == right.dim;
  if (left.argument < 0 || (isSame && leftFactor == rightFactor))
    return;
  int64_t common = std::gcd(leftFactor, rightFactor);
  checks.append({left.argument, left.dim, leftFactor / common, right.argument, right.dim,
                 rightFactor / common});
}

struct BindDims : fuse::impl::FuseBindDimsBase<BindDims> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.isPublic())
        bind(function);
  }

  void bind(func::FuncOp function) {
    // Nodes: dimensions of values, and, per op, its loops.
    std::map<std::pair<void *, int64_t>, unsigned> numbers;
    SmallVector<unsigned> parent;
    auto node = [&](void *owner, int64_t position) {
      auto [it, isNew] = numbers.try_emplace({owner, position}, parent.size());
      if (isNew)
        parent.push_back(it->second);
      return it->second;
    };
    auto find = [&](unsigned n) {
      while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
      return n;
    };
    auto join = [&](unsigned a, unsigned b) {
      a = find(a), b = find(b);
      parent[std::max(a, b)] = std::min(a, b);
    };
    auto valueNode = [&](Value value, int64_t dim) {
      return node(value.getAsOpaquePointer(), dim);
    };
    for (Value argument : function.getArguments())
      if (auto type = dyn_cast<ShapedType>(argument.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          valueNode(argument, dim);
    function.walk([&](FusableOpInterface op) {
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      SmallVector<Value> values(op->getOperands());
      llvm::append_range(values, op->getResults());
      for (auto [value, map] : llvm::zip(values, maps)) {
        if (!map || !isa<ShapedType>(value.getType()))
          continue;
        for (auto [position, expr] : llvm::enumerate(map.getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(expr))
            join(node(op.getOperation(), dim.getPosition()), valueNode(value, position));
      }
    });

    // What an earlier run found, while composites were whole.
    if (auto pairs = function->getAttrOfType<DenseI64ArrayAttr>(attr::kEqualDims))
      for (ArrayRef<int64_t> list = pairs.asArrayRef(); list.size() >= 4; list = list.drop_front(4))
        if (list[2] >= 0)
          join(valueNode(function.getArgument(list[0]), list[1]),
               valueNode(function.getArgument(list[2]), list[3]));

    // The first dimension of each class is what the others equal; a static extent wins.
    llvm::DenseMap<unsigned, int64_t> constants;
    auto noteConstant = [&](Value value) {
      if (auto type = dyn_cast<ShapedType>(value.getType()))
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          if (auto it = numbers.find({value.getAsOpaquePointer(), dim});
              it != numbers.end() && !type.isDynamicDim(dim))
            constants.try_emplace(find(it->second), type.getDimSize(dim));
    };
    for (Value argument : function.getArguments())
      noteConstant(argument);
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        noteConstant(result);
    });
    llvm::DenseMap<unsigned, std::pair<int64_t, int64_t>> firsts;
    SmallVector<int64_t> equal;
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<ShapedType>(argument.getType());
      if (!type)
        continue;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        if (!type.isDynamicDim(dim))
          continue;
        unsigned root = find(valueNode(argument, dim));
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
    llvm::DenseMap<unsigned, ScaledDim> sources;
    for (auto [root, extent] : constants)
      sources[root] = {-1, extent, 1, 1};
    for (auto [root, first] : firsts)
      sources[root] = {first.first, first.second, 1, 1};
    SmallVector<int64_t> scaled;
    function.walk([&](ReshapeOp op) {
      ArrayRef<int64_t> from = cast<ShapedType>(op.getOperand().getType()).getShape();
      ArrayRef<int64_t> to = op.getType().getShape();
      for (const ReshapeGroup &group : matchReshape(from, to)) {
        auto [fromDim, fromCount] = splitDynamic(from, group.from);
        auto [toDim, toCount] = splitDynamic(to, group.to);
        if (fromDim < 0 || toDim < 0)
          continue;
        auto source = sources.find(find(valueNode(op.getOperand(), fromDim)));
        if (source == sources.end())
          continue;
        ScaledDim result = source->second;
        result.times *= fromCount;
        result.over *= toCount;
        auto [it, isNew] = sources.try_emplace(find(valueNode(op.getResult(), toDim)), result);
        if (!isNew)
          appendCheck(scaled, result, it->second);
      }
    });
    if (!scaled.empty())
      function->setAttr(attr::kScaledDims, DenseI64ArrayAttr::get(&getContext(), scaled));
  }
};

} // namespace
