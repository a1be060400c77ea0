//===- CutRule.cpp - Along which loops the work of an op can be divided ------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/CutRule.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {

ArrayRef<int64_t> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

SmallVector<int8_t> noLoops(Value value) {
  return SmallVector<int8_t>(shapeOf(value).size(), -1);
}

CutRule makeWhole(Operation *op, const Twine &why) {
  CutRule rule;
  for (Value operand : op->getOperands())
    rule.operands.push_back(noLoops(operand));
  for (Value result : op->getResults())
    rule.results.push_back(noLoops(result));
  rule.whyWhole = why.str();
  return rule;
}

/// How partial results of an op are combined.
std::optional<ReduceKind> getCombiner(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ReduceKind>>(op)
      .Case([](ReduceOp reduce) { return reduce.getKind(); })
      .Case<MatmulOp, Conv2dOp>([](Operation *) { return ReduceKind::Sum; })
      .Default([](Operation *) { return std::nullopt; });
}

void refuse(CutLoop &loop, const Twine &why) {
  if (loop.whyNot.empty())
    loop.whyNot = why.str();
}

//===- Ops with index maps ------------------------------------------------------------------===//

class MapRule {
public:
  explicit MapRule(FusableOpInterface op) : op(op), maps(op.getIndexingMapsArray()) {}

  CutRule build() {
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    rule.loops.resize(iterators.size());
    seen.assign(iterators.size(), false);
    for (auto [loop, iterator] : llvm::zip_equal(rule.loops, iterators))
      loop.isReduction = iterator == utils::IteratorType::reduction;
    for (auto [operand, map] : llvm::zip(op->getOperands(), maps))
      rule.operands.push_back(readMap(operand, map));
    for (auto [result, map] :
         llvm::zip_equal(op->getResults(), ArrayRef(maps).take_back(op->getNumResults())))
      rule.results.push_back(readMap(result, map));
    rule.kind = getCombiner(op);
    for (auto [number, loop] : llvm::enumerate(rule.loops))
      checkLoop(number, loop);
    if (auto iota = dyn_cast<IotaOp>(*op))
      refuse(rule.loops[iota.getDimension()],
             "it counts positions, and a shard does not know its own");
    return std::move(rule);
  }

private:
  SmallVector<int8_t> readMap(Value value, AffineMap map) {
    SmallVector<int8_t> dims = noLoops(value);
    if (dims.empty())
      return dims;
    if (!map) {
      isExact = false;
      return dims;
    }
    for (auto [dim, expr, extent] : llvm::enumerate(map.getResults(), shapeOf(value))) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      auto position = dyn_cast<AffineDimExpr>(expr);
      if (!position) {
        isExact = false;
        expr.walk([&](AffineExpr part) {
          if (auto inner = dyn_cast<AffineDimExpr>(part))
            refuse(rule.loops[inner.getPosition()],
                   "an operand is read at positions that are computed of it");
        });
        continue;
      }
      unsigned number = position.getPosition();
      CutLoop &loop = rule.loops[number];
      if (llvm::is_contained(dims, static_cast<int8_t>(number)))
        refuse(loop, "two dimensions of a tensor run along it");
      if (ShapedType::isDynamic(extent))
        refuse(loop, "its extent is unknown");
      else if (seen[number] && loop.extent != extent)
        refuse(loop, "a part of an operand is read");
      seen[number] = true;
      loop.extent = extent;
      dims[dim] = static_cast<int8_t>(number);
    }
    return dims;
  }

  bool isCarried(ArrayRef<int8_t> dims, unsigned number) {
    return llvm::is_contained(dims, static_cast<int8_t>(number));
  }

  void checkLoop(unsigned number, CutLoop &loop) {
    if (!seen[number])
      return refuse(loop, "no tensor has it as a dimension");
    if (!loop.isReduction) {
      for (ArrayRef<int8_t> dims : rule.results)
        if (!isCarried(dims, number))
          return refuse(loop, "several of its steps touch one element of the result");
      if (!isExact && llvm::none_of(rule.operands, [&](ArrayRef<int8_t> dims) {
            return isCarried(dims, number);
          }))
        refuse(loop, "an operand is read at positions that are no multiples of it");
      return;
    }
    if (op->getNumResults() != 1)
      return refuse(loop, "several results are reduced along it");
    if (!rule.kind)
      return refuse(loop, "parts of the result cannot be combined");
    for (auto [operand, dims] : llvm::zip_equal(op->getOperands(), rule.operands))
      if (isa<RankedTensorType>(operand.getType()) && !isCarried(dims, number))
        return refuse(loop, "an operand would be counted by every rank");
  }

  FusableOpInterface op;
  SmallVector<AffineMap> maps;
  CutRule rule;
  SmallVector<bool> seen;
  /// Whether every position of every operand is a loop or a constant.
  bool isExact = true;
};

/// The outermost dimension of each group of a reshape is one loop.
CutRule getReshapeRule(ReshapeOp op) {
  CutRule rule = makeWhole(op, "");
  ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op.getResult());
  for (const ReshapeGroup &group : op.getGroups()) {
    if (group.from.empty() || group.to.empty())
      continue;
    int64_t outerFrom = group.from.front(), outerTo = group.to.front();
    CutLoop loop;
    if (ShapedType::isDynamic(from[outerFrom]) || ShapedType::isDynamic(to[outerTo]))
      loop.whyNot = "its extent is unknown";
    else
      loop.extent = std::gcd(from[outerFrom], to[outerTo]);
    rule.operands[0][outerFrom] = rule.results[0][outerTo] = static_cast<int8_t>(rule.loops.size());
    rule.loops.push_back(loop);
  }
  if (rule.loops.empty())
    rule.whyWhole = "a reshape that carries no dimension over";
  return rule;
}

//===- Composites ---------------------------------------------------------------------------===//

/// The dims of all values of a decomposition, joined where a primitive runs along both in one loop.
class CompositeRule {
public:
  explicit CompositeRule(DecomposableOpInterface op) : op(op) {}

  CutRule build() {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, block.addArgument(operand.getType(), operand.getLoc()));
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&block);
    Operation *clone = builder.clone(*op, mapping);
    builder.setInsertionPoint(clone);
    SmallVector<Value> results = cast<DecomposableOpInterface>(clone).decompose(builder);
    for (Operation &primitive : block)
      if (&primitive != clone)
        addPrimitive(&primitive);
    CutRule rule;
    for (auto [number, operand] : llvm::enumerate(op->getOperands()))
      rule.operands.push_back(nameDims(rule, block.getArgument(number)));
    for (Value result : results)
      rule.results.push_back(nameDims(rule, result));
    for (auto [number, loop] : llvm::enumerate(rule.loops))
      for (ArrayRef<int8_t> dims : rule.results)
        if (!llvm::is_contained(dims, static_cast<int8_t>(number)))
          refuse(loop, "the result has no such dimension");
    if (rule.loops.empty())
      rule.whyWhole = "a composite of no dimension";
    // Users first.
    for (Operation &primitive : llvm::reverse(block))
      primitive.dropAllReferences();
    return rule;
  }

private:
  using Dim = std::pair<Value, int64_t>;

  unsigned classOf(Dim dim) {
    auto [it, isNew] = numbers.try_emplace(dim, parents.size());
    if (isNew) {
      int64_t extent = shapeOf(dim.first)[dim.second];
      parents.push_back(it->second);
      CutLoop loop;
      loop.extent = extent;
      if (ShapedType::isDynamic(extent))
        loop.whyNot = "its extent is unknown";
      classes.push_back(loop);
    }
    return rootOf(it->second);
  }

  unsigned rootOf(unsigned number) {
    while (parents[number] != number)
      number = parents[number] = parents[parents[number]];
    return number;
  }

  unsigned join(unsigned one, unsigned other) {
    one = rootOf(one);
    other = rootOf(other);
    if (one == other)
      return one;
    parents[other] = one;
    classes[one].extent = std::gcd(classes[one].extent, classes[other].extent);
    if (!classes[other].whyNot.empty())
      refuse(classes[one], classes[other].whyNot);
    return one;
  }

  void addPrimitive(Operation *primitive) {
    // A constant of one value has any extent.
    if (matchPattern(primitive, m_Constant()))
      return;
    CutRule rule = getCutRule(primitive);
    SmallVector<int64_t> classOfLoop(rule.loops.size(), -1);
    auto add = [&](Value value, ArrayRef<int8_t> dims) {
      DenseElementsAttr constant;
      bool isSplat = matchPattern(value, m_Constant(&constant)) && constant.isSplat();
      for (auto [dim, loop] : llvm::enumerate(dims)) {
        if (shapeOf(value)[dim] == 1 || isSplat)
          continue;
        unsigned number = classOf({value, dim});
        if (loop < 0) {
          refuse(classes[number], rule.whyWhole.empty() ? "a step of it needs all of a dimension"
                                                        : StringRef(rule.whyWhole));
          continue;
        }
        int64_t &known = classOfLoop[loop];
        known = known < 0 ? number : join(known, number);
      }
    };
    for (auto [operand, dims] : llvm::zip_equal(primitive->getOperands(), rule.operands))
      add(operand, dims);
    for (auto [result, dims] : llvm::zip_equal(primitive->getResults(), rule.results))
      add(result, dims);
    for (auto [loop, number] : llvm::zip_equal(rule.loops, classOfLoop)) {
      if (number < 0)
        continue;
      unsigned root = rootOf(number);
      classes[root].extent = std::gcd(classes[root].extent, loop.extent);
      if (loop.isReduction)
        refuse(classes[root], "the op is no sum along it, but reduces along it inside");
      else if (!loop.whyNot.empty())
        refuse(classes[root], loop.whyNot);
    }
  }

  SmallVector<int8_t> nameDims(CutRule &rule, Value value) {
    SmallVector<int8_t> dims = noLoops(value);
    for (auto [dim, extent] : llvm::enumerate(shapeOf(value))) {
      if (extent == 1)
        continue;
      unsigned number = classOf({value, dim});
      auto [it, isNew] = loops.try_emplace(number, rule.loops.size());
      if (isNew)
        rule.loops.push_back(classes[number]);
      dims[dim] = static_cast<int8_t>(it->second);
    }
    return dims;
  }

  DecomposableOpInterface op;
  Block block;
  llvm::DenseMap<Dim, unsigned> numbers;
  SmallVector<unsigned> parents;
  SmallVector<CutLoop> classes;
  llvm::DenseMap<unsigned, unsigned> loops;
};

} // namespace

CutRule mlir::fuse::getCutRule(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<BaseMemRefType>(operand.getType()))
      return makeWhole(op, "it works on a buffer");
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    if (!llvm::is_contained(reshape.getIndexingMapsArray(), AffineMap()))
      return MapRule(reshape).build();
    return getReshapeRule(reshape);
  }
  if (auto fusable = dyn_cast<FusableOpInterface>(op))
    return MapRule(fusable).build();
  if (auto composite = dyn_cast<DecomposableOpInterface>(op))
    return CompositeRule(composite).build();
  return makeWhole(op, "'" + op->getName().getStringRef() + "' has no index maps");
}

std::string mlir::fuse::whyNotDistributable(Operation *op) {
  if (isa<KernelOp>(op))
    return "kernels are already formed: a program is partitioned before it is planned";
  if (isa<AllReduceOp, AllGatherOp, ReduceScatterOp, AllToAllOp, AllSliceOp, BroadcastFromOp>(op))
    return "it is a program of several processes already";
  if (isa<func::CallOp>(op))
    return "functions are partitioned one by one: inline the call first";
  if (op->getNumRegions() > 0 && !isa<ScanOp>(op))
    return "what a region reads from outside it is not partitioned: move it into a fuse.scan, or unroll it";
  auto touchesTensors = [](TypeRange types) { return llvm::any_of(types, llvm::IsaPred<RankedTensorType>); };
  if (touchesTensors(op->getOperandTypes()) || touchesTensors(op->getResultTypes())) {
    bool isHost = false;
    if (auto host = dyn_cast<CostOpInterface>(op))
      isHost = host.isHostSync();
    if (isHost && !isMemoryEffectFree(op))
      return "every rank would call the function, which may have effects: mark it pure";
  }
  return "";
}
