//===- SharedDomain.cpp - The loops that the members of a kernel share ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/SharedDomain.h"
#include "mlir/IR/AffineExpr.h"
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

} // namespace

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
