//===- SharedDomain.cpp - The loops that the members of a kernel share ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/SharedDomain.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

DomainAccess::DomainAccess(unsigned value, AffineMap map) : value(value), isWhole(!map) {
  if (map)
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      loops.push_back(dim ? static_cast<int>(dim.getPosition()) : kOther);
    }
}

namespace {

class DomainBuilder {
public:
  explicit DomainBuilder(ArrayRef<DomainMember> members) : members(members) {}

  SharedDomain build() {
    joinAccesses();
    uniteSiblings();
    classes.compress();
    findCuttable();
    chooseDims();
    return describe();
  }

  std::optional<SharedDomain> build(ArrayRef<SmallVector<int64_t>> resultDims) {
    joinAccesses();
    classes.compress();
    findCuttable();
    if (!takeDims(resultDims))
      return std::nullopt;
    return describe();
  }

private:
  void joinAccesses() {
    numberNodes();
    classes.grow(numNodes);
    for (auto [m, member] : llvm::enumerate(members))
      for (ArrayRef<DomainAccess> accesses : {ArrayRef(member.reads), ArrayRef(member.writes)})
        for (const DomainAccess &access : accesses)
          for (auto [position, loop] : llvm::enumerate(access.loops))
            if (loop >= 0)
              classes.join(loopBase[m] + loop, valueBase[access.value] + position);
  }

  /// Nodes of the union-find: the loops of each member, then the positions of each value.
  void numberNodes() {
    unsigned numValues = 0;
    for (const DomainMember &member : members) {
      loopBase.push_back(numNodes);
      numNodes += member.iterators.size();
      for (const DomainAccess &write : member.writes)
        numValues = std::max(numValues, write.value + 1);
    }
    valueBase.assign(numValues, 0);
    ranks.assign(numValues, 0);
    definers.assign(numValues, 0);
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &write : member.writes) {
        valueBase[write.value] = numNodes;
        ranks[write.value] = write.loops.size();
        definers[write.value] = m;
        numNodes += write.loops.size();
      }
  }

  unsigned loopClass(unsigned member, unsigned loop) const {
    return classes[loopBase[member] + loop];
  }

  /// The loops along which members that nothing connects read their largest common operand.
  void uniteSiblings() {
    llvm::IntEqClasses components(members.size());
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &read : member.reads)
        components.join(m, definers[read.value]);
    struct Use {
      unsigned input, member;
      const DomainAccess *access;
    };
    SmallVector<Use> uses;
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &input : member.inputs)
        if (!input.loops.empty())
          uses.push_back({input.value, static_cast<unsigned>(m), &input});
    llvm::stable_sort(uses, [](const Use &a, const Use &b) {
      return std::pair(-static_cast<int>(a.access->loops.size()), a.input) <
             std::pair(-static_cast<int>(b.access->loops.size()), b.input);
    });
    const Use *first = nullptr;
    for (const Use &use : uses) {
      if (!first || first->input != use.input) {
        first = &use;
        continue;
      }
      if (components.findLeader(first->member) == components.findLeader(use.member) ||
          first->access->loops.size() != use.access->loops.size())
        continue;
      components.join(first->member, use.member);
      for (auto [a, b] : llvm::zip(first->access->loops, use.access->loops))
        if (a >= 0 && b >= 0)
          classes.join(loopBase[first->member] + a, loopBase[use.member] + b);
    }
  }

  /// Which classes nothing speaks against but the results, and their extents.
  void findCuttable() {
    unsigned count = classes.getNumClasses();
    cuttable.assign(count, true);
    sequential.assign(count, true);
    extents.assign(count, ShapedType::kDynamic);
    SmallVector<unsigned> seenBy(count, ~0u);
    for (auto [m, member] : llvm::enumerate(members)) {
      for (auto [l, iterator] : llvm::enumerate(member.iterators)) {
        unsigned id = loopClass(m, l);
        if (iterator != utils::IteratorType::parallel || seenBy[id] == m)
          cuttable[id] = false;
        if (seenBy[id] == m)
          sequential[id] = false;
        seenBy[id] = m;
        if (l < member.extents.size() && !ShapedType::isDynamic(member.extents[l]))
          extents[id] = member.extents[l];
      }
      for (const DomainAccess &read : member.reads)
        for (unsigned position = 0, end = ranks[read.value]; position < end; ++position)
          if (position >= read.loops.size() || read.loops[position] < 0) {
            unsigned id = classes[valueBase[read.value] + position];
            cuttable[id] = sequential[id] = false;
          }
    }
  }

  /// A dim is the classes that it is to the members: one, unless siblings were paired.
  void chooseDims() {
    dimOfClass.assign(classes.getNumClasses(), SharedDomain::kPrivate);
    struct Result {
      SmallVector<unsigned, 4> order; // cuttable classes, in loop order
    };
    SmallVector<Result> results;
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &write : member.writes) {
        if (!llvm::is_contained(member.results, write.value))
          continue;
        SmallVector<unsigned, 4> written;
        for (int loop : write.loops)
          if (loop >= 0)
            written.push_back(loopClass(m, loop));
        Result &result = results.emplace_back();
        for (unsigned l = 0; l < member.iterators.size(); ++l) {
          unsigned id = loopClass(m, l);
          if (cuttable[id] && llvm::is_contained(written, id))
            result.order.push_back(id);
        }
      }
    if (results.empty())
      return;
    for (unsigned id : results.front().order) {
      SmallVector<unsigned, 2> partners{id};
      for (const Result &other : ArrayRef(results).drop_front()) {
        if (llvm::any_of(partners, [&](unsigned p) { return llvm::is_contained(other.order, p); }))
          continue;
        const auto *partner = llvm::find_if(other.order, [&](unsigned candidate) {
          return isFree(candidate, results.front().order) && canPair(partners, candidate);
        });
        if (partner == other.order.end()) {
          partners.clear();
          break;
        }
        partners.push_back(*partner);
      }
      for (unsigned partner : partners)
        dimOfClass[partner] = numDims;
      numDims += !partners.empty();
    }
  }

  /// Gives classes the dims that are given for results; false where one is not to be cut, or has another,
  /// and where a result lacks a dim: two blocks would write its elements.
  bool takeDims(ArrayRef<SmallVector<int64_t>> resultDims) {
    for (auto [number, list] : llvm::enumerate(resultDims)) {
      SmallVector<int64_t> dims;
      llvm::copy_if(list, std::back_inserter(dims),
                    [](int64_t dim) { return dim != SharedDomain::kPrivate; });
      llvm::sort(dims);
      if (number == 0)
        numDims = dims.size();
      if (!llvm::equal(dims, llvm::seq<int64_t>(0, numDims)))
        return false;
    }
    dimOfClass.assign(classes.getNumClasses(), SharedDomain::kPrivate);
    for (auto [m, member] : llvm::enumerate(members))
      for (const DomainAccess &write : member.writes) {
        if (!llvm::is_contained(member.results, write.value))
          continue;
        if (resultDims.empty())
          return false;
        // Without dims there is one block, whatever the loops are.
        if (llvm::all_of(resultDims.front(), [](int64_t dim) { return dim == SharedDomain::kPrivate; })) {
          resultDims = resultDims.drop_front();
          continue;
        }
        if (resultDims.front().size() != write.loops.size())
          return false;
        for (auto [loop, dim] : llvm::zip(write.loops, resultDims.front())) {
          if (dim == SharedDomain::kPrivate)
            continue;
          unsigned id = loop < 0 ? 0 : loopClass(m, loop);
          if (loop < 0 || !cuttable[id] ||
              (dimOfClass[id] != SharedDomain::kPrivate && dimOfClass[id] != dim))
            return false;
          dimOfClass[id] = dim;
        }
        resultDims = resultDims.drop_front();
      }
    return resultDims.empty();
  }

  /// Whether a class belongs to no dim and is not what the first result will look for itself.
  bool isFree(unsigned candidate, ArrayRef<unsigned> reserved) const {
    return dimOfClass[candidate] == SharedDomain::kPrivate &&
           !llvm::is_contained(reserved, candidate);
  }

  /// Equal static extents, and no member carries both.
  bool canPair(ArrayRef<unsigned> partners, unsigned candidate) const {
    if (ShapedType::isDynamic(extents[candidate]) ||
        extents[candidate] != extents[partners.front()])
      return false;
    for (auto [m, member] : llvm::enumerate(members)) {
      bool hasCandidate = false, hasPartner = false;
      for (unsigned l = 0; l < member.iterators.size(); ++l) {
        hasCandidate |= loopClass(m, l) == candidate;
        hasPartner |= llvm::is_contained(partners, loopClass(m, l));
      }
      if (hasCandidate && hasPartner)
        return false;
    }
    return true;
  }

  SharedDomain describe() const {
    SharedDomain domain;
    domain.numDims = numDims;
    domain.replicated.resize(numDims);
    domain.sequential = sequential;
    for (auto [m, member] : llvm::enumerate(members)) {
      auto &dims = domain.loops.emplace_back();
      auto &ids = domain.classes.emplace_back();
      for (unsigned l = 0; l < member.iterators.size(); ++l) {
        ids.push_back(loopClass(m, l));
        dims.push_back(dimOfClass[ids.back()]);
      }
      for (unsigned d = 0; d < numDims; ++d)
        if (!llvm::is_contained(dims, static_cast<int>(d)))
          domain.replicated[d].push_back(m);
    }
    return domain;
  }

  ArrayRef<DomainMember> members;
  unsigned numNodes = 0, numDims = 0;
  SmallVector<unsigned> loopBase, valueBase, ranks, definers;
  llvm::IntEqClasses classes;
  SmallVector<bool> cuttable, sequential;
  SmallVector<int64_t> extents;
  SmallVector<int> dimOfClass;
};

} // namespace

std::optional<SharedDomain>
mlir::fuse::assignSharedDomain(ArrayRef<DomainMember> members,
                               ArrayRef<SmallVector<int64_t>> resultDims) {
  return DomainBuilder(members).build(resultDims);
}

SharedDomain mlir::fuse::computeSharedDomain(ArrayRef<DomainMember> members) {
  return DomainBuilder(members).build();
}
