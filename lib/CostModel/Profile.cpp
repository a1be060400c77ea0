//===- Profile.cpp - Launches, waits and bytes of one execution -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Profile.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/CostModel/Collectives.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/Support/Saturating.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::fuse;

//===- Arithmetic ---------------------------------------------------------------------------===//

int64_t mlir::fuse::getCollectiveBytesSent(Operation *launch) {
  std::optional<CollectiveKind> kind = getCollectiveKind(launch);
  if (!kind)
    return 0;
  ProcessGroupAttr group = getProcessGroup(launch);
  return collectiveBytesSent(*kind, getCollectiveBytes(launch), group.getGroupSize());
}

/// All figures; those that a loop repeats come first.
static constexpr int64_t Profile::*kFigures[] = {
    &Profile::kernelLaunches,     &Profile::syncPoints,    &Profile::hostOutputBytes,
    &Profile::deviceTrafficBytes, &Profile::collectiveBytes, &Profile::unknownValues,
    &Profile::unknownOutputs,     &Profile::boundValues,     &Profile::hintValues};
static constexpr size_t kNumRepeated = 5;

Profile &Profile::operator+=(const Profile &other) {
  for (auto figure : kFigures)
    this->*figure = addSaturating(this->*figure, other.*figure);
  partial |= other.partial;
  return *this;
}

Profile Profile::times(int64_t count) const {
  Profile result = *this;
  for (auto figure : ArrayRef(kFigures).take_front(kNumRepeated))
    result.*figure = mulSaturating(this->*figure, count);
  return result;
}

bool Profile::operator==(const Profile &other) const {
  return partial == other.partial &&
         llvm::all_of(kFigures, [&](auto figure) { return this->*figure == other.*figure; });
}

ProfileAttr Profile::toAttr(MLIRContext *context) const {
  return ProfileAttr::get(context, kernelLaunches, syncPoints, hostOutputBytes, deviceTrafficBytes,
                          unknownValues);
}

Profile Profile::fromAttr(ProfileAttr attr) {
  Profile profile;
  profile.kernelLaunches = attr.getKernelLaunches();
  profile.syncPoints = attr.getSyncPoints();
  profile.hostOutputBytes = attr.getHostOutputBytes();
  profile.deviceTrafficBytes = attr.getDeviceTrafficBytes();
  profile.unknownValues = attr.getUnknownValues();
  return profile;
}

//===- Traffic of one launch ----------------------------------------------------------------===//

namespace {

/// The sizes of values; and of those of dynamic size that count, where the size comes from.
class SizedValues {
public:
  explicit SizedValues(ValueSizes &sizes) : sizes(sizes) {}

  StatedSize look(Value value) { return sizes.getBytes(value); }
  /// Counts `value` among those whose size comes from `source`; once, however often it is read.
  void note(Value value, SizeSource source) {
    if (source != SizeSource::Static)
      values[static_cast<unsigned>(source)].insert(value);
  }
  int64_t count(SizeSource source) const { return values[static_cast<unsigned>(source)].size(); }

private:
  ValueSizes &sizes;
  llvm::DenseSet<Value> values[4];
};

/// Ops that run in one launch, and what is read and written by them from outside.
class Launch {
public:
  Launch(ArrayRef<Operation *> ops, SizedValues &sizes)
      : ops(ops), members(ops.begin(), ops.end()), sizes(sizes) {
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        addOperand(operand);
  }

  int64_t getTrafficBytes() {
    int64_t total = 0;
    auto add = [&](Value value, StatedSize size) {
      total = addSaturating(total, size.count);
      sizes.note(getIdentity(value), size.source);
    };
    for (auto &[source, reads] : sources) {
      StatedSize size = sizes.look(source);
      // Views of one source are read once each, together never more than the source.
      bool viewsAreLess = !size.isKnown() || reads.views.count < size.count;
      if (!reads.direct && reads.views.isKnown() && viewsAreLess)
        size = reads.views;
      add(source, size);
    }
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (isWritten(result))
          add(result, sizes.look(result));
    return total;
  }

private:
  struct Reads {
    bool direct = false;
    StatedSize views{0, SizeSource::Static}; ///< of all of them together
    llvm::DenseSet<Value> seen;
  };

  /// `value`, or what it is outside the kernel that it is an argument of.
  static Value getOuter(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp()))
        return getOuter(kernel.getInputs()[argument.getArgNumber()]);
    return value;
  }

  /// One value for what a kernel yields and the result that it becomes.
  static Value getIdentity(Value value) {
    for (OpOperand &use : value.getUses())
      if (auto yield = dyn_cast<YieldOp>(use.getOwner()))
        return yield->getParentOp()->getResult(use.getOperandNumber());
    return getOuter(value);
  }

  void addOperand(Value operand) {
    Value seen = getOuter(operand), source = seen;
    StatedSize size = sizes.look(seen);
    while (Operation *def = source.getDefiningOp()) {
      if (classifyNode(def) != NodeKind::View)
        break;
      source = getOuter(def->getOperand(0));
      StatedSize viewed = sizes.look(source);
      if (viewed.isKnown() && (!size.isKnown() || viewed.count < size.count))
        size = viewed;
    }
    if (members.contains(source.getDefiningOp()))
      return;
    bool isDirect = seen == source;
    Attribute constant;
    if (matchPattern(source, m_Constant(&constant))) {
      auto elements = dyn_cast<DenseElementsAttr>(constant);
      if (elements && elements.isSplat())
        return;
      // A constant and its copy in a kernel are one.
      source = constants.try_emplace(constant, source).first->second;
    }
    Reads &reads = sources[source];
    if (isDirect) {
      reads.direct = true;
    } else if (reads.seen.insert(seen).second) {
      reads.views.count = addSaturating(reads.views.count, size.count);
      reads.views.source = std::max(reads.views.source, size.source);
    }
  }

  /// Whether somebody outside reads `result`; what nobody reads is written all the same.
  bool isWritten(Value result) const {
    bool read = false;
    SmallVector<Value> work{result};
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        if (classifyNode(user) == NodeKind::View && !user->use_empty()) {
          work.push_back(user->getResult(0));
          continue;
        }
        if (!members.contains(user))
          return true;
        read = true;
      }
    return !read;
  }

  ArrayRef<Operation *> ops;
  llvm::DenseSet<Operation *> members;
  SizedValues &sizes;
  llvm::DenseMap<Attribute, Value> constants;
  llvm::MapVector<Value, Reads> sources;
};

SmallVector<Operation *> getMembers(KernelOp kernel) {
  SmallVector<Operation *> members;
  for (Operation &op : kernel.getBlock()->without_terminator())
    if (classifyNode(&op) == NodeKind::Device)
      members.push_back(&op);
  return members;
}

//===- Profile of a function ----------------------------------------------------------------===//

class Profiler {
public:
  Profiler(ProfileView view, std::optional<ArrayRef<int64_t>> outputs)
      : view(view), outputs(outputs) {}

  Profile run(FunctionOpInterface function) {
    Profile total;
    if (function.isExternal())
      return total;
    for (Block &block : function.getFunctionBody())
      total += visit(block);
    llvm::DenseSet<Value> returned;
    for (Block &block : function.getFunctionBody())
      if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
        for (OpOperand &value : block.getTerminator()->getOpOperands())
          if (isReadBack(value.getOperandNumber()) && returned.insert(value.get()).second)
            addReturned(value.get(), total);
    total.unknownValues = sized.count(SizeSource::Unknown);
    total.boundValues = sized.count(SizeSource::Bound);
    total.hintValues = sized.count(SizeSource::Hint);
    return total;
  }

private:
  bool isReadBack(int64_t result) const { return !outputs || llvm::is_contained(*outputs, result); }

  void addReturned(Value value, Profile &total) {
    Value source = getViewSource(value);
    if (auto argument = dyn_cast<BlockArgument>(source)) {
      if (argument.getOwner()->isEntryBlock())
        return;
    } else if (classifyNode(source.getDefiningOp()) == NodeKind::Constant) {
      return;
    }
    StatedSize size = sized.look(value);
    total.hostOutputBytes = addSaturating(total.hostOutputBytes, size.count);
    total.unknownOutputs += !size.isKnown();
    sized.note(value, size.source);
  }

  Profile launch(ArrayRef<Operation *> ops) {
    Profile profile;
    profile.kernelLaunches = 1;
    profile.syncPoints = classifyNode(ops.front()) == NodeKind::Host;
    profile.deviceTrafficBytes = Launch(ops, sized).getTrafficBytes();
    profile.collectiveBytes = getCollectiveBytesSent(ops.front());
    return profile;
  }

  Profile visit(Block &block) {
    Profile total;
    // The primitives of a composite in this block, as one launch.
    llvm::MapVector<int64_t, SmallVector<Operation *>> composites;
    auto visitDevice = [&](Operation *op) {
      if (auto id = view == ProfileView::AsWritten ? getOriginId(op) : std::nullopt)
        composites[*id].push_back(op);
      else
        total += launch(op);
    };
    for (Operation &op : block) {
      switch (classifyNode(&op)) {
      case NodeKind::Device:
        visitDevice(&op);
        break;
      case NodeKind::Host:
        total += launch(&op);
        break;
      case NodeKind::Kernel: {
        SmallVector<Operation *> members = getMembers(cast<KernelOp>(op));
        if (view == ProfileView::AsWritten)
          llvm::for_each(members, visitDevice);
        else if (!members.empty())
          total += launch(members);
        break;
      }
      case NodeKind::Foreign:
        total += visitForeign(&op);
        break;
      default:
        break;
      }
    }
    for (auto &[id, ops] : composites)
      total += launch(ops);
    return total;
  }

  Profile visitForeign(Operation *op) {
    Profile total;
    bool isLoop = isa<LoopLikeOpInterface>(op);
    for (Region &region : op->getRegions()) {
      Profile sum;
      for (Block &block : region)
        sum += visit(block);
      if (isLoop)
        total += sum;
      else if (std::pair(sum.kernelLaunches, sum.deviceTrafficBytes) >
               std::pair(total.kernelLaunches, total.deviceTrafficBytes))
        total = sum;
    }
    if (!isLoop || total == Profile())
      return total;
    if (std::optional<int64_t> trips = getStaticTrips(op))
      return total.times(*trips);
    total.partial = true;
    return total;
  }

  ProfileView view;
  std::optional<ArrayRef<int64_t>> outputs;
  ValueSizes sizes;
  SizedValues sized{sizes};
};

} // namespace

Profile mlir::fuse::computeProfile(FunctionOpInterface function, ProfileView view,
                                   std::optional<ArrayRef<int64_t>> outputs) {
  return Profiler(view, outputs).run(function);
}

Profile mlir::fuse::computeWrittenProfile(FunctionOpInterface function,
                                          std::optional<ArrayRef<int64_t>> outputs) {
  auto written = function->getAttrOfType<ProfileAttr>(attr::kWritten);
  Profile read = computeProfile(function, ProfileView::AsWritten, outputs);
  if (!written)
    return read;
  Profile profile = Profile::fromAttr(written);
  if (outputs)
    profile.hostOutputBytes = read.hostOutputBytes;
  profile.collectiveBytes = read.collectiveBytes;
  profile.unknownOutputs = read.unknownOutputs;
  profile.boundValues = read.boundValues;
  profile.hintValues = read.hintValues;
  profile.partial = read.partial;
  return profile;
}

int64_t mlir::fuse::computeTrafficBytes(Operation *launch) {
  ValueSizes sizes;
  return computeTrafficBytes(launch, sizes);
}

int64_t mlir::fuse::computeTrafficBytes(Operation *launch, ValueSizes &sizes) {
  SizedValues sized(sizes);
  if (auto kernel = dyn_cast<KernelOp>(launch))
    return Launch(getMembers(kernel), sized).getTrafficBytes();
  return Launch(launch, sized).getTrafficBytes();
}

std::optional<int64_t> mlir::fuse::getStaticTrips(Operation *loop) {
  auto loops = dyn_cast<LoopLikeOpInterface>(loop);
  std::optional<APInt> trips = loops ? loops.getStaticTripCount() : std::nullopt;
  if (!trips || trips->getActiveBits() >= 63)
    return std::nullopt;
  return trips->getZExtValue();
}
