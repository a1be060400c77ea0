//===- KernelMembers.cpp - The members of an outlined kernel, and their loops ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/KernelMembers.h"
#include "fuse/Analysis/MemberReads.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isShapeView(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

namespace {

/// The members as computeSharedDomain() wants them.
class DomainBuilder {
public:
  explicit DomainBuilder(const KernelMembers &kernel) : kernel(kernel) {}

  void add(linalg::LinalgOp member) {
    DomainMember &entry = loops.emplace_back();
    llvm::append_range(entry.iterators, member.getIteratorTypesArray());
    llvm::append_range(entry.extents, member.getStaticLoopRanges());
    for (OpOperand &operand : member->getOpOperands())
      addRead(entry, operand.get(), member.getMatchingIndexingMap(&operand));
    for (BodyRead &read : getBodyReads(member))
      addRead(entry, read.op.getTensor(), read.map);
    for (OpResult result : member->getResults()) {
      unsigned number = values.size();
      values[result] = number;
      entry.writes.push_back({number, member.getIndexingMapMatchingResult(result)});
      if (kernel.resultNumber(result))
        entry.results.push_back(number);
    }
  }

  SmallVector<DomainMember, 8> loops;

private:
  void addRead(DomainMember &entry, Value value, AffineMap map) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    if (auto it = values.find(value); it != values.end()) {
      entry.reads.push_back({it->second, map});
      return;
    }
    Operation *def = value.getDefiningOp();
    if (isTensorView(def))
      return addRead(entry, def->getOperand(0), mapThroughView(def, map));
    if (auto generated = dyn_cast_or_null<linalg::GenericOp>(def)) {
      // Recomputed along the part of its result that is read.
      AffineMap loopsOf = inversePermutation(
          generated.getIndexingMapMatchingResult(cast<OpResult>(value)));
      if (!loopsOf)
        return;
      AffineMap reader = loopsOf.compose(map);
      for (OpOperand *operand : generated.getDpsInputOperands())
        addRead(entry, operand->get(), generated.getMatchingIndexingMap(operand).compose(reader));
      for (BodyRead &read : getBodyReads(generated))
        addRead(entry, read.op.getTensor(), read.map.compose(reader));
      return;
    }
    if (!def || def->hasTrait<OpTrait::ConstantLike>())
      entry.inputs.push_back({inputs.try_emplace(value, inputs.size()).first->second, map});
  }

  const KernelMembers &kernel;
  /// Values of members are numbered in order of definition, those from outside apart.
  DenseMap<Value, unsigned> values, inputs;
};

} // namespace

FailureOr<KernelMembers> KernelMembers::get(func::FuncOp function) {
  KernelMembers kernel;
  Block &body = function.getBody().front();
  for (Operation &op : body.without_terminator()) {
    auto member = dyn_cast<linalg::LinalgOp>(op);
    if (!member) {
      if (!isMemoryEffectFree(&op))
        return op.emitOpError() << "cannot be a member of a kernel";
      continue;
    }
    if (isa<linalg::FillOp>(op) || op.hasAttr(attr::kRecompute))
      continue;
    kernel.numbers[&op] = kernel.members.size();
    kernel.members.push_back(member);
  }

  for (Value value : body.getTerminator()->getOperands()) {
    SmallVector<Operation *> &chain = kernel.views.emplace_back();
    while (isShapeView(value.getDefiningOp())) {
      chain.push_back(value.getDefiningOp());
      value = value.getDefiningOp()->getOperand(0);
    }
    std::reverse(chain.begin(), chain.end());
    if (!value.getDefiningOp() || !kernel.isMember(value.getDefiningOp()))
      return function.emitError() << "a result of the kernel is computed by none of its members";
    kernel.results.push_back(cast<OpResult>(value));
  }

  DomainBuilder builder(kernel);
  for (linalg::LinalgOp member : kernel.members)
    builder.add(member);
  kernel.shared = computeSharedDomain(builder.loops);
  return kernel;
}

std::optional<unsigned> KernelMembers::resultNumber(Value value) const {
  for (auto [i, result] : llvm::enumerate(results))
    if (result == value)
      return i;
  return std::nullopt;
}

std::pair<Value, int64_t> KernelMembers::loopSource(unsigned number, unsigned loop) const {
  // Values of members carry a loop from one to another; all of these have one source, the first in
  // the order of members. Were there two, nobody could tell that their extents are equal.
  using MemberLoop = std::pair<unsigned, unsigned>;
  llvm::SmallSetVector<MemberLoop, 8> equal;
  std::optional<std::tuple<unsigned, unsigned, int64_t>> first; // member, operand, dimension
  std::optional<std::tuple<unsigned, unsigned, int64_t>> firstInit;
  auto consider = [](auto &best, unsigned m, OpOperand &operand, int64_t dimension) {
    std::tuple<unsigned, unsigned, int64_t> key(m, operand.getOperandNumber(), dimension);
    if (!best || key < *best)
      best = key;
  };
  equal.insert({number, loop});
  for (unsigned i = 0; i < equal.size(); ++i) {
    auto [m, at] = equal[i];
    linalg::LinalgOp member = members[m];
    AffineExpr wanted = getAffineDimExpr(at, member.getContext());
    auto addLoop = [&](unsigned other, AffineExpr expr) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        equal.insert({other, dim.getPosition()});
    };
    for (OpOperand &operand : member->getOpOperands()) {
      AffineMap map = member.getMatchingIndexingMap(&operand);
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        if (expr != wanted)
          continue;
        Operation *def = operand.get().getDefiningOp();
        if (member.isDpsInit(&operand))
          consider(firstInit, m, operand, position);
        else if (def && isMember(def))
          addLoop(numbers.lookup(def), cast<linalg::LinalgOp>(def)
                                           .getIndexingMapMatchingResult(cast<OpResult>(operand.get()))
                                           .getResult(position));
        else
          consider(first, m, operand, position);
      }
    }
    for (OpResult result : member->getResults())
      for (auto [position, expr] :
           llvm::enumerate(member.getIndexingMapMatchingResult(result).getResults()))
        for (OpOperand &use : result.getUses())
          if (expr == wanted && isMember(use.getOwner()))
            addLoop(numbers.lookup(use.getOwner()), cast<linalg::LinalgOp>(use.getOwner())
                                                        .getMatchingIndexingMap(&use)
                                                        .getResult(position));
  }
  // Loops of results alone: an init says.
  auto [m, operand, position] = first ? *first : *firstInit;
  return {members[m]->getOperand(operand), position};
}

OpFoldResult KernelMembers::loopExtent(OpBuilder &builder, unsigned number, unsigned loop) const {
  linalg::LinalgOp member = members[number];
  int64_t range = member.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(range))
    return builder.getIndexAttr(range);
  auto [value, position] = loopSource(number, loop);
  return tensor::getMixedSize(builder, member.getLoc(), value, position);
}

int64_t KernelMembers::staticExtent(unsigned dim) const {
  for (auto [m, op] : llvm::enumerate(members)) {
    linalg::LinalgOp member = op;
    for (auto [loop, range] : llvm::enumerate(member.getStaticLoopRanges()))
      if (shared.loops[m][loop] == static_cast<int>(dim) && !ShapedType::isDynamic(range))
        return range;
  }
  return ShapedType::kDynamic;
}

OpFoldResult KernelMembers::sharedExtent(OpBuilder &builder, unsigned dim) const {
  for (unsigned m = 0; m < members.size(); ++m)
    for (auto [loop, carried] : llvm::enumerate(shared.loops[m]))
      if (carried == static_cast<int>(dim))
        return loopExtent(builder, m, loop);
  llvm_unreachable("a shared dim that no member has");
}
