//===- GroupDomain.cpp - The shared domain of a group that is not formed yet -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Support/Saturating.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class GroupBuilder {
public:
  GroupBuilder(const MemberTable &table, ArrayRef<unsigned> nodes, ArrayRef<unsigned> repeated)
      : table(table), repeated(repeated) {
    domain.nodes.assign(nodes.begin(), nodes.end());
    for (unsigned node : nodes)
      llvm::append_range(domain.nodes, table[node].copies);
    if (domain.nodes.size() > nodes.size())
      llvm::sort(domain.nodes);
  }

  GroupDomain build() {
    for (unsigned node : domain.nodes) {
      firstLoop.push_back(numLoops);
      numLoops += table[node].iterators.size();
      llvm::append_range(extents, table[node].extents);
    }
    findCuts();
    makeAtoms();
    SmallVector<DomainMember, 8> members;
    members.reserve(domain.nodes.size());
    for (unsigned m = 0; m < domain.nodes.size(); ++m)
      members.push_back(describe(m));
    domain.shared = computeSharedDomain(members);
    domain.extents.assign(domain.shared.numDims, ShapedType::kDynamic);
    domain.likely.assign(domain.shared.numDims, 1);
    for (auto [m, dims] : llvm::enumerate(domain.shared.loops))
      for (auto [a, dim] : llvm::enumerate(dims)) {
        if (dim == SharedDomain::kPrivate || !ShapedType::isDynamic(domain.extents[dim]))
          continue;
        domain.extents[dim] = domain.atoms[m][a].extent;
        domain.likely[dim] = std::max<int64_t>(1, table[domain.nodes[m]].getLikely(domain.atoms[m][a]));
      }
    return std::move(domain);
  }

private:
  static constexpr unsigned kNone = ~0u;

  /// The member's number in the group.
  unsigned find(unsigned node) const {
    if (node == FusionGraph::kNone)
      return kNone;
    const auto *it = llvm::lower_bound(domain.nodes, node);
    return it != domain.nodes.end() && *it == node ? it - domain.nodes.begin() : kNone;
  }

  //===- Cuts -------------------------------------------------------------------------------===//

  /// One position of a value: written along `loop`, read along `digits` of a member whose loops
  /// begin at `base`.
  struct Constraint {
    unsigned loop;
    unsigned base;
    ArrayRef<LoopDigit> digits;
  };

  /// Whether a position of what is read is a number of several digits, or hides some.
  static bool hasDigits(const MemberRead &read) {
    return llvm::any_of(read.positions, [](const PositionAccess &position) {
      return position.digits.size() > 1 || !position.hidden.empty();
    });
  }

  bool addCut(unsigned loop, int64_t cut) {
    SmallVector<int64_t, 2> &list = cuts[loop];
    auto *at = llvm::lower_bound(list, cut);
    if (at != list.end() && *at == cut)
      return false;
    list.insert(at, cut);
    return true;
  }

  /// Loops that windows go along are whole, and so are the dimensions of what they go over. An image that is brought in order
  /// first keeps all of its dimensions (channels that were shuffled, 272 as 68 by 4).
  void breakLoops(unsigned m, const MemberRead &read) {
    for (const WindowPosition &position : read.window)
      if (position.isWindow() || read.isReordered)
        for (unsigned loop : position.loops)
          broken[firstLoop[m] + loop] = true;
    unsigned producer = find(read.producer);
    if (producer == kNone)
      return;
    for (auto [position, loop] : llvm::zip(read.positions, table[read.producer].writes))
      if (loop >= 0 && (read.isReordered || !position.isKnown()))
        broken[firstLoop[producer] + loop] = true;
  }

  /// Cuts are divisors that bound factors: a cut of one loop is one of every loop it is written or
  /// read along, until nothing changes.
  void findCuts() {
    bool isPlain = true;
    broken.assign(numLoops, false);
    for (auto [m, node] : llvm::enumerate(domain.nodes))
      for (const MemberRead &read : table[node].reads) {
        isPlain &= read.isPlain && !hasDigits(read);
        if (!read.window.empty())
          breakLoops(m, read);
      }
    cuts.resize(numLoops);
    for (auto [m, node] : llvm::enumerate(domain.nodes))
      for (auto [loop, cut] : table[node].cuts) {
        addCut(firstLoop[m] + loop, cut);
        isPlain = false;
      }
    own = cuts;
    if (isPlain) // most groups: nothing to propagate
      return;
    SmallVector<Constraint> constraints;
    SmallVector<std::pair<unsigned, const MemberRead *>> pending, inner; // of values from outside, of members'
    for (auto [m, node] : llvm::enumerate(domain.nodes))
      for (const MemberRead &read : table[node].reads) {
        unsigned producer = find(read.producer);
        if (producer == kNone) {
          if (!read.isPlain || hasDigits(read))
            pending.push_back({static_cast<unsigned>(m), &read});
          continue;
        }
        if (hasDigits(read))
          inner.push_back({static_cast<unsigned>(m), &read});
        for (auto [position, loop] : llvm::zip(read.positions, table[read.producer].writes))
          if (!position.digits.empty() && loop >= 0)
            constraints.push_back({firstLoop[producer] + loop, firstLoop[m], position.digits});
      }
    // What is computed element by element for windows has their loops: readers come behind what they read.
    for (const Constraint &constraint : llvm::reverse(constraints))
      if (isWholeLoop(constraint) && broken[constraint.base + constraint.digits.front().loop])
        broken[constraint.loop] = true;
    for (auto [m, read] : pending)
      cutBy(m, *read);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Constraint &constraint : constraints)
        changed |= propagate(constraint);
      if (!changed)
        for (auto [m, read] : inner)
          if (readsWhole(*read))
            changed |= cutBy(m, *read);
    }
  }

  /// Whether a member's value has a position that is read as a number of several digits, and whose loop
  /// has no factors.
  bool readsWhole(const MemberRead &read) const {
    unsigned producer = find(read.producer);
    for (auto [position, loop] : llvm::zip_equal(read.positions, table[read.producer].writes))
      if (loop >= 0 && broken[firstLoop[producer] + loop] &&
          (position.digits.size() > 1 || !position.hidden.empty()))
        return true;
    return false;
  }

  /// What a member reads of a value from outside is cut where the value lies in another order than a
  /// reshape of it could give: the columns of a weight in blocks, [n / 32, k, n mod 32], every second
  /// head, or rows of which a slice takes a part. A reshape alone is free. The same holds of values of
  /// members whose own loops have no factors.
  bool cutBy(unsigned m, const MemberRead &read) {
    struct Digit {
      LoopDigit digit;
      bool isJoined;  ///< with what lies outside of it
      bool isStrided; ///< not joined with what lies within
    };
    SmallVector<Digit, 8> digits; // as they lie in memory, the innermost last
    for (const PositionAccess &position : read.positions) {
      bool isHidden = !position.hidden.empty();
      for (const LoopDigit &digit : isHidden ? position.hidden : position.digits)
        digits.push_back({digit, !isHidden, position.isStrided});
    }
    bool changed = false;
    for (auto [loop, extent] : llvm::enumerate(table[domain.nodes[m]].extents)) {
      if (ShapedType::isDynamic(extent) || extent == 0 || broken[firstLoop[m] + loop])
        continue;
      if (read.groupedLoop == loop) { // read at quotients and remainders
        broken[firstLoop[m] + loop] = true;
        continue;
      }
      // From the innermost digit on: where one does not lie right outside of the one before.
      SmallVector<int64_t, 4> found;
      int64_t step = 1;
      bool isNext = true; // to the loop's digit before
      for (const Digit &next : llvm::reverse(digits)) {
        if (next.digit.loop != loop) {
          isNext = false;
          continue;
        }
        bool isJoined = isNext && !next.isStrided && next.digit.divisor == step;
        if (step != 1 ? !isJoined : next.digit.divisor != 1)
          found.append({step, next.digit.divisor});
        step = next.digit.divisor * next.digit.extent;
        isNext = next.isJoined;
      }
      if (step < extent)
        found.push_back(step);
      // What lies in blocks of which the last is not whole is read as it lies.
      if (llvm::any_of(found, [&, extent = extent](int64_t cut) { return extent % cut != 0; })) {
        broken[firstLoop[m] + loop] = true;
        continue;
      }
      if (step == 1)
        continue;
      for (int64_t cut : found)
        changed |= addCut(firstLoop[m] + loop, cut);
      changed |= checkCuts(firstLoop[m] + loop);
    }
    return changed;
  }

  /// Gives the loops of a constraint each other's cuts; whether one is new.
  bool propagate(const Constraint &constraint) {
    if (constraint.digits.size() == 1 && ShapedType::isDynamic(constraint.digits[0].extent))
      return false;
    // Loops over nothing have no factors.
    if (llvm::any_of(constraint.digits, [](const LoopDigit &digit) { return digit.extent == 0; }))
      return false;
    if (cutsWhole(constraint))
      return false;
    bool changed = false;
    int64_t step = 1;
    for (const LoopDigit &digit : llvm::reverse(constraint.digits)) {
      int64_t end = step * digit.extent, readEnd = digit.divisor * digit.extent;
      for (int64_t cut : {step, end})
        changed |= addCut(constraint.loop, cut);
      if (!digit.isLoop()) {
        step = end;
        continue;
      }
      unsigned read = constraint.base + digit.loop;
      for (int64_t cut : {digit.divisor, readEnd})
        changed |= addCut(read, cut);
      if (!broken[read])
        for (int64_t cut : SmallVector<int64_t, 2>(cuts[constraint.loop]))
          if (cut > step && cut < end && cut % step == 0)
            changed |= addCut(read, digit.divisor * (cut / step));
      if (!broken[constraint.loop])
        for (int64_t cut : SmallVector<int64_t, 2>(cuts[read]))
          if (cut > digit.divisor && cut < readEnd && cut % digit.divisor == 0)
            changed |= addCut(constraint.loop, step * (cut / digit.divisor));
      step = end;
      changed |= checkCuts(read);
    }
    changed |= checkCuts(constraint.loop);
    return changed;
  }

  /// Whether a loop of the reader goes along all of the position.
  bool isWholeLoop(const Constraint &constraint) const {
    const LoopDigit &digit = constraint.digits.front();
    return constraint.digits.size() == 1 && digit.isLoop() && digit.divisor == 1 &&
           digit.extent == extents[constraint.base + digit.loop];
  }

  /// Whether one of the loops is to have a cut that it cannot have.
  bool cutsWhole(const Constraint &constraint) const {
    if (broken[constraint.loop] && constraint.digits.size() > 1)
      return true;
    return llvm::any_of(constraint.digits, [&](const LoopDigit &digit) {
      if (!digit.isLoop() || !broken[constraint.base + digit.loop])
        return false;
      return digit.divisor != 1 || digit.extent != extents[constraint.base + digit.loop];
    });
  }

  /// Each cut divides the next, or the loop has no factors but those that its op asks for itself. Whether
  /// that is found out now.
  bool checkCuts(unsigned loop) {
    ArrayRef<int64_t> list = cuts[loop];
    for (size_t i = 1; i < list.size(); ++i)
      if (list[i] % list[i - 1] != 0) {
        cuts[loop] = own[loop];
        return !std::exchange(broken[loop], true);
      }
    return false;
  }

  //===- Atoms ------------------------------------------------------------------------------===//

  void makeAtoms() {
    firstAtom.assign(numLoops + 1, 0);
    domain.atoms.resize(domain.nodes.size());
    for (auto [m, node] : llvm::enumerate(domain.nodes))
      for (auto [l, extent] : llvm::enumerate(table[node].extents)) {
        auto &atoms = domain.atoms[m];
        firstAtom[firstLoop[m] + l] = atoms.size();
        if (extent == 1)
          continue;
        unsigned loop = l;
        ArrayRef<int64_t> list = cuts[firstLoop[m] + l];
        SmallVector<int64_t, 4> bounds(list);
        if (bounds.empty() || bounds.front() != 1)
          bounds.insert(bounds.begin(), 1);
        if (ShapedType::isDynamic(extent) || bounds.size() == 1) {
          atoms.push_back({loop, 1, extent});
          continue;
        }
        if (bounds.back() != extent)
          bounds.push_back(extent);
        for (size_t i = bounds.size() - 1; i-- > 0;)
          atoms.push_back({loop, bounds[i], bounds[i + 1] / bounds[i]});
      }
  }

  ArrayRef<LoopDigit> atomsOf(unsigned member, unsigned loop) const {
    ArrayRef<LoopDigit> all = domain.atoms[member];
    unsigned begin = firstAtom[firstLoop[member] + loop], end = begin;
    while (end < all.size() && all[end].loop == loop)
      ++end;
    return all.slice(begin, end - begin);
  }

  /// The number of a member's atom.
  int atomAt(unsigned member, unsigned loop, int64_t divisor) const {
    for (auto [offset, atom] : llvm::enumerate(atomsOf(member, loop)))
      if (atom.divisor == divisor)
        return firstAtom[firstLoop[member] + loop] + offset;
    return DomainAccess::kOther;
  }

  //===- Members of the shared domain -------------------------------------------------------===//

  DomainMember describe(unsigned m) {
    const Member &member = table[domain.nodes[m]];
    DomainMember entry;
    for (const LoopDigit &atom : domain.atoms[m]) {
      entry.iterators.push_back(member.iterators[atom.loop]);
      entry.extents.push_back(atom.extent);
    }
    for (const MemberRead &read : member.reads) {
      unsigned producer = find(read.producer);
      if (producer == kNone)
        entry.inputs.push_back({read.value, describeInput(m, read)});
      else
        entry.reads.push_back({producer, describeRead(m, producer, read)});
    }
    bool isRepeated = std::binary_search(repeated.begin(), repeated.end(), domain.nodes[m]);
    bool leaves = !isRepeated && (!member.hasResult || member.escapes || member.readers.empty() ||
                                  llvm::any_of(member.readers, [&](unsigned reader) { return find(reader) == kNone; }));
    domain.isResult.push_back(leaves);
    // A store writes its buffer along all its loops. Values are numbered as their members.
    SmallVector<int, 4> written;
    if (member.hasResult) {
      for (int loop : member.writes) {
        if (loop < 0)
          written.push_back(DomainAccess::kOther);
        else
          appendAtoms(m, loop, written);
      }
    } else {
      for (unsigned a = 0; a < domain.atoms[m].size(); ++a)
        written.push_back(a);
    }
    entry.writes.push_back({m, written});
    if (leaves)
      entry.results.push_back(m);
    return entry;
  }

  void appendAtoms(unsigned m, unsigned loop, SmallVectorImpl<int> &list) const {
    for (unsigned offset = 0, count = atomsOf(m, loop).size(); offset < count; ++offset)
      list.push_back(firstAtom[firstLoop[m] + loop] + offset);
  }

  SmallVector<int, 4> describeInput(unsigned m, const MemberRead &read) const {
    SmallVector<int, 4> loops;
    for (const PositionAccess &position : read.positions) {
      bool isWhole = position.digits.size() == 1 && position.digits[0].isLoop() &&
                     position.digits[0].divisor == 1 &&
                     position.digits[0].extent ==
                         table[domain.nodes[m]].extents[position.digits[0].loop] &&
                     atomsOf(m, position.digits[0].loop).size() == 1;
      loops.push_back(isWhole ? atomAt(m, position.digits[0].loop, 1) : DomainAccess::kOther);
    }
    return loops;
  }

  SmallVector<int, 4> describeRead(unsigned m, unsigned producer, const MemberRead &read) const {
    SmallVector<int, 4> loops;
    ArrayRef<int> writes = table[domain.nodes[producer]].writes;
    for (auto [position, written] : llvm::zip_equal(read.positions, writes)) {
      if (written < 0) {
        loops.push_back(DomainAccess::kOther);
        continue;
      }
      for (const LoopDigit &atom : atomsOf(producer, written))
        loops.push_back(findAtom(m, position.digits, atom));
    }
    return loops;
  }

  /// The atom of the reader that runs along an atom of the written loop: of the same extent, unless
  /// one of the loops could not be factored.
  int findAtom(unsigned m, ArrayRef<LoopDigit> digits, const LoopDigit &written) const {
    int64_t step = 1;
    for (const LoopDigit &digit : llvm::reverse(digits)) {
      bool isWhole = digits.size() == 1 && digit.divisor == 1 && written.divisor == 1;
      if (isWhole || (written.divisor >= step && written.divisor < step * digit.extent &&
                      written.divisor % step == 0)) {
        if (!digit.isLoop())
          return DomainAccess::kOther;
        int atom = atomAt(m, digit.loop, digit.divisor * (written.divisor / step));
        if (atom < 0)
          return atom;
        int64_t extent = domain.atoms[m][atom].extent;
        bool isSame = extent == written.extent || ShapedType::isDynamic(extent) ||
                      ShapedType::isDynamic(written.extent);
        return isSame ? atom : DomainAccess::kOther;
      }
      step *= digit.extent;
    }
    return DomainAccess::kOther;
  }

  const MemberTable &table;
  ArrayRef<unsigned> repeated;
  GroupDomain domain;
  unsigned numLoops = 0;
  SmallVector<unsigned, 8> firstLoop, firstAtom;
  SmallVector<int64_t, 16> extents; ///< of all loops
  SmallVector<SmallVector<int64_t, 2>, 16> cuts, own; ///< `own`: what ops themselves ask for
  SmallVector<bool, 16> broken;
};

} // namespace

GroupDomain mlir::fuse::computeGroupDomain(const MemberTable &table, ArrayRef<unsigned> nodes,
                                           ArrayRef<unsigned> repeated) {
  return GroupBuilder(table, nodes, repeated).build();
}

int64_t GroupDomain::getSharedPoints() const {
  int64_t points = 1;
  for (int64_t extent : likely)
    points = mulSaturating(points, extent);
  return points;
}

int64_t GroupDomain::getPrivatePoints(unsigned member) const {
  int64_t points = 1;
  for (auto [atom, dim] : llvm::zip(atoms[member], shared.loops[member])) {
    if (dim != SharedDomain::kPrivate)
      continue;
    if (ShapedType::isDynamic(atom.extent))
      return ShapedType::kDynamic;
    points = mulSaturating(points, atom.extent);
  }
  return points;
}
