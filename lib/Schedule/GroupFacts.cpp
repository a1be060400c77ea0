//===- GroupFacts.cpp - The facts of a group that a schedule is made from -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/GroupFacts.h"

using namespace mlir;
using namespace mlir::fuse;

/// The shared dim that memory of an access runs along contiguously, or kPrivate.
static int getInnermostDim(const GroupDomain &domain, unsigned m, unsigned loop) {
  auto atoms = ArrayRef(domain.atoms[m]);
  for (unsigned a = atoms.size(); a-- > 0;)
    if (atoms[a].loop == loop)
      return domain.shared.loops[m][a];
  return SharedDomain::kPrivate;
}

KernelFacts mlir::fuse::getKernelFacts(const MemberTable &table, const GroupDomain &domain) {
  KernelFacts facts;
  facts.extents.assign(domain.extents.begin(), domain.extents.end());
  int numDims = domain.shared.numDims;
  int64_t alongShared = 0, alongPrivate = 0;
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    const Member &member = table[node];
    int64_t privatePoints = domain.getPrivatePoints(m);
    if (ShapedType::isDynamic(privatePoints) || ShapedType::isDynamic(facts.privateElements))
      facts.privateElements = ShapedType::kDynamic;
    else
      facts.privateElements = std::max(facts.privateElements, privatePoints);
    KernelFacts::ReplicatedMember replicated{{}, privatePoints};
    for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m])) {
      if (dim == SharedDomain::kPrivate)
        facts.hasReductions |= member.iterators[atom.loop] == utils::IteratorType::reduction;
      else if (!llvm::is_contained(replicated.dims, static_cast<unsigned>(dim)))
        replicated.dims.push_back(dim);
    }
    if (static_cast<int>(replicated.dims.size()) < numDims)
      facts.replicated.push_back(std::move(replicated));
    facts.elementBytes = std::max(facts.elementBytes, member.elementBytes);
    auto count = [&](int loop) {
      bool isLastShared = getInnermostDim(domain, m, loop) == numDims - 1;
      ++(isLastShared ? alongShared : alongPrivate);
    };
    for (const MemberRead &read : member.reads)
      if (!read.positions.empty() && !read.positions.back().digits.empty() &&
          read.positions.back().digits.back().isLoop())
        count(read.positions.back().digits.back().loop);
    if (!member.writes.empty() && member.writes.back() >= 0)
      count(member.writes.back());
  }
  facts.lastDimIsContiguous = alongShared >= alongPrivate;
  return facts;
}
