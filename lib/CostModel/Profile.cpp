//===- Profile.cpp - Launches, waits and bytes of one execution -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Profile.h"
#include "fuse/Analysis/FusionGraph.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

//===- Arithmetic ---------------------------------------------------------------------------===//

int64_t mlir::fuse::addSaturating(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::numeric_limits<int64_t>::max() : sum;
}

int64_t mlir::fuse::mulSaturating(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::numeric_limits<int64_t>::max() : product;
}

Profile &Profile::operator+=(const Profile &other) {
  kernelLaunches = addSaturating(kernelLaunches, other.kernelLaunches);
  syncPoints = addSaturating(syncPoints, other.syncPoints);
  hostOutputBytes = addSaturating(hostOutputBytes, other.hostOutputBytes);
  deviceTrafficBytes = addSaturating(deviceTrafficBytes, other.deviceTrafficBytes);
  unknownValues = addSaturating(unknownValues, other.unknownValues);
  partial |= other.partial;
  return *this;
}

Profile Profile::times(int64_t count) const {
  Profile result = *this;
  result.kernelLaunches = mulSaturating(kernelLaunches, count);
  result.syncPoints = mulSaturating(syncPoints, count);
  result.hostOutputBytes = mulSaturating(hostOutputBytes, count);
  result.deviceTrafficBytes = mulSaturating(deviceTrafficBytes, count);
  return result;
}

bool Profile::operator==(const Profile &other) const {
  return kernelLaunches == other.kernelLaunches && syncPoints == other.syncPoints &&
         hostOutputBytes == other.hostOutputBytes &&
         deviceTrafficBytes == other.deviceTrafficBytes && unknownValues == other.unknownValues &&
         partial == other.partial;
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

std::optional<int64_t> knownBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasStaticShape())
    return std::nullopt;
  return getByteSize(type);
}

/// Ops that run in one launch, and what is read and written by them from outside.
class Launch {
public:
  explicit Launch(ArrayRef<Operation *> ops) : ops(ops), members(ops.begin(), ops.end()) {
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        addOperand(operand);
  }

  int64_t getTrafficBytes(llvm::DenseSet<Value> &unknown) {
    int64_t total = 0;
    for (auto &[source, reads] : sources) {
      std::optional<int64_t> whole = knownBytes(source.getType());
      // Views of one source are read once each, together never more than the source.
      std::optional<int64_t> bytes = whole;
      if (!reads.direct && reads.viewsAreKnown)
        bytes = whole ? std::min(*whole, reads.viewBytes) : reads.viewBytes;
      if (bytes)
        total = addSaturating(total, *bytes);
      else
        unknown.insert(getIdentity(source));
    }
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (isWritten(result)) {
          if (std::optional<int64_t> bytes = knownBytes(result.getType()))
            total = addSaturating(total, *bytes);
          else
            unknown.insert(getIdentity(result));
        }
    return total;
  }

private:
  struct Reads {
    bool direct = false, viewsAreKnown = true;
    int64_t viewBytes = 0;
    llvm::DenseSet<Value> views;
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
    std::optional<int64_t> bytes = knownBytes(seen.getType());
    while (Operation *def = source.getDefiningOp()) {
      if (classifyNode(def) != NodeKind::View)
        break;
      source = getOuter(def->getOperand(0));
      std::optional<int64_t> viewed = knownBytes(source.getType());
      if (viewed && (!bytes || *viewed < *bytes))
        bytes = viewed;
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
    } else if (reads.views.insert(seen).second) {
      reads.viewsAreKnown &= bytes.has_value();
      reads.viewBytes = addSaturating(reads.viewBytes, bytes.value_or(0));
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
    total.unknownValues = unknown.size();
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
    if (std::optional<int64_t> bytes = knownBytes(value.getType()))
      total.hostOutputBytes = addSaturating(total.hostOutputBytes, *bytes);
    else
      unknown.insert(value);
  }

  Profile launch(ArrayRef<Operation *> ops) {
    Profile profile;
    profile.kernelLaunches = 1;
    profile.syncPoints = classifyNode(ops.front()) == NodeKind::Host;
    profile.deviceTrafficBytes = Launch(ops).getTrafficBytes(unknown);
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
    std::optional<APInt> trips = cast<LoopLikeOpInterface>(op).getStaticTripCount();
    if (trips && trips->getActiveBits() < 63)
      return total.times(trips->getZExtValue());
    total.partial = true;
    return total;
  }

  ProfileView view;
  std::optional<ArrayRef<int64_t>> outputs;
  llvm::DenseSet<Value> unknown;
};

} // namespace

Profile mlir::fuse::computeProfile(FunctionOpInterface function, ProfileView view,
                                   std::optional<ArrayRef<int64_t>> outputs) {
  return Profiler(view, outputs).run(function);
}

Profile mlir::fuse::computeWrittenProfile(FunctionOpInterface function,
                                          std::optional<ArrayRef<int64_t>> outputs) {
  auto written = function->getAttrOfType<ProfileAttr>(attr::kWritten);
  if (written && !outputs)
    return Profile::fromAttr(written);
  Profile profile = computeProfile(function, ProfileView::AsWritten, outputs);
  if (!written)
    return profile;
  int64_t hostOutputBytes = profile.hostOutputBytes;
  profile = Profile::fromAttr(written);
  profile.hostOutputBytes = hostOutputBytes;
  return profile;
}

int64_t mlir::fuse::computeTrafficBytes(Operation *launch) {
  llvm::DenseSet<Value> unknown;
  if (auto kernel = dyn_cast<KernelOp>(launch))
    return Launch(getMembers(kernel)).getTrafficBytes(unknown);
  return Launch(launch).getTrafficBytes(unknown);
}
