//===- BindDims.cpp - Which dynamic dimensions must be equal ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEBINDDIMS
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

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
  }
};

} // namespace
