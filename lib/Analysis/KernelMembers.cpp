//===- KernelMembers.cpp - The members of an outlined kernel, and their loops ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/KernelMembers.h"
#include "fuse/Analysis/MemberReads.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/ResultDims.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isShapeView(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op);
}

namespace {

/// The members as computeSharedDomain() wants them.
class MemberLoops {
public:
  explicit MemberLoops(const KernelMembers &kernel) : kernel(kernel) {}

  /// What a step of a loop over time reads of a state is what the step before wrote, as the value
  /// `next`: one more member, behind all others, copies `next` to the state.
  void addState(Value state) { values[state] = values.size(); }
  void addNextState(Value state, Value next) {
    DomainMember &entry = loops.emplace_back();
    auto type = cast<RankedTensorType>(state.getType());
    entry.iterators.assign(type.getRank(), utils::IteratorType::parallel);
    llvm::append_range(entry.extents, type.getShape());
    AffineMap identity = AffineMap::getMultiDimIdentityMap(type.getRank(), state.getContext());
    addRead(entry, next, identity);
    entry.writes.push_back({values[state], identity});
  }

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
    if (isTensorView(def) || isa_and_nonnull<tensor::PadOp>(def))
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

/// A dimension of an empty tensor that was made as large as one of another value.
std::optional<std::pair<Value, int64_t>> getModel(tensor::EmptyOp empty, int64_t position) {
  if (!empty.getType().isDynamicDim(position))
    return std::nullopt;
  auto dim = empty.getDynamicSize(position).getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
  if (!index)
    return std::nullopt;
  return std::pair(Value(dim.getSource()), *index);
}

/// For each loop of `members`, the first argument's dimension that has its extent, known or not, where there is
/// one: loops and dimensions that an op runs along with one loop have one extent.
void findLoopSources(func::FuncOp function, ArrayRef<linalg::LinalgOp> members,
                     DenseMap<std::pair<Operation *, unsigned>, std::pair<Value, int64_t>> &sources) {
  using Key = std::pair<const void *, int64_t>;
  llvm::EquivalenceClasses<Key> classes;
  auto dimOf = [](Value value, int64_t dim) { return Key(value.getAsOpaquePointer(), dim); };
  auto loopOf = [](Operation *op, unsigned loop) { return Key(op, loop); };
  auto addAccess = [&](Operation *op, Value value, AffineMap map) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        classes.unionSets(loopOf(op, loop.getPosition()), dimOf(value, dim));
  };
  for (Operation &op : function.getBody().front()) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
      for (int64_t dim = 0; dim < empty.getType().getRank(); ++dim)
        if (auto model = getModel(empty, dim))
          classes.unionSets(dimOf(empty, dim), dimOf(model->first, model->second));
    } else if (isTensorView(&op) || isa<tensor::PadOp>(op)) {
      for (auto [from, to] : llvm::enumerate(getSameDims(&op)))
        if (to >= 0)
          classes.unionSets(dimOf(op.getOperand(0), from), dimOf(op.getResult(0), to));
    } else if (auto linalg = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &operand : op.getOpOperands())
        addAccess(&op, operand.get(), linalg.getMatchingIndexingMap(&operand));
      for (OpResult result : op.getResults())
        addAccess(&op, result, linalg.getIndexingMapMatchingResult(result));
    }
  }
  DenseMap<Key, std::pair<Value, int64_t>> first;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        first.try_emplace(classes.getOrInsertLeaderValue(dimOf(argument, dim)), argument, dim);
  for (linalg::LinalgOp member : members)
    for (unsigned loop = 0; loop < member.getNumLoops(); ++loop)
      if (auto it = first.find(classes.getOrInsertLeaderValue(loopOf(member, loop)));
          it != first.end())
        sources[{member, loop}] = it->second;
}

} // namespace

SmallVector<std::pair<Value, Value>> mlir::fuse::getStates(func::FuncOp function) {
  SmallVector<std::pair<Value, Value>> states;
  auto steps = function->getAttrOfType<StepsAttr>(attr::kSteps);
  if (!steps)
    return states;
  Operation *ret = function.getBody().front().getTerminator();
  unsigned firstOut = function.getNumArguments() - function.getNumResults();
  for (auto [number, argument] : llvm::enumerate(steps.getArguments()))
    if (argument.getRole() == StepRole::State)
      states.push_back({function.getArgument(number), ret->getOperand(argument.getNext() - firstOut)});
  return states;
}

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

  findLoopSources(function, kernel.members, kernel.loopSources);
  MemberLoops builder(kernel);
  SmallVector<std::pair<Value, Value>> states = getStates(function);
  for (auto [state, next] : states)
    builder.addState(state);
  for (linalg::LinalgOp member : kernel.members)
    builder.add(member);
  for (auto [state, next] : states)
    builder.addNextState(state, next);
  if (auto given = function->getAttrOfType<ArrayAttr>(attr::kResultDims)) {
    SmallVector<SmallVector<int64_t>> dims = kernel.orderResultDims(given);
    std::optional<SharedDomain> shared = assignSharedDomain(builder.loops, dims);
    if (!shared) {
      for (SmallVector<int64_t> &list : dims)
        llvm::fill(list, SharedDomain::kPrivate);
      shared = assignSharedDomain(builder.loops, dims);
      kernel.uncut = true;
    }
    if (!shared)
      return function.emitError() << "expected the dims of " << kernel.results.size()
                                  << " results, found " << given;
    kernel.shared = *shared;
  } else {
    kernel.shared = computeSharedDomain(builder.loops);
  }
  // The states' copies are no members.
  unsigned numMembers = kernel.members.size();
  kernel.shared.loops.resize(numMembers);
  kernel.shared.classes.resize(numMembers);
  for (SmallVector<unsigned> &replicated : kernel.shared.replicated)
    llvm::erase_if(replicated, [&](unsigned member) { return member >= numMembers; });
  return kernel;
}

SmallVector<SmallVector<int64_t>> KernelMembers::orderResultDims(ArrayAttr dims) const {
  SmallVector<SmallVector<int64_t>> ordered;
  for (linalg::LinalgOp member : members)
    for (OpResult value : member->getResults())
      if (std::optional<unsigned> number = resultNumber(value); number && *number < dims.size())
        if (auto list = dyn_cast<DenseI64ArrayAttr>(dims[*number]))
          ordered.emplace_back(list.asArrayRef());
  return ordered;
}

std::optional<unsigned> KernelMembers::resultNumber(Value value) const {
  for (auto [i, result] : llvm::enumerate(results))
    if (result == value)
      return i;
  return std::nullopt;
}

std::pair<Value, int64_t> KernelMembers::loopSource(unsigned number, unsigned loop) const {
  linalg::LinalgOp member = members[number];
  auto source = loopSources.find({member, loop});
  if (source != loopSources.end())
    return source->second;
  // No argument says: an extent of the result's init, or of what is read.
  AffineExpr wanted = getAffineDimExpr(loop, member.getContext());
  for (OpOperand &operand : llvm::reverse(member->getOpOperands())) {
    AffineMap map = member.getMatchingIndexingMap(&operand);
    std::optional<unsigned> position = map.getResultPosition(wanted);
    if (!position || !isa<RankedTensorType>(operand.get().getType()))
      continue;
    Value value = operand.get();
    while (auto writer = value.getDefiningOp<DestinationStyleOpInterface>())
      value = writer.getTiedOpOperand(cast<OpResult>(value))->get();
    return {value, *position};
  }
  llvm_unreachable("a loop that no operand runs along");
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

FailureOr<ScatterRowsOp> mlir::fuse::findScatter(func::FuncOp function) {
  ScatterRowsOp found;
  for (auto scatter : function.getOps<ScatterRowsOp>()) {
    if (found)
      return scatter.emitOpError() << "is the second scatter of a kernel; expected one";
    found = scatter;
  }
  return found;
}
