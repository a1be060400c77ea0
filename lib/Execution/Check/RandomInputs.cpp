//===- RandomInputs.cpp - Inputs from a seed -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/RandomInputs.h"

#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseOps.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class SplitMix64 {
public:
  SplitMix64(uint64_t seed, StringRef name) : state(seed) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char byte : name.bytes())
      hash = (hash ^ byte) * 0x100000001b3;
    state += hash;
  }

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In (0, 1].
  double uniform() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }
  double normal() {
    double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  /// In [0, n).
  int64_t below(int64_t n) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(std::max<int64_t>(n, 1)));
  }

private:
  uint64_t state;
};
} // namespace

/// An extent for an open dimension: what its name says where that is an expression, `4*h`, and each of its names is
/// kRandomExtent.
static int64_t chooseExtent(StringRef name) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  return computeDimExtent(name, &context, [](StringRef) { return std::optional(kRandomExtent); }).value_or(kRandomExtent);
}

llvm::Expected<HostArray> mlir::fuse::makeRandomInput(const ValueInfo &info, uint64_t seed,
                                                      std::optional<int64_t> indexExtent) {
  SmallVector<int64_t, 4> shape(info.shape);
  for (auto [dim, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size)) {
      int64_t bound = dim < info.bounds.size() ? info.bounds[dim] : -1;
      size = chooseExtent(info.getDimName(dim));
      size = bound >= 0 ? std::min(bound, size) : size;
    }
  auto array = HostArray::create(info.type, shape);
  if (!array)
    return llvm::createStringError("input '" + info.name +
                                   "': " + llvm::toString(array.takeError()));
  SplitMix64 random(seed, info.name);
  for (int64_t i = 0, e = array->getNumElements(); i != e; ++i) {
    if (isFloatElement(info.type))
      array->setFloat(i, random.normal());
    else if (info.type == ElementType::I1)
      array->setInt(i, random.below(2));
    else if (indexExtent)
      array->setInt(i, random.below(*indexExtent));
    else
      array->setInt(i, random.below(17) - (isSignedElement(info.type) ? 8 : 0));
  }
  return array;
}

bool mlir::fuse::handsOnIndices(Operation *op) {
  return isa<ReshapeOp, TransposeOp, SliceOp, BroadcastOp, CastOp, BitcastOp, LoadOp>(op);
}

std::optional<int64_t> mlir::fuse::getIndexExtent(BlockArgument argument) {
  std::optional<int64_t> extent;
  SmallVector<Value> todo = {argument};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto note = [&](Value operand, int64_t dimension) {
        int64_t size = cast<ShapedType>(operand.getType()).getDimSize(dimension);
        size = ShapedType::isDynamic(size) ? kRandomExtent : size;
        extent = extent ? std::min(*extent, size) : size;
      };
      if (auto gather = dyn_cast<GatherOp>(user)) {
        if (use.get() == gather.getIndices())
          note(gather.getOperand(), gather.getDimension());
      } else if (auto scatter = dyn_cast<ScatterOp>(user)) {
        if (use.get() == scatter.getIndices())
          note(scatter.getOperand(), scatter.getDimension());
      } else if (handsOnIndices(user)) {
        todo.append(user->result_begin(), user->result_end());
      }
    }
  }
  return extent;
}

std::vector<std::optional<int64_t>> mlir::fuse::getIndexExtents(func::FuncOp func) {
  std::vector<std::optional<int64_t>> extents;
  for (BlockArgument argument : func.getArguments())
    extents.push_back(getIndexExtent(argument));
  return extents;
}
