//===- GroupLegality.cpp - Whether a group could be an honest kernel -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupLegality.h"
#include "fuse/Analysis/GroupStream.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/IR/WidenedOperand.h"
#include "fuse/Support/Plural.h"
#include "fuse/Support/Saturating.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::fuse;

KernelLimits KernelLimits::get(TargetAttr target, bool mayStream) {
  KernelLimits limits(mayStream);
  double scratch = target.getFigure("shared_memory_bytes");
  limits.scratchBytes = static_cast<int64_t>(scratch > 0 ? scratch : target.getFigure("l2_bytes"));
  limits.registers = static_cast<int64_t>(target.getFigure("registers"));
  limits.maxOperands = static_cast<int64_t>(target.getFigure("max_operands"));
  limits.minBlocks = std::max<int64_t>(1, static_cast<int64_t>(target.getFigure("min_blocks")));
  return limits;
}

/// What an element-wise member and those that it reads element by element read of memory, in bytes.
static int64_t getReadBytes(const MemberTable &table, const Member &member) {
  int64_t bytes = 0;
  for (const MemberRead &read : member.reads) {
    bool isComputed = read.producer != FusionGraph::kNone && staysInRegisters(table, read.producer);
    bytes = addSaturating(bytes, isComputed ? getReadBytes(table, table[read.producer]) : read.bytes);
  }
  return bytes;
}

/// Whether `reader`, a product, computes the elements of its operand `member` as it reads them (see WidenedOperand.h).
static bool isWidenedBy(const MemberTable &table, unsigned node, const Member &reader) {
  if (!reader.isContraction())
    return false;
  for (const MemberRead &read : reader.reads) {
    if (read.producer != node)
      continue;
    int64_t times = 1;
    for (auto [loop, iterator] : llvm::enumerate(reader.iterators)) {
      if (iterator == utils::IteratorType::reduction || runsAlong(read, loop))
        continue;
      if (ShapedType::isDynamic(reader.extents[loop]))
        return false;
      times = mulSaturating(times, reader.extents[loop]);
    }
    return read.isKnown && read.window.empty() && times <= kMostTimesWidened &&
           mulSaturating(kLeastWidening, getReadBytes(table, table[node])) <= table[node].resultBytes;
  }
  return false;
}

bool mlir::fuse::staysInRegisters(const MemberTable &table, unsigned node) {
  const Member &member = table[node];
  bool isMadeUp = member.isLocal && member.reads.empty(); // an iota
  if ((member.pattern != OpPattern::Elementwise && !isMadeUp) || member.readers.size() != 1)
    return false;
  const Member &reader = table[member.readers.front()];
  return reader.pattern == OpPattern::Elementwise || reader.pattern == OpPattern::Reduction ||
         reader.scatter || // update by update
         isWidenedBy(table, node, reader);
}

/// Whether a member's elements are computed in the loops of a product that reads them, by this member or those behind it.
static bool isComputedByProduct(const MemberTable &table, unsigned node) {
  for (; staysInRegisters(table, node); node = table[node].readers.front())
    if (table[table[node].readers.front()].isContraction())
      return true;
  return false;
}

int64_t mlir::fuse::computeHeldValues(const MemberTable &table, const GroupDomain &domain,
                                      unsigned *widest) {
  llvm::SmallDenseMap<unsigned, int64_t, 16> held; // of the members in registers
  int64_t most = 0;
  for (unsigned node : domain.nodes) { // producers first
    SmallVector<int64_t, 4> operands;
    for (const MemberRead &read : table[node].reads)
      operands.push_back(read.producer == FusionGraph::kNone
                             ? 1
                             : std::max<int64_t>(1, held.lookup(read.producer)));
    // The operand that holds most is evaluated first; each one before the last leaves its value.
    llvm::sort(operands, std::greater<>());
    int64_t count = 1;
    for (auto [before, values] : llvm::enumerate(operands))
      count = std::max<int64_t>(count, before + values);
    if (count > most && widest)
      *widest = node;
    most = std::max(most, count);
    if (staysInRegisters(table, node) &&
        std::binary_search(domain.nodes.begin(), domain.nodes.end(), table[node].readers.front()))
      held[node] = count;
  }
  return most;
}

int64_t mlir::fuse::computeMinScratch(const MemberTable &table, const GroupDomain &domain,
                                      const KernelLimits &limits, unsigned *largest,
                                      std::optional<unsigned> streamed) {
  int64_t total = 0, most = 0;
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    const Member &member = table[node];
    auto count = [&, node = node](int64_t bytes) {
      if (largest && bytes > most)
        *largest = node;
      most = std::max(most, bytes);
      total = addSaturating(total, bytes);
    };
    for (const MemberRead &read : member.reads)
      if (auto copy = getWindowCopy(table, domain, m, read))
        count(mulSaturating(mulSaturating(read.elementBytes, copy->elements), copy->taps));
    if (domain.isResult[m] || staysInRegisters(table, node))
      continue;
    int64_t bytes = std::max<int64_t>(1, member.resultElementBytes);
    // Loops that the result does not run along are reductions.
    for (auto [atom, dim, id] :
         llvm::zip(domain.atoms[m], domain.shared.loops[m], domain.shared.classes[m]))
      if (dim == SharedDomain::kPrivate &&
          member.iterators[atom.loop] == utils::IteratorType::parallel) {
        int64_t extent = member.getLikely(atom);
        bytes = mulSaturating(bytes, streamed == id ? std::min(extent, limits.streamTile) : extent);
      }
    count(bytes);
  }
  return total;
}

/// The member that keeps the widest one from being cut, and how.
static std::string explainBlocks(const MemberTable &table, const GroupDomain &domain,
                                 DescribeNode describe) {
  for (auto [m, node] : llvm::enumerate(domain.nodes))
    for (const MemberRead &read : table[node].reads)
      if (!read.isKnown && domain.contains(read.producer))
        return describe(node) + " needs more of " + describe(read.producer) +
               " than the element at its own position";
  for (auto [m, node] : llvm::enumerate(domain.nodes))
    if (table[node].isReduction())
      return describe(node) + " reduces along what the others would be tiled along";
  return "the results are not written along common loops";
}

namespace {

/// The member with the most parallel points, and the work of all in points.
struct Width {
  int64_t points = 0, widest = 1;
  unsigned node;

  Width(const MemberTable &table, const GroupDomain &domain, const KernelLimits &limits)
      : node(domain.nodes.front()) {
    for (unsigned candidate : domain.nodes) {
      const Member &member = table[candidate];
      int64_t work = member.getPoints();
      if (member.isContraction())
        work /= kContractionSteps;
      if (isComputedByProduct(table, candidate)) // in the product's own points
        continue;
      if (member.isLoad || member.isStore) // the kernel's operand, and its result
        work = 0;
      points = addSaturating(points, work);
      int64_t parallel = member.getParallelPoints();
      if (parallel > widest) {
        widest = parallel;
        node = candidate;
      }
    }
  }
};

} // namespace

unsigned mlir::fuse::getWidestMember(const MemberTable &table, const GroupDomain &domain,
                                     const KernelLimits &limits) {
  return Width(table, domain, limits).node;
}

int64_t mlir::fuse::getWantedBlocks(const MemberTable &table, const GroupDomain &domain,
                                    const KernelLimits &limits) {
  Width width(table, domain, limits);
  return width.points <= limits.serialPoints ? 1 : std::min(limits.minBlocks, width.widest);
}

Legality mlir::fuse::checkBlocks(const MemberTable &table, const GroupDomain &domain,
                                 int64_t blocks, const KernelLimits &limits,
                                 DescribeNode describe) {
  Width width(table, domain, limits);
  int64_t wanted = std::min(limits.minBlocks, width.widest);
  if (blocks >= wanted || width.points <= limits.serialPoints)
    return Legality::legal();
  return {Barrier::TooFewBlocks,
          "one kernel would have " + pluralize(blocks, "block") + " where " +
              describe(width.node) + " has " + std::to_string(width.widest) + " points, " +
              std::to_string(width.points) + " with all members: " + explainBlocks(table, domain, describe),
          "at least " + std::to_string(wanted) + " blocks, or at most " +
              std::to_string(limits.serialPoints) + " points in all"};
}

Legality mlir::fuse::checkSize(int64_t count, const KernelLimits &limits) {
  if (count <= limits.maxMembers)
    return Legality::legal();
  return {Barrier::TooManyMembers,
          "the kernel would have " + std::to_string(count) + " ops, " +
              std::to_string(limits.maxMembers) + " are allowed",
          "a smaller group"};
}

std::optional<unsigned> mlir::fuse::findScatter(const MemberTable &table,
                                                ArrayRef<unsigned> nodes) {
  for (unsigned node : nodes)
    if (table[node].scatter)
      return node;
  return std::nullopt;
}

/// Whether a scatter's updates and their indices are what its kernel's loop goes over: one loop of
/// indices, and at most one before and behind it.
static bool hasPlainLoops(const Member &scatter) {
  const int *scattered = llvm::find(scatter.writes, DomainAccess::kOther);
  return scatter.reads[1].positions.size() <= 1 && scattered - scatter.writes.begin() <= 1 &&
         scatter.writes.end() - scattered <= 2;
}

Legality mlir::fuse::checkScatter(const MemberTable &table, const GroupDomain &domain,
                                  DescribeNode describe) {
  std::optional<unsigned> found = findScatter(table, domain.nodes);
  if (!found || domain.nodes.size() == 1)
    return Legality::legal();
  unsigned scatter = *found;
  if (!hasPlainLoops(table[scatter]))
    return {Barrier::Scatter,
            describe(scatter) + " joins loops, and goes through memory for that",
            "indices of rank 1, and at most one dimension before and behind theirs"};
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    const Member &member = table[node];
    if (node > scatter)
      return {Barrier::Scatter,
              describe(node) + " stands behind " + describe(scatter) + ", which ends its kernel",
              "a kernel of its own for what reads the scatter"};
    for (const MemberRead &read : member.reads)
      if (domain.contains(read.producer) && !(read.isPlain && (read.isKnown || node == scatter)))
        return {Barrier::Scatter,
                describe(node) + " needs more of " + describe(read.producer) +
                    " than the element at its own position",
                "an operand from memory"};
    if (node == scatter)
      continue;
    if (domain.isResult[m] || member.readers.size() != 1)
      return {Barrier::Scatter,
              describe(node) + " is read by others than " + describe(scatter),
              "ops that have one reader each"};
    if (!member.isLocal)
      return {Barrier::Scatter,
              describe(node) + " cannot be computed update by update for " + describe(scatter),
              "element-wise ops, gathers and iotas alone before a scatter"};
  }
  return Legality::legal();
}

Legality mlir::fuse::checkLimits(const MemberTable &table, const GroupDomain &domain,
                                 const KernelLimits &limits,
                                 DescribeNode describe) {
  int64_t count = domain.nodes.size();
  if (count < 2)
    return Legality::legal();
  if (Legality legality = checkSize(count, limits); !legality)
    return legality;

  if (Legality legality = checkScatter(table, domain, describe); !legality)
    return legality;

  llvm::SmallSet<unsigned, 16> values;
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    for (const MemberRead &read : table[node].reads)
      if (!domain.contains(read.producer))
        values.insert(read.value);
    if (domain.isResult[m])
      values.insert(table[node].hasResult ? table[node].value : ~node);
  }
  if (static_cast<int64_t>(values.size()) > limits.maxOperands)
    return {Barrier::TooManyOperands,
            "the kernel would have " + std::to_string(values.size()) + " operands and results, " +
                std::to_string(limits.maxOperands) + " are allowed",
            "a smaller group, or a target with a larger max_operands"};

  // A scatter is cut along more than members share, into as many blocks as pay.
  bool hasScatter = findScatter(table, domain.nodes).has_value();
  if (Legality legality = checkBlocks(table, domain, domain.getSharedPoints(),
                                      limits, describe);
      !legality && !hasScatter)
    return legality;

  unsigned widest = 0;
  if (int64_t held = computeHeldValues(table, domain, &widest); held > limits.registers)
    return {Barrier::Registers,
            "a loop would hold " + std::to_string(held) + " values at once for " +
                describe(widest) + ", in " + std::to_string(limits.registers) + " registers",
            "a smaller expression, or a target with more registers"};

  unsigned largest = 0;
  int64_t scratch = computeMinScratch(table, domain, limits, &largest);
  std::string remedy = "shorter rows, or a target with more memory near the core";
  if (scratch > limits.scratchBytes)
    if (std::optional<GroupStream> stream = findGroupStream(table, domain)) {
      if (limits.mayStream)
        scratch = computeMinScratch(table, domain, limits, &largest, stream->dimClass);
      else if (computeMinScratch(table, domain, limits, /*largest=*/nullptr, stream->dimClass) <= limits.scratchBytes)
        remedy = "numerics=reassociates, with which rows are streamed; " + remedy;
    }
  if (scratch > limits.scratchBytes)
    return {Barrier::Scratch,
            "a block would need " + std::to_string(scratch) + " bytes of scratch, most of it for " +
                describe(largest) + "; " + std::to_string(limits.scratchBytes) +
                " are near the core",
            remedy};
  return Legality::legal();
}

Legality mlir::fuse::checkInPlace(const MemberTable &table, ArrayRef<unsigned> nodes) {
  if (llvm::none_of(nodes, [&](unsigned node) { return table[node].isStore; }))
    return Legality::legal();
  bool hasStore = false, hasLoad = false, isLoadedOnce = true, isElementwise = true;
  for (unsigned node : nodes) {
    const Member &member = table[node];
    isElementwise &= (member.pattern == OpPattern::Elementwise || member.isLoad ||
                      member.isStore) && member.readsInPlace();
    if (member.isLoad) {
      hasLoad = true;
      // What a reader outside of the kernel takes leaves the kernel whole.
      isLoadedOnce &= !member.escapes && member.readers.size() == 1 &&
                      llvm::is_contained(nodes, member.readers.front());
    }
    if (member.isStore && hasStore)
      return {Barrier::AliasingStore,
              "the buffers of two stores may overlap, and one kernel would write them in turns",
              "one store in each kernel"};
    hasStore |= member.isStore;
  }
  bool isLast = table[nodes.back()].isStore;
  if (hasStore && hasLoad && !(isElementwise && isLast && isLoadedOnce))
    return {Barrier::AliasingStore, "the store may write elements that the kernel reads later",
            "a load that one op reads, element by element up to the store"};
  return Legality::legal();
}
