//===- GroupStream.cpp - Whether a group's kernel could stream a dim ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupStream.h"
#include "fuse/Analysis/GroupLegality.h"
#include "fuse/Support/Saturating.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// As in StreamedDim.cpp; None stands for what cannot be streamed.
enum class StreamForm { Plain, Maximum, Shifted, Scaled, Late, None };

class Checker {
public:
  Checker(const MemberTable &table, const GroupDomain &domain, unsigned dimClass)
      : table(table), domain(domain), dimClass(dimClass) {}

  bool check() {
    for (unsigned m = 0; m < domain.nodes.size(); ++m) {
      StreamForm form = visit(m);
      if (form == StreamForm::None)
        return false;
      forms[domain.nodes[m]] = form;
    }
    return true;
  }

private:
  StreamForm visit(unsigned m) const {
    const Member &member = table[domain.nodes[m]];
    bool runsAlong = false, folds = false;
    for (auto [atom, id] : llvm::zip(domain.atoms[m], domain.shared.classes[m]))
      if (id == dimClass) {
        runsAlong = true;
        folds |= member.iterators[atom.loop] == utils::IteratorType::reduction;
      }
    SmallVector<StreamForm, 3> operands;
    for (const MemberRead &read : member.reads) {
      StreamForm form = StreamForm::Plain;
      if (read.producer != FusionGraph::kNone && domain.contains(read.producer))
        form = forms.lookup(read.producer);
      if (form == StreamForm::Maximum && (!read.isKnown || !read.isPlain))
        form = StreamForm::Late;
      operands.push_back(form);
    }
    bool isPlain = llvm::all_of(operands, [](StreamForm form) { return form == StreamForm::Plain; });
    if (!runsAlong) {
      if (isPlain)
        return StreamForm::Plain;
      bool isCast = member.role == StreamRole::Cast && operands[0] == StreamForm::Maximum;
      return isCast ? StreamForm::Maximum : StreamForm::Late;
    }
    if (!folds && domain.isResult[m])
      return StreamForm::None;
    if (isPlain)
      return !folds ? StreamForm::Plain
                    : (member.role == StreamRole::Maximum ? StreamForm::Maximum : StreamForm::Late);
    StreamForm applied = apply(member.role, operands);
    if (!folds)
      return applied;
    return applied == StreamForm::Scaled ? StreamForm::Late : StreamForm::None;
  }

  static bool isLate(StreamForm form) { return form == StreamForm::Late || form == StreamForm::Maximum; }

  static StreamForm apply(StreamRole role, ArrayRef<StreamForm> operands) {
    StreamForm first = operands[0], second = operands.size() > 1 ? operands[1] : StreamForm::Plain;
    switch (role) {
    case StreamRole::Cast:
      return isLate(first) ? StreamForm::None : first;
    case StreamRole::Difference:
      if (first == StreamForm::Plain && second == StreamForm::Maximum)
        return StreamForm::Shifted;
      [[fallthrough]];
    case StreamRole::Term:
      if (first == StreamForm::Shifted && second == StreamForm::Plain)
        return StreamForm::Shifted;
      if (role == StreamRole::Term && first == StreamForm::Plain && second == StreamForm::Shifted)
        return StreamForm::Shifted;
      return StreamForm::None;
    case StreamRole::Exponential:
      return first == StreamForm::Shifted ? StreamForm::Scaled : StreamForm::None;
    case StreamRole::Sum:
      return first == StreamForm::Scaled ? StreamForm::Scaled : StreamForm::None;
    case StreamRole::Product:
      if (first == StreamForm::Shifted || second == StreamForm::Shifted ||
          (first == StreamForm::Scaled && second == StreamForm::Scaled) || (isLate(first) && isLate(second)))
        return StreamForm::None;
      return StreamForm::Scaled;
    case StreamRole::Quotient:
      return (first == StreamForm::Plain || first == StreamForm::Scaled) &&
                     (second == StreamForm::Plain || isLate(second))
                 ? StreamForm::Scaled
                 : StreamForm::None;
    default:
      return StreamForm::None;
    }
  }

  const MemberTable &table;
  const GroupDomain &domain;
  unsigned dimClass;
  llvm::SmallDenseMap<unsigned, StreamForm> forms;
};

} // namespace

/// Whether a value is nowhere whole: its only reader takes each element once, and computes it itself.
static bool isComputedWhereRead(const MemberTable &table, const GroupDomain &domain, unsigned node) {
  const Member &member = table[node];
  bool isPointwise = member.pattern == OpPattern::Elementwise || member.pattern == OpPattern::Movement;
  if (!isPointwise || member.readers.size() != 1 || !domain.contains(member.readers.front()))
    return false;
  const Member &reader = table[member.readers.front()];
  if (reader.isContraction() || reader.pattern == OpPattern::Window)
    return false;
  unsigned reads = llvm::count_if(reader.reads, [&](const MemberRead &read) {
    return read.producer == node && read.isPlain && read.isKnown && read.window.empty();
  });
  return reads == 1;
}

std::optional<GroupStream> fuse::findGroupStream(const MemberTable &table,
                                                 const GroupDomain &domain) {
  struct Candidate {
    unsigned dimClass;
    int64_t extent = ShapedType::kDynamic;
    int64_t points = 0; ///< of the values along it that the kernel keeps
    bool isFolded = false;
  };
  SmallVector<Candidate, 4> candidates;
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    const Member &member = table[node];
    for (auto [a, id] : llvm::enumerate(domain.shared.classes[m])) {
      if (domain.shared.loops[m][a] != SharedDomain::kPrivate || !domain.shared.sequential[id])
        continue;
      unsigned wanted = id;
      auto *it =
          llvm::find_if(candidates, [&](const Candidate &c) { return c.dimClass == wanted; });
      if (it == candidates.end()) {
        candidates.push_back({wanted});
        it = &candidates.back();
      }
      if (!ShapedType::isDynamic(domain.atoms[m][a].extent))
        it->extent = domain.atoms[m][a].extent;
      if (member.iterators[domain.atoms[m][a].loop] == utils::IteratorType::reduction)
        it->isFolded = true;
      else if (!domain.isResult[m] && !isComputedWhereRead(table, domain, node))
        it->points = addCounts(it->points, member.getParallelPoints());
    }
  }
  llvm::erase_if(candidates, [](const Candidate &c) { return !c.isFolded || c.points == 0; });
  llvm::stable_sort(candidates,
                    [](const Candidate &a, const Candidate &b) { return a.points > b.points; });
  for (const Candidate &candidate : candidates)
    if (Checker(table, domain, candidate.dimClass).check())
      return GroupStream{candidate.dimClass, candidate.extent};
  return std::nullopt;
}
