//===- GroupStream.cpp - Whether a group's kernel could stream a dim ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupStream.h"
#include "fuse/Analysis/GroupLegality.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// As in StreamedDim.cpp; None stands for what cannot be streamed.
enum class Form { Plain, Maximum, Shifted, Scaled, Late, None };

class Checker {
public:
  Checker(const MemberTable &table, const GroupDomain &domain, unsigned dimClass)
      : table(table), domain(domain), dimClass(dimClass) {}

  bool check() {
    for (unsigned m = 0; m < domain.nodes.size(); ++m) {
      Form form = visit(m);
      if (form == Form::None)
        return false;
      forms[domain.nodes[m]] = form;
    }
    return true;
  }

private:
  Form visit(unsigned m) const {
    const Member &member = table[domain.nodes[m]];
    bool runsAlong = false, folds = false;
    for (auto [atom, id] : llvm::zip(domain.atoms[m], domain.shared.classes[m]))
      if (id == dimClass) {
        runsAlong = true;
        folds |= member.iterators[atom.loop] == utils::IteratorType::reduction;
      }
    SmallVector<Form, 3> operands;
    for (const MemberRead &read : member.reads) {
      Form form = Form::Plain;
      if (read.producer != FusionGraph::kNone && domain.contains(read.producer))
        form = forms.lookup(read.producer);
      if (form == Form::Maximum && (!read.isKnown || !read.isPlain))
        form = Form::Late;
      operands.push_back(form);
    }
    bool isPlain = llvm::all_of(operands, [](Form form) { return form == Form::Plain; });
    if (!runsAlong) {
      if (isPlain)
        return Form::Plain;
      bool isCast = member.role == StreamRole::Cast && operands[0] == Form::Maximum;
      return isCast ? Form::Maximum : Form::Late;
    }
    if (!folds && domain.isResult[m])
      return Form::None;
    if (isPlain)
      return !folds ? Form::Plain
                    : (member.role == StreamRole::Maximum ? Form::Maximum : Form::Late);
    Form applied = apply(member.role, operands);
    if (!folds)
      return applied;
    return applied == Form::Scaled ? Form::Late : Form::None;
  }

  static bool isLate(Form form) { return form == Form::Late || form == Form::Maximum; }

  static Form apply(StreamRole role, ArrayRef<Form> operands) {
    Form first = operands[0], second = operands.size() > 1 ? operands[1] : Form::Plain;
    switch (role) {
    case StreamRole::Cast:
      return isLate(first) ? Form::None : first;
    case StreamRole::Difference:
      if (first == Form::Plain && second == Form::Maximum)
        return Form::Shifted;
      [[fallthrough]];
    case StreamRole::Term:
      if (first == Form::Shifted && second == Form::Plain)
        return Form::Shifted;
      if (role == StreamRole::Term && first == Form::Plain && second == Form::Shifted)
        return Form::Shifted;
      return Form::None;
    case StreamRole::Exponential:
      return first == Form::Shifted ? Form::Scaled : Form::None;
    case StreamRole::Sum:
      return first == Form::Scaled ? Form::Scaled : Form::None;
    case StreamRole::Product:
      if (first == Form::Shifted || second == Form::Shifted ||
          (first == Form::Scaled && second == Form::Scaled) || (isLate(first) && isLate(second)))
        return Form::None;
      return Form::Scaled;
    case StreamRole::Quotient:
      return (first == Form::Plain || first == Form::Scaled) &&
                     (second == Form::Plain || isLate(second))
                 ? Form::Scaled
                 : Form::None;
    default:
      return Form::None;
    }
  }

  const MemberTable &table;
  const GroupDomain &domain;
  unsigned dimClass;
  llvm::SmallDenseMap<unsigned, Form> forms;
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
        it->points = std::min<uint64_t>(
            llvm::SaturatingAdd<uint64_t>(it->points, member.getParallelPoints()), int64_t(1)
                                                                                       << 60);
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
