//===- SizeConditions.cpp - For which sizes two groups would be one kernel -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/SizeConditions.h"

#include "fuse/Analysis/ValueSizes.h"
#include "fuse/CostModel/MergeQuery.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/RefineShapes.h"
#include "fuse/IR/ShapeConditions.h"
#include "fuse/IR/StatedExtents.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// The largest size that is tried of a dimension without a bound.
constexpr int64_t kMostTried = 4096;

/// Nodes of all copies of the block together. Each size takes about a dozen copies, and the backward pass of a training step has
/// thousands of nodes and dozens of open dimensions.
constexpr uint64_t kMostCopiedNodes = 1 << 16;

/// Open dimensions of arguments that are equal, and how messages name them.
struct OpenSize {
  std::string name;
  SmallVector<ArgumentDim> dims;
  int64_t likely = 0;
  std::optional<int64_t> most; ///< the least of their bounds
  bool isNamed = false;
};

/// The block of a copy of its function, with the nodes that those of the block became.
class SizedBlock {
public:
  SizedBlock(OwningOpRef<FunctionOpInterface> function, const IRMapping &mapping, const FusionGraph &original,
             TargetAttr target, const CostModel &costModel)
      : function(std::move(function)), graph(*mapping.lookup(&original.getBlock())), table(graph),
        query(graph, table, target, costModel) {
    for (unsigned node = 0; node < original.size(); ++node)
      if (original.getKind(node) == NodeKind::Device)
        nodeOf[node] = graph.lookup(mapping.lookup(original.getOp(node)));
  }

  /// What a kernel of both groups would gain over one of each, in ns; none where there can be none.
  std::optional<double> getGain(ArrayRef<unsigned> a, ArrayRef<unsigned> b) const {
    SmallVector<unsigned> nodesA = translate(a), nodesB = translate(b);
    GroupVerdict left = query.evaluate(nodesA), right = query.evaluate(nodesB);
    MergeVerdict merged = query.evaluateMerge(nodesA, left.facts, nodesB, right.facts);
    return merged.legality ? std::optional(merged.gainNs) : std::nullopt;
  }

private:
  SmallVector<unsigned> translate(ArrayRef<unsigned> nodes) const {
    SmallVector<unsigned> translated = llvm::map_to_vector(nodes, [&](unsigned node) { return nodeOf.lookup(node); });
    llvm::sort(translated);
    return translated;
  }

  OwningOpRef<FunctionOpInterface> function;
  FusionGraph graph;
  MemberTable table;
  MergeQuery query;
  DenseMap<unsigned, unsigned> nodeOf;
};

/// Whether other sizes may undo a refusal.
bool dependsOnSizes(Barrier barrier) {
  return llvm::is_contained({Barrier::UnknownExtent, Barrier::TooFewBlocks, Barrier::Scratch, Barrier::Registers,
                             Barrier::Recomputation, Barrier::Rereading, Barrier::Overlap, Barrier::MinGain},
                            barrier);
}

} // namespace

class SizeConditions::Impl {
public:
  Impl(const FusionGraph &graph, TargetAttr target, const CostModel &costModel)
      : graph(graph), target(target), costModel(costModel) {}

  void addTo(Legality &refused, ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
    if (!dependsOnSizes(refused.barrier))
      return;
    if (!function)
      collectSizes();
    std::string condition = findRange(a, b);
    if (condition.empty())
      condition = findKnown(a, b);
    if (!condition.empty())
      refused.needs += (refused.needs.empty() ? "" : "; or ") + condition;
  }

private:
  void collectSizes() {
    Operation *parent = graph.getBlock().getParentOp();
    function = dyn_cast<FunctionOpInterface>(parent);
    if (!function)
      function = parent->getParentOfType<FunctionOpInterface>();
    llvm::EquivalenceClasses<ArgumentDim> equal = getEqualDims(function);
    llvm::MapVector<ArgumentDim, OpenSize> found;
    ValueSizes stated;
    llvm::DenseSet<ArgumentDim> computed;
    conditions = function->getAttrOfType<ArrayAttr>(kShapeConditions);
    auto isUnknown = [](int64_t, int64_t) { return std::optional<int64_t>(); };
    forEachComputedDim(conditions, isUnknown, [&](int64_t argument, int64_t dim, std::optional<int64_t>) {
      computed.insert(equal.getOrInsertLeaderValue({argument, dim}));
    });
    forEachOpenDim(function, [&](unsigned argument, int64_t dim) {
      if (computed.contains(equal.getOrInsertLeaderValue({argument, dim})))
        return;
      OpenSize &size = found[equal.getOrInsertLeaderValue({argument, dim})];
      StringRef name = getDimName(function, argument, dim);
      if (size.dims.empty() || !name.empty())
        size.name = name.empty() ? getDimPlace(function, argument, dim) : name.str();
      size.isNamed |= !name.empty();
      size.dims.push_back({argument, dim});
      size.likely = stated.getLikelyExtent(function.getArgument(argument), dim);
      if (std::optional<int64_t> bound = readExtent(function, argument, attr::kDimBounds, dim))
        size.most = std::min(size.most.value_or(*bound), *bound);
    });
    for (auto &[leader, size] : found)
      sizes.push_back(std::move(size));
    // Those that a reader knows come first.
    std::stable_partition(sizes.begin(), sizes.end(), [](const OpenSize &size) { return size.isNamed; });
    uint64_t copies = 1; // the one where all are known
    auto end = llvm::find_if(sizes, [&](const OpenSize &size) {
      copies += getTried(size).size() + 1;
      return copies * graph.size() > kMostCopiedNodes;
    });
    sizes.erase(end, sizes.end());
  }

  //===- Another likely size ----------------------------------------------------------------===//

  /// The sizes that are tried of one: powers of two, and what is stated of it.
  static SmallVector<int64_t> getTried(const OpenSize &size) {
    int64_t most = size.most.value_or(std::max(kMostTried, size.likely));
    SmallVector<int64_t> tried{size.likely, most};
    for (int64_t next = 1; next < most; next *= 2)
      tried.push_back(next);
    llvm::sort(tried);
    tried.erase(llvm::unique(tried), tried.end());
    return tried;
  }

  /// A condition on one size: `seq <= 16`, `seq >= 16`, `seq from 2 to 16`, or the least of several apart, `seq = 1`.
  std::string findRange(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
    for (const OpenSize &size : sizes) {
      SmallVector<int64_t> tried = getTried(size);
      SmallVector<std::optional<double>> gains;
      for (int64_t extent : tried)
        gains.push_back(getGain(getSized(size, extent), a, b));
      auto isGain = [](std::optional<double> gain) { return gain.has_value(); };
      unsigned count = llvm::count_if(gains, isGain);
      if (count == 0 || count == tried.size())
        continue; // all alike: the other groups of the plan are what keeps them apart
      unsigned first = llvm::find_if(gains, isGain) - gains.begin();
      if (!std::all_of(gains.begin() + first, gains.begin() + first + count, isGain))
        return size.name + " = " + std::to_string(tried[first]) + formatGain(*gains[first], Twine(tried[first]));
      unsigned last = first + count - 1;
      if (first == 0)
        return size.name + " <= " + std::to_string(tried[last]) + formatGain(*gains[last], Twine(tried[last]));
      std::string text = size.name + " >= " + std::to_string(tried[first]);
      if (last + 1 < tried.size())
        text = size.name + " from " + std::to_string(tried[first]) + " to " + std::to_string(tried[last]);
      return text + formatGain(*gains[first], Twine(tried[first]));
    }
    return "";
  }

  static std::string formatGain(double ns, const Twine &extents) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(" (would gain %.0f ns at ", ns) << extents << ")";
    return text;
  }

  SizedBlock *getSized(const OpenSize &size, int64_t extent) {
    auto [it, isNew] = blocks.try_emplace({size.name, extent});
    if (isNew)
      it->second = copy([&](FunctionOpInterface function) {
        for (auto [argument, dim] : size.dims)
          writeExtent(function, argument, attr::kDimHints, dim, extent);
        auto find = [&](int64_t argument, int64_t dim) { return getPlannedExtent(function, argument, dim); };
        forEachComputedDim(conditions, find, [&](int64_t argument, int64_t dim, std::optional<int64_t> computed) {
          if (computed.value_or(-1) >= 0)
            writeExtent(function, argument, attr::kDimHints, dim, *computed);
        });
        return success();
      });
    return it->second.get();
  }

  //===- Sizes that are known while compiling -----------------------------------------------===//

  /// Which sizes have to be known: one of them, or all.
  std::string findKnown(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
    for (const OpenSize &size : sizes)
      if (std::optional<double> gain = getGain(getKnown(size), a, b))
        return size.name + " known while compiling" + formatGain(*gain, Twine(size.likely));
    if (sizes.size() < 2)
      return "";
    if (std::optional<double> gain = getGain(getKnown(sizes), a, b)) {
      auto names = llvm::map_range(sizes, [](const OpenSize &size) { return size.name; });
      auto extents = llvm::map_range(sizes, [](const OpenSize &size) { return std::to_string(size.likely); });
      return llvm::join(names, ", ") + " known while compiling" + formatGain(*gain, llvm::join(extents, ", "));
    }
    return "";
  }

  SizedBlock *getKnown(ArrayRef<OpenSize> known) {
    auto [it, isNew] = blocks.try_emplace({known.size() == 1 ? known.front().name : "", -1});
    if (!isNew)
      return it->second.get();
    it->second = copy([&](FunctionOpInterface function) {
      // Sizes that contradict what ops state make no kernel; nobody wants to hear of it.
      ScopedDiagnosticHandler silence(function.getContext(), [](Diagnostic &) { return success(); });
      SmallVector<Type> types(function.getArgumentTypes());
      for (const OpenSize &size : known)
        for (auto [argument, dim] : size.dims) {
          auto type = cast<ShapedType>(types[argument]);
          SmallVector<int64_t> shape(type.getShape());
          shape[dim] = size.likely;
          types[argument] = type.clone(shape);
          for (StringRef attribute : {attr::kDimHints, attr::kDimBounds})
            writeExtent(function, argument, attribute, dim, -1);
        }
      return success(succeeded(refineShapes(function, types)) && succeeded(mlir::verify(function)));
    });
    return it->second.get();
  }

  //===- Copies -----------------------------------------------------------------------------===//

  /// A copy of the function that `change` changed; null where it failed.
  std::unique_ptr<SizedBlock> copy(llvm::function_ref<LogicalResult(FunctionOpInterface)> change) {
    IRMapping mapping;
    OwningOpRef<FunctionOpInterface> changed = cast<FunctionOpInterface>(function->clone(mapping));
    if (failed(change(*changed)))
      return nullptr;
    return std::make_unique<SizedBlock>(std::move(changed), mapping, graph, target, costModel);
  }

  /// Nothing where the target asks for more.
  std::optional<double> getGain(SizedBlock *block, ArrayRef<unsigned> a, ArrayRef<unsigned> b) const {
    std::optional<double> gain = block ? block->getGain(a, b) : std::nullopt;
    return gain && *gain > 0 && *gain >= target.getFigure("min_gain_ns") ? gain : std::nullopt;
  }

  const FusionGraph &graph;
  TargetAttr target;
  const CostModel &costModel;
  FunctionOpInterface function;
  ArrayAttr conditions; ///< see kShapeConditions
  std::vector<OpenSize> sizes;
  std::map<std::pair<std::string, int64_t>, std::unique_ptr<SizedBlock>> blocks; ///< by size; -1: known
};

SizeConditions::SizeConditions(const FusionGraph &graph, TargetAttr target, const CostModel &costModel)
    : impl(std::make_unique<Impl>(graph, target, costModel)) {}

SizeConditions::~SizeConditions() = default;

void SizeConditions::addTo(Legality &refused, ArrayRef<unsigned> a, ArrayRef<unsigned> b) { impl->addTo(refused, a, b); }
