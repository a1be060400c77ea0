//===- SharedDomain.cpp - The loops that the members of a kernel share ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/SharedDomain.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Nodes of the union-find: the loops of each member, then the positions of each value.
class Nodes {
public:
  explicit Nodes(ArrayRef<DomainMember> members) {
    for (const DomainMember &member : members) {
      loopBase.push_back(count);
      count += member.iterators.size();
    }
    unsigned numValues = 0;
    for (const DomainMember &member : members)
      for (const DomainAccess &write : member.writes)
        numValues = std::max(numValues, write.value + 1);
    valueBase.resize(numValues, 0);
    ranks.resize(numValues, 0);
    for (const DomainMember &member : members)
      for (const DomainAccess &write : member.writes) {
        valueBase[write.value] = count;
        ranks[write.value] = write.map ? write.map.getNumResults() : 0;
        count += ranks[write.value];
      }
  }
  unsigned loop(unsigned member, unsigned position) const { return loopBase[member] + position; }
  unsigned value(unsigned value, unsigned position) const { return valueBase[value] + position; }
  unsigned rank(unsigned value) const { return ranks[value]; }
  unsigned size() const { return count; }

private:
  unsigned count = 0;
  SmallVector<unsigned> loopBase, valueBase, ranks;
};

/// Joins the loops of siblings, the parts of a kernel that no value connects.
class Siblings {
public:
  Siblings(ArrayRef<DomainMember> members, const Nodes &nodes)
      : members(members), nodes(nodes), part(members.size()) {
    DenseMap<unsigned, unsigned> definedBy;
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &write : member.writes)
        definedBy[write.value] = m;
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &read : member.reads)
        if (auto it = definedBy.find(read.value); it != definedBy.end())
          part.join(m, it->second);
    part.compress();
  }
  bool exist() const { return part.getNumClasses() > 1; }

  /// Along the inputs that they read: the loops of each part's first read.
  void joinAlongInputs(llvm::IntEqClasses &classes) const {
    // (input, position) -> the loop of the first part that reads it; and what was read already.
    DenseMap<std::pair<unsigned, unsigned>, unsigned> first;
    DenseSet<std::pair<unsigned, unsigned>> read;
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &access : member.inputs) {
        if (!access.map || !read.insert({access.value, part[m]}).second)
          continue;
        for (auto [position, expr] : llvm::enumerate(access.map.getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
            unsigned loop = nodes.loop(m, dim.getPosition());
            auto [it, isNew] = first.try_emplace({access.value, position}, loop);
            if (!isNew)
              classes.join(it->second, loop);
          }
      }
  }

  /// Side by side: the leading dims of each part's first result.
  void joinByExtents(llvm::IntEqClasses &classes) const {
    SmallVector<SmallVector<std::pair<unsigned, int64_t>>> leading(part.getNumClasses());
    SmallVector<bool> isKnown(part.getNumClasses(), false);
    for (auto [m, member] : llvm::enumerate(members)) {
      if (member.results.empty() || member.extents.empty() || isKnown[part[m]])
        continue;
      isKnown[part[m]] = true;
      for (const DomainAccess &write : member.writes)
        if (write.value == member.results.front() && write.map)
          for (AffineExpr expr : write.map.getResults())
            if (auto dim = dyn_cast<AffineDimExpr>(expr))
              leading[part[m]].push_back(
                  {nodes.loop(m, dim.getPosition()), member.extents[dim.getPosition()]});
    }
    for (unsigned other = 1; other < leading.size(); ++other)
      for (auto [mine, its] : llvm::zip(leading[0], leading[other])) {
        if (mine.second != its.second || mine.second < 0) // unknown extents are below 0
          break;
        classes.join(mine.first, its.first);
      }
  }

private:
  ArrayRef<DomainMember> members;
  const Nodes &nodes;
  llvm::IntEqClasses part;
};

} // namespace

static SharedDomain solve(ArrayRef<DomainMember> members, const Nodes &nodes,
                          llvm::IntEqClasses classes) {
  classes.compress();

  // A class is shared until something speaks against it.
  SmallVector<bool> shareable(classes.getNumClasses(), true);
  for (auto [m, member] : llvm::enumerate(members)) {
    SmallVector<unsigned> seen;
    for (auto [l, iterator] : llvm::enumerate(member.iterators)) {
      unsigned id = classes[nodes.loop(m, l)];
      if (iterator != utils::IteratorType::parallel || llvm::is_contained(seen, id))
        shareable[id] = false;
      seen.push_back(id);
    }
    for (const DomainAccess &read : member.reads) {
      // Without a map nothing is known: the whole value is needed.
      for (unsigned position = 0, end = nodes.rank(read.value); position < end; ++position)
        if (!read.map || !isa<AffineDimExpr>(read.map.getResult(position)))
          shareable[classes[nodes.value(read.value, position)]] = false;
    }
    for (const DomainAccess &write : member.writes)
      if (llvm::is_contained(member.results, write.value)) {
        SmallVector<bool> written(classes.getNumClasses(), false);
        for (unsigned position = 0, end = write.map ? write.map.getNumResults() : 0;
             position < end; ++position)
          if (isa<AffineDimExpr>(write.map.getResult(position)))
            written[classes[nodes.value(write.value, position)]] = true;
        for (unsigned id = 0; id < written.size(); ++id)
          shareable[id] = shareable[id] && written[id];
      }
  }

  SharedDomain domain;
  SmallVector<int> dimOfClass(classes.getNumClasses(), SharedDomain::kPrivate);
  for (auto [m, member] : llvm::enumerate(members)) {
    if (member.results.empty())
      continue;
    for (unsigned l = 0; l < member.iterators.size(); ++l) {
      unsigned id = classes[nodes.loop(m, l)];
      if (shareable[id] && dimOfClass[id] == SharedDomain::kPrivate)
        dimOfClass[id] = domain.numDims++;
    }
    break; // every result has every shared dim
  }
  domain.replicated.resize(domain.numDims);
  for (auto [m, member] : llvm::enumerate(members)) {
    SmallVector<int> &dims = domain.loops.emplace_back();
    for (unsigned l = 0; l < member.iterators.size(); ++l)
      dims.push_back(dimOfClass[classes[nodes.loop(m, l)]]);
    for (unsigned d = 0; d < domain.numDims; ++d)
      if (!llvm::is_contained(dims, static_cast<int>(d)))
        domain.replicated[d].push_back(m);
  }
  return domain;
}

SharedDomain mlir::fuse::computeSharedDomain(ArrayRef<DomainMember> members) {
  Nodes nodes(members);
  llvm::IntEqClasses classes(nodes.size());
  for (auto [m, member] : llvm::enumerate(members))
    for (ArrayRef<DomainAccess> accesses : {ArrayRef(member.reads), ArrayRef(member.writes)})
      for (const DomainAccess &access : accesses)
        if (access.map)
          for (auto [position, expr] : llvm::enumerate(access.map.getResults()))
            if (auto dim = dyn_cast<AffineDimExpr>(expr))
              classes.join(nodes.loop(m, dim.getPosition()), nodes.value(access.value, position));

  Siblings siblings(members, nodes);
  if (!siblings.exist())
    return solve(members, nodes, classes);

  // Of those the one that shares most; inputs and extents may contradict each other.
  llvm::IntEqClasses alongInputs = classes, alongBoth;
  siblings.joinAlongInputs(alongInputs);
  alongBoth = alongInputs;
  siblings.joinByExtents(classes);
  siblings.joinByExtents(alongBoth);
  SharedDomain best = solve(members, nodes, alongInputs);
  for (const llvm::IntEqClasses &joined : {alongBoth, classes}) {
    SharedDomain domain = solve(members, nodes, joined);
    if (domain.numDims > best.numDims)
      best = std::move(domain);
  }
  return best;
}
