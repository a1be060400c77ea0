//===- FormKernels.cpp - The pass fuse-form-kernels -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Analysis/GroupLegality.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFORMKERNELS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

//===- One kernel from ops that stand together ----------------------------------------------===//

/// Constants of more elements, unless they are splats, stay outside: they are the kernel's operands.
static constexpr int64_t kSmallConstant = 16;

static bool isAbsorbableConstant(Operation *op) {
  DenseElementsAttr value;
  return op && matchPattern(op, m_Constant(&value)) &&
         (value.isSplat() || value.getNumElements() <= kSmallConstant);
}

namespace {

class KernelBuilder {
public:
  explicit KernelBuilder(ArrayRef<Operation *> members)
      : members(members), memberSet(members.begin(), members.end()) {}

  KernelOp build() {
    for (Operation *op : members) {
      for (Value result : op->getResults()) {
        llvm::SetVector<Value> views;
        if (findOutputs(result, /*isReshape=*/true, views))
          outputs.insert(result);
        outputs.insert_range(views);
      }
      // A state of unknown size goes on in a result that has its values, whether somebody reads that or not.
      if (auto scan = dyn_cast<ScanOp>(op))
        for (auto [state, value] : llvm::enumerate(scan.getYield().getResults().take_front(scan.getNumStates())))
          if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
            for (unsigned i = scan.getNumStates(); i < scan.getNumResults(); ++i)
              if (scan.getYield().getResults()[i] == value)
                outputs.insert(scan.getResult(i));
      // A result that nobody reads is still computed, unless it is one of several.
      if (llvm::none_of(op->getResults(), [&](Value result) { return isRead(result); }))
        outputs.insert_range(op->getResults());
    }

    Operation *last = members.back();
    Region body;
    OpBuilder builder(last->getContext());
    builder.setInsertionPointToEnd(&body.emplaceBlock());
    for (Operation *op : members)
      cloneMember(builder, op);
    SmallVector<Value> yielded = llvm::map_to_vector(outputs, [&](Value output) {
      map(builder, output);
      return mapping.lookup(output);
    });
    SmallVector<Location> locations =
        llvm::map_to_vector(members, [](Operation *op) { return op->getLoc(); });
    YieldOp::create(builder, last->getLoc(), yielded);

    builder.setInsertionPoint(last);
    auto kernel = KernelOp::create(builder, FusedLoc::get(last->getContext(), locations),
                                   TypeRange(ValueRange(outputs.getArrayRef())), inputs.getArrayRef());
    kernel.getBody().takeBody(body);
    // Ops that become kernels read a view through its source, whether it leaves this kernel or not: their
    // sums then have one order.
    for (auto [output, result] : llvm::zip(outputs.getArrayRef(), kernel.getResults())) {
      bool isView = !memberSet.contains(output.getDefiningOp());
      Value(output).replaceUsesWithIf(result, [&](OpOperand &use) {
        NodeKind kind = classifyNode(use.getOwner());
        return !isView || (kind != NodeKind::View && kind != NodeKind::Device);
      });
    }
    for (Operation *op : llvm::reverse(members)) {
      for (Value result : op->getResults())
        eraseDeadViews(result);
      op->erase();
    }
    return kernel;
  }

private:
  /// Whether others need a member's result, of which `value` is a view: they read it as it lies, or become
  /// kernels that take the view into them. Adds the views of it that others need. So the function returns an
  /// image with its channels first that the kernel has with its channels last.
  bool findOutputs(Value value, bool isReshape, llvm::SetVector<Value> &views) const {
    bool isNeeded = false;
    for (Operation *user : value.getUsers()) {
      if (memberSet.contains(user))
        continue;
      NodeKind kind = classifyNode(user);
      if (kind == NodeKind::View)
        isNeeded |= findOutputs(user->getResult(0), isReshape && isa<ReshapeOp>(user), views);
      else if (isReshape || kind == NodeKind::Device)
        isNeeded = true;
      else
        views.insert(value);
    }
    return isNeeded;
  }

  /// Whether an op reads `value`, or a view of it.
  static bool isRead(Value value) {
    return llvm::any_of(value.getUsers(), [](Operation *user) {
      return classifyNode(user) != NodeKind::View || isRead(user->getResult(0));
    });
  }

  void cloneMember(OpBuilder &builder, Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (!needsBuffer(operand) || !isAbsorbed(operand.get()))
        map(builder, operand.get());
      else if (!mapping.contains(operand.get()))
        addInput(builder, operand.get());
    Operation *clone = builder.clone(*op, mapping);
    clone->removeAttr(attr::kGroup);
  }

  /// Makes `value` known inside the kernel: a member's result, a clone, or an operand.
  void map(OpBuilder &builder, Value value) {
    if (mapping.contains(value))
      return;
    if (isAbsorbed(value)) {
      Operation *def = value.getDefiningOp();
      for (Value operand : def->getOperands())
        map(builder, operand);
      builder.clone(*def, mapping);
      return;
    }
    addInput(builder, value);
  }

  void addInput(OpBuilder &builder, Value value) {
    inputs.insert(value);
    mapping.map(value, builder.getBlock()->addArgument(value.getType(), value.getLoc()));
  }

  /// A scan takes its states and sequences apart where they lie.
  static bool needsBuffer(OpOperand &operand) {
    auto scan = dyn_cast<ScanOp>(operand.getOwner());
    return scan && operand.getOperandNumber() < scan.getNumStates() + scan.getSequences().size();
  }

  /// Constants that are cheap to repeat, and views; a reshape only where it reads what the kernel
  /// computes, or where another kind of view is below it: memory holds no such thing.
  bool isAbsorbed(Value value) const {
    Operation *def = value.getDefiningOp();
    if (isAbsorbableConstant(def))
      return true;
    for (; def && classifyNode(def) == NodeKind::View; def = def->getOperand(0).getDefiningOp()) {
      Operation *source = def->getOperand(0).getDefiningOp();
      if (!isa<ReshapeOp>(def) || memberSet.contains(source) || isAbsorbableConstant(source))
        return true;
    }
    return false;
  }

  static void eraseDeadViews(Value value) {
    for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
      for (Value result : user->getResults())
        eraseDeadViews(result);
      user->erase();
    }
  }

  ArrayRef<Operation *> members;
  llvm::DenseSet<Operation *> memberSet;
  llvm::SetVector<Value> inputs, outputs;
  IRMapping mapping;
};

} // namespace

/// Replaces `members`, in execution order and with nothing but views between them, by a kernel at
/// the place of the last one.
static KernelOp buildKernel(ArrayRef<Operation *> members) {
  return KernelBuilder(members).build();
}

//===- All kernels of a function ------------------------------------------------------------===//

namespace {

InFlightDiagnostic emitStale(Operation *op, int64_t group, Barrier barrier) {
  return op->emitOpError() << "cannot be in group " << group << " (" << stringifyBarrier(barrier)
                           << "): ";
}

LogicalResult checkGroupIds(FunctionOpInterface function) {
  WalkResult result = function->walk([](Operation *op) {
    auto groups = op->getAttrOfType<DenseI64ArrayAttr>(attr::kGroup);
    if (!groups)
      return WalkResult::advance();
    for (int64_t id : groups.asArrayRef())
      if (id < 0 || id > std::numeric_limits<int32_t>::max()) {
        op->emitOpError() << "has " << id << " in fuse.group; expected numbers from 0 to 2147483647";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Gives each reader of `value` views of its own, so that some of them can be pointed at another value. Those further from the
/// value come first: each clone of them is one more reader of the view before it.
void splitViews(Value value) {
  SmallVector<Operation *> views;
  for (Operation *user : value.getUsers())
    if (classifyNode(user) == NodeKind::View && user->getNumResults() == 1)
      views.push_back(user);
  for (Operation *view : views) {
    Value result = view->getResult(0);
    splitViews(result);
    OpBuilder builder(view->getContext());
    builder.setInsertionPointAfter(view);
    for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(result.getUses())))
      use.set(builder.clone(*view)->getResult(0));
  }
}

/// The group of who reads a value, through views that nobody else reads; nothing where that is in none.
std::optional<int64_t> getReadersGroup(OpOperand &use) {
  Operation *reader = use.getOwner();
  while (classifyNode(reader) == NodeKind::View && reader->hasOneUse())
    reader = *reader->user_begin();
  auto group = reader->getAttrOfType<DenseI64ArrayAttr>(attr::kGroup);
  return group && group.size() == 1 ? std::optional<int64_t>(group[0]) : std::nullopt;
}

/// An op in several groups becomes one op for each; the first also serves readers outside them. Readers come before what they
/// read, which may be in the same groups.
LogicalResult splitSharedMembers(FunctionOpInterface function) {
  SmallVector<Operation *> shared;
  function->walk([&](Operation *op) {
    auto groups = op->getAttrOfType<DenseI64ArrayAttr>(attr::kGroup);
    if (groups && groups.size() != 1)
      shared.push_back(op);
  });
  for (Operation *op : llvm::reverse(shared)) {
    SmallVector<int64_t> groups(op->getAttrOfType<DenseI64ArrayAttr>(attr::kGroup).asArrayRef());
    if (groups.empty())
      return op->emitOpError() << "has an empty fuse.group";
    auto fusable = dyn_cast<FusableOpInterface>(op);
    if (!fusable || !fusable.isBitStable() || !isMemoryEffectFree(op))
      return emitStale(op, groups[1], Barrier::RoundsIfDuplicated)
             << "it is in group " << groups[0]
             << " too, and computing it twice may give two different values";
    splitViews(op->getResult(0));
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    op->setAttr(attr::kGroup, builder.getDenseI64ArrayAttr(groups[0]));
    for (int64_t group : ArrayRef<int64_t>(groups).drop_front()) {
      Operation *clone = builder.clone(*op);
      clone->setAttr(attr::kGroup, builder.getDenseI64ArrayAttr(group));
      op->getResult(0).replaceUsesWithIf(clone->getResult(0),
                                         [&](OpOperand &use) { return getReadersGroup(use) == group; });
    }
  }
  return success();
}

/// Forms the kernels of one block, in two steps: `check` reads only.
class BlockFormer {
public:
  BlockFormer(Block &block, const FormOptions &options) : graph(block), options(options) {}

  LogicalResult check(DenseMap<int64_t, Operation *> &firstOfGroup) {
    llvm::MapVector<int64_t, SmallVector<unsigned>> groups;
    for (unsigned node = 0; node < graph.size(); ++node) {
      Operation *op = graph.getOp(node);
      auto group = op->getAttrOfType<DenseI64ArrayAttr>(attr::kGroup);
      if (!group)
        continue;
      Operation *first = firstOfGroup.try_emplace(group[0], op).first->second;
      if (first->getBlock() != op->getBlock()) {
        InFlightDiagnostic diagnostic = emitStale(op, group[0], Barrier::OtherBlock)
                                        << "other members are in another block";
        diagnostic.attachNote(first->getLoc()) << "a member";
        return diagnostic;
      }
      groups[group[0]].push_back(node);
    }
    unitOf.assign(graph.size(), 0);
    for (auto &[id, nodes] : groups) {
      if (failed(checkMembers(id, nodes)))
        return failure();
      addUnit(nodes, /*isKernel=*/true);
      unitGroups[units.size() - 1] = id;
    }
    for (unsigned node = 0; node < graph.size(); ++node)
      if (!graph.getOp(node)->hasAttr(attr::kGroup))
        addUnit(node, options.wrapRemaining && graph.getKind(node) == NodeKind::Device);
    if (succeeded(sortUnits(graph, unitOf, units.size(), order)))
      return success();
    return reportCycle();
  }

  void form() {
    Block &block = graph.getBlock();
    for (unsigned unit : order)
      for (Operation *op : units[unit].ops)
        op->moveBefore(&block, block.end());
    for (unsigned unit : order)
      if (units[unit].isKernel)
        buildKernel(units[unit].ops);
  }

private:
  struct Unit {
    SmallVector<Operation *, 1> ops;
    bool isKernel;
  };

  void addUnit(ArrayRef<unsigned> nodes, bool isKernel) {
    Unit unit{{}, isKernel};
    for (unsigned node : nodes) {
      unitOf[node] = units.size();
      unit.ops.push_back(graph.getOp(node));
    }
    units.push_back(std::move(unit));
  }

  LogicalResult checkMembers(int64_t id, ArrayRef<unsigned> nodes) {
    for (unsigned node : nodes)
      if (graph.getOp(node)->hasAttr(attr::kAlone) && !isOneWrittenOp(nodes))
        return emitStale(graph.getOp(node), id, Barrier::KeptAlone) << "it is marked fuse.alone";
    // First each member by itself, so that the error stands at the one that is in the way.
    for (unsigned node : nodes)
      if (Legality legality = checkGroup(graph, node); !legality)
        return emitStale(graph.getOp(node), id, legality.barrier) << legality.reason;
    if (Legality legality = checkGroup(graph, nodes); !legality)
      return emitStale(graph.getOp(nodes.back()), id, legality.barrier) << legality.reason;
    auto stores = [&](unsigned node) { return isa<StoreOp>(graph.getOp(node)); };
    if (nodes.size() < 2 || llvm::none_of(nodes, stores))
      return success();
    if (!table)
      table.emplace(graph);
    if (Legality legality = checkInPlace(*table, nodes); !legality)
      return emitStale(graph.getOp(nodes.back()), id, legality.barrier) << legality.reason;
    return success();
  }

  /// The primitives of one composite, or a single op.
  bool isOneWrittenOp(ArrayRef<unsigned> nodes) const {
    std::optional<int64_t> origin = getOriginId(graph.getOp(nodes.front()));
    return nodes.size() == 1 || (origin && llvm::all_of(nodes, [&](unsigned node) {
                                   return getOriginId(graph.getOp(node)) == origin;
                                 }));
  }

  /// Each group is convex by itself, so a cycle takes two.
  LogicalResult reportCycle() {
    llvm::DenseSet<unsigned> sorted(order.begin(), order.end());
    for (auto [unit, id] : unitGroups)
      if (!sorted.contains(unit))
        return emitStale(units[unit].ops.back(), id, Barrier::Cycle)
               << "this group and another one need each other's results";
    return graph.getOp(0)->emitOpError() << "is part of a cycle";
  }

  FusionGraph graph;
  std::optional<MemberTable> table; // made for groups that store
  const FormOptions &options;
  std::vector<Unit> units;
  std::vector<unsigned> unitOf;
  llvm::MapVector<unsigned, int64_t> unitGroups;
  SmallVector<unsigned> order;
};

/// Views and constants whose readers took clones.
void eraseDeadMetadata(FunctionOpInterface function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    NodeKind kind = classifyNode(op);
    if ((kind == NodeKind::View || kind == NodeKind::Constant) && op->use_empty() &&
        isMemoryEffectFree(op) && !isa<KernelOp, ScanOp>(op->getParentOp()))
      op->erase();
  });
}

struct FormKernels : fuse::impl::FuseFormKernelsBase<FormKernels> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(formKernels(function)))
        return signalPassFailure();
  }
};

} // namespace

LogicalResult mlir::fuse::formKernels(FunctionOpInterface function, const FormOptions &options) {
  if (function.isExternal())
    return success();
  if (failed(checkGroupIds(function)) || failed(splitSharedMembers(function)))
    return failure();
  SmallVector<Block *> blocks;
  function->walk<WalkOrder::PreOrder>([&](Block *block) {
    if (isa<KernelOp, ScanOp>(block->getParentOp()))
      return WalkResult::skip();
    blocks.push_back(block);
    return WalkResult::advance();
  });
  std::vector<BlockFormer> formers;
  DenseMap<int64_t, Operation *> firstOfGroup;
  for (Block *block : blocks) {
    formers.emplace_back(*block, options);
    if (failed(formers.back().check(firstOfGroup)))
      return failure();
  }
  for (BlockFormer &former : formers)
    former.form();
  eraseDeadMetadata(function);
  return success();
}
