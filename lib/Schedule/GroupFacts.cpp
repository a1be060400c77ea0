//===- GroupFacts.cpp - The facts of a group that a schedule is made from -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/GroupFacts.h"
#include "WindowMembers.h"
#include "fuse/Analysis/GroupLegality.h"
#include "fuse/Analysis/GroupStream.h"
#include "fuse/Analysis/OutlinedKernel.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/Analysis/WarpgroupTile.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/Schedule/GpuSchedule.h"
#include "fuse/Schedule/ScatterSchedule.h"
#include "fuse/Schedule/ThinProduct.h"
#include "fuse/Support/Saturating.h"

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

/// How many iterations a member is likely to have behind one point of the shared dims.
static int64_t getLikelyPrivate(const GroupDomain &domain, unsigned m, const Member &member) {
  int64_t points = 1;
  for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m]))
    if (dim == SharedDomain::kPrivate)
      points = mulCounts(points, member.getLikely(atom));
  return points;
}

/// The loop along which a contraction uses again what is contiguous in its result, if its innermost factor
/// is shared.
static std::optional<unsigned> getReuseLoop(const Member &member, const GroupDomain &domain,
                                           unsigned m) {
  SmallVector<ReuseLoop> loops;
  for (unsigned loop = member.iterators.size(); loop-- > 0;) {
    if (member.extents[loop] == 1 || !isReuseLoop(member, loop))
      continue;
    bool isContiguous = llvm::any_of(member.reads, [&](const MemberRead &read) {
      return isContiguousAlong(read, loop);
    });
    loops.push_back({loop, member.likely[loop], isContiguous});
  }
  std::optional<unsigned> chosen = chooseReuseLoop(loops);
  bool isShared = chosen && getInnermostDim(domain, m, *chosen) != SharedDomain::kPrivate;
  return isShared ? chosen : std::nullopt;
}

/// The loops along which a read goes through memory, each once.
static SmallVector<int> getLoops(const MemberRead &read) {
  SmallVector<int> loops;
  for (const WindowPosition &position : read.window)
    for (unsigned loop : position.loops)
      if (!llvm::is_contained(loops, static_cast<int>(loop)))
        loops.push_back(loop);
  for (const PositionAccess &position : read.positions)
    for (const LoopDigit &digit : position.digits)
      if (digit.isLoop() && !llvm::is_contained(loops, static_cast<int>(digit.loop)))
        loops.push_back(digit.loop);
  return loops;
}

/// The loops along which the result is written.
static SmallVector<int> getLoops(const Member &member) {
  SmallVector<int> loops;
  for (int loop : member.writes)
    if (loop >= 0 && !llvm::is_contained(loops, loop))
      loops.push_back(loop);
  return loops;
}

/// Whether a member's value is the kernel's result since a store writes it.
static bool isStored(const MemberTable &table, const Member &member) {
  return llvm::any_of(member.readers, [&](unsigned reader) { return table[reader].isStore; });
}

/// Whether a result is read again by members of its tile, once it is written.
static bool isReread(const MemberTable &table, const GroupDomain &domain, const Member &member) {
  return llvm::any_of(member.readers, [&](unsigned reader) {
    return domain.contains(reader) && !table[reader].isStore;
  });
}

/// Notes a contraction with few rows or columns.
static void describeThin(const Member &member, const GroupDomain &domain, unsigned m,
                         KernelFacts::Member &entry) {
  SmallVector<const MemberRead *> operands;
  for (const MemberRead &read : member.reads)
    for (auto [loop, iterator] : llvm::enumerate(member.iterators))
      if (iterator == utils::IteratorType::reduction && runsAlong(read, loop)) {
        operands.push_back(&read);
        break;
      }
  if (operands.size() != 2)
    return;
  SmallVector<ContractionLoop> loops(member.iterators.size());
  for (auto [i, loop] : llvm::enumerate(loops)) {
    loop.extent = member.extents[i];
    loop.reduces = member.iterators[i] == utils::IteratorType::reduction;
    bool isPrivate = false;
    for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m])) {
      if (atom.loop != i)
        continue;
      isPrivate |= dim == SharedDomain::kPrivate;
      if (!isPrivate)
        loop.dims.push_back(dim);
    }
    if (isPrivate)
      loop.dims.clear();
    for (auto [number, read] : llvm::enumerate(operands)) {
      loop.isIn[number] = runsAlong(*read, i);
      if (!read->window.empty())
        loop.isLast[number] = llvm::is_contained(read->window.back().loops, i);
      else if (!read->getGroupPositions().empty())
        loop.isLast[number] =
            llvm::any_of(read->getGroupPositions().back().digits,
                         [i = i](const LoopDigit &digit) { return digit.loop == i; });
    }
  }
  describeThinProduct(loops, entry);
}

/// Notes whether memory of an operand runs along a private loop that the member folds.
static void addFold(KernelFacts &facts, const GroupDomain &domain, unsigned m, const Member &member,
                    const KernelFacts::Member &entry) {
  auto isFolded = [&](unsigned loop) {
    return member.iterators[loop] == utils::IteratorType::reduction &&
           getInnermostDim(domain, m, loop) == SharedDomain::kPrivate;
  };
  bool folds = false, isWindow = false;
  for (const MemberRead &read : member.reads) {
    if (!read.window.empty()) {
      ArrayRef<unsigned> last = read.window.back().loops;
      bool isAlone = last.size() == 1;
      folds |= isAlone && isFolded(last.front());
      isWindow |= !isAlone && llvm::any_of(last, isFolded);
    } else if (ArrayRef<PositionAccess> positions = read.getGroupPositions();
               !positions.empty() && !positions.back().digits.empty() && positions.back().digits.back().isLoop()) {
      folds |= isFolded(positions.back().digits.back().loop);
    }
  }
  facts.addFold(entry, folds, isWindow);
}

/// The shared dims that loops are, ascending.
static SmallVector<unsigned> getDims(const GroupDomain &domain, unsigned m, ArrayRef<int> loops) {
  SmallVector<unsigned> dims;
  for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m]))
    if (dim != SharedDomain::kPrivate && llvm::is_contained(loops, static_cast<int>(atom.loop)) &&
        !llvm::is_contained(dims, static_cast<unsigned>(dim)))
      dims.push_back(dim);
  llvm::sort(dims);
  return dims;
}

/// The number of columns of a block where memory of `read`, a parameter, runs along a block of the
/// columns and the blocks stand outermost: [n / 32, k, n mod 32] of the columns n, or with the steps in groups
/// [n / 32, k / 4, n mod 32, k mod 4]. Nothing else has any.
static std::optional<int64_t> getColumnBlock(const Member &member, const MemberRead &read,
                                             unsigned columns) {
  if (read.producer != FusionGraph::kNone || read.positions.size() < 2)
    return std::nullopt;
  auto getDigit = [&](const PositionAccess &position) -> const LoopDigit * {
    bool isAlong = position.digits.size() == 1 && position.digits.front().isLoop() &&
                   position.digits.front().loop == columns;
    return isAlong ? &position.digits.front() : nullptr;
  };
  ArrayRef<PositionAccess> positions = read.getGroupPositions();
  if (positions.size() < 2)
    return std::nullopt;
  const LoopDigit *outer = getDigit(positions.front()), *inner = getDigit(positions.back());
  if (!outer || !inner || inner->divisor != 1 || outer->divisor != inner->extent)
    return std::nullopt;
  return inner->extent;
}

/// Bytes that a row of a contraction's other operand has for itself: along the reductions whose
/// iterations no neighbouring row reads (the windows of a convolution overlap).
static int64_t getRowBytes(const Member &member, unsigned reuseLoop) {
  int64_t most = 0;
  auto isFolded = [&](unsigned loop) {
    return member.iterators[loop] == utils::IteratorType::reduction &&
           !ShapedType::isDynamic(member.extents[loop]);
  };
  for (const MemberRead &read : member.reads) {
    if (!runsAlong(read, reuseLoop))
      continue;
    int64_t bytes = read.elementBytes;
    for (const WindowPosition &position : read.window)
      if (position.loops.size() == 1 && isFolded(position.loops.front()))
        bytes = mulCounts(bytes, member.likely[position.loops.front()]);
    if (read.window.empty())
      for (const PositionAccess &position : read.positions)
        for (const LoopDigit &digit : position.digits)
          if (digit.isLoop() && isFolded(digit.loop))
            bytes = mulCounts(bytes, member.getLikely(digit));
    most = std::max(most, bytes);
  }
  return most;
}

/// Notes the parameters of a contraction that lie in blocks of columns (see fuse-pack-parameters).
static void addPacked(KernelFacts &facts, const Member &member, const GroupDomain &domain,
                      unsigned m, std::optional<unsigned> reuseLoop) {
  std::optional<unsigned> columns = getColumns(member);
  if (!columns)
    return;
  for (const MemberRead &read : member.reads) {
    std::optional<int64_t> block = getColumnBlock(member, read, *columns);
    if (!block)
      continue;
    SmallVector<unsigned> dims, rows;
    bool isCut = false; // into blocks, which are a dim of their own then
    for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m])) {
      isCut |= atom.loop == *columns && atom.divisor == *block;
      SmallVector<unsigned> &list = runsAlong(read, atom.loop) ? dims : rows;
      if (dim != SharedDomain::kPrivate && !llvm::is_contained(list, static_cast<unsigned>(dim)))
        list.push_back(dim);
    }
    llvm::sort(dims);
    llvm::sort(rows);
    if (int dim = getInnermostDim(domain, m, *columns); !isCut && dim != SharedDomain::kPrivate)
      facts.columnBlocks.push_back({static_cast<unsigned>(dim), *block});
    if (!reuseLoop || runsAlong(read, *reuseLoop))
      continue;
    int64_t bytes = read.elementBytes;
    for (const PositionAccess &position : read.positions)
      for (const LoopDigit &digit : position.digits)
        bytes = mulCounts(bytes, member.getLikely(digit));
    facts.packed = {dims, rows, bytes, getRowBytes(member, *reuseLoop)};
  }
}

/// Whether a member is a gather of slices that a contraction reads where they are, one after the
/// other (see SliceGathers.cpp): all that its reader reads has a part of its own for each index.
/// What has a loop that others take apart is copied: gates beside what they gate, say.
static bool isReadInPlace(const MemberTable &table, const GroupDomain &domain, unsigned m) {
  unsigned node = domain.nodes[m];
  const Member &member = table[node];
  if (domain.atoms[m].size() > member.extents.size())
    return false;
  if (!member.isLocal || member.pattern == OpPattern::Elementwise || member.reads.size() != 2 ||
      member.escapes || member.readers.size() != 1 || !domain.contains(member.readers.front()))
    return false;
  const Member &reader = table[member.readers.front()];
  const MemberRead &gathered = member.reads.front(), &index = member.reads.back();
  if (!reader.isContraction() || gathered.isKnown || !index.isKnown)
    return false;
  for (const MemberRead &read : reader.reads) {
    if (read.producer != node)
      continue;
    if (!read.isKnown || !read.window.empty() || read.positions.size() != member.writes.size())
      return false;
    for (auto [loop, position] : llvm::zip_equal(member.writes, read.positions)) {
      if (loop < 0)
        return false;
      if (!runsAlong(index, loop))
        continue;
      if (position.digits.size() != 1)
        return false;
      unsigned along = position.digits.front().loop;
      if (reader.iterators[along] != utils::IteratorType::parallel ||
          !llvm::all_of(reader.reads,
                        [&](const MemberRead &other) { return runsAlong(other, along); }))
        return false;
    }
  }
  return true;
}

KernelFacts mlir::fuse::getKernelFacts(const MemberTable &table, const GroupDomain &domain,
                                       bool mayStream) {
  KernelFacts facts;
  facts.extents.assign(domain.extents.begin(), domain.extents.end());
  facts.likely.assign(domain.likely.begin(), domain.likely.end());
  // Only long rows are ever streamed; most groups need not be asked. Bytes of a row's temporaries.
  constexpr int64_t kLongRow = 2047;
  std::optional<GroupStream> stream;
  if (mayStream && computeMinScratch(table, domain, KernelLimits(mayStream)) > kLongRow)
    stream = findGroupStream(table, domain);
  if (stream && !ShapedType::isDynamic(stream->extent))
    facts.streamExtent = stream->extent;
  int numDims = domain.shared.numDims;
  int64_t alongShared = 0, alongPrivate = 0;
  // Of accesses outside: the elements of the largest, and the shared dim that each runs along.
  int64_t largest = 0;
  struct Line {
    unsigned dim;
    SmallVector<unsigned> dims;
    int64_t elements;
  };
  SmallVector<Line> lines;
  SmallVector<std::optional<WindowCopy>> copies = findCopiesMadeOf(table, domain);
  for (auto [m, node] : llvm::enumerate(domain.nodes)) {
    const Member &member = table[node];
    if (member.isLoad || member.isStore || member.isState) // the kernel's operand, and its result
      continue;
    KernelFacts::Member entry;
    entry.privateElements = domain.getPrivatePoints(m);
    entry.likelyElements = getLikelyPrivate(domain, m, member);
    entry.isContraction = member.isContraction();
    const std::optional<WindowCopy> &madeFor = copies[m];
    if (!entry.isContraction && !madeFor)
      facts.addRow(entry.privateElements);
    int64_t resultBytes = std::max<int64_t>(1, member.resultElementBytes), written = resultBytes;
    for (auto [atom, dim, id] :
         llvm::zip(domain.atoms[m], domain.shared.loops[m], domain.shared.classes[m])) {
      bool reduces = member.iterators[atom.loop] == utils::IteratorType::reduction;
      if (dim == SharedDomain::kPrivate) {
        facts.hasReductions |= reduces;
        facts.foldsStream |= reduces && !member.isContraction() && facts.streamExtent &&
                             stream->dimClass == id;
        entry.isStreamed |= !reduces && facts.streamExtent && stream->dimClass == id;
        if (!reduces)
          written = ShapedType::isDynamic(atom.extent) || ShapedType::isDynamic(written)
                        ? ShapedType::kDynamic
                        : mulCounts(written, atom.extent);
      } else if (!llvm::is_contained(entry.dims, static_cast<unsigned>(dim))) {
        entry.dims.push_back(dim);
      }
    }
    if (!domain.isResult[m] && !isStored(table, member) && !staysInRegisters(table, node) &&
        !isMadeForWindows(table, domain, node) && !isReadInPlace(table, domain, m) &&
        !ShapedType::isDynamic(written))
      entry.scratchBytes = entry.largestBytes = written;
    else if (domain.isResult[m] && !ShapedType::isDynamic(written) && isReread(table, domain, member))
      entry.rereadBytes = written;
    if (member.tensors.element == TensorElement::Short && !ShapedType::isDynamic(written))
      entry.sumBytes = written / resultBytes * static_cast<int64_t>(sizeof(float));
    if (entry.isContraction) {
      facts.hasProducts |= reusesLoads(member);
      std::optional<unsigned> reuseLoop;
      if (!facts.reuseDim)
        reuseLoop = getReuseLoop(member, domain, m);
      if (reuseLoop)
        facts.reuseDim = getInnermostDim(domain, m, *reuseLoop);
      addPacked(facts, member, domain, m, reuseLoop);
    }
    if (entry.isContraction)
      if (std::optional<unsigned> columns = getColumns(member)) {
        int dim = getInnermostDim(domain, m, *columns);
        facts.hasPrivateColumns |= dim == SharedDomain::kPrivate;
        if (dim != SharedDomain::kPrivate) {
          facts.vectorDims.push_back(dim);
          facts.vectorLoops.push_back(member.extents[*columns]);
        }
      }
    addFold(facts, domain, m, member, entry);
    // Long sums keep their order where they have to.
    if (entry.isContraction && (mayStream || isShortFold(entry.privateElements)))
      describeThin(member, domain, m, entry);
    if (entry.isContraction && !entry.thin) {
      TensorElement element = member.tensors.element;
      facts.areTensorProducts &= element == TensorElement::Byte || (mayStream && element == TensorElement::Short);
      facts.suitsWarpgroups &= suitsWarpgroups(table, domain, m);
      for (const MemberRead &read : member.reads) {
        facts.tensorBytes = std::max(facts.tensorBytes, read.elementBytes);
        facts.tensorAccessBytes = std::min(facts.tensorAccessBytes, getAccessBytes(read));
      }
    }
    if (madeFor && entry.scratchBytes == 0) {
      facts.members.push_back({madeFor->dims, madeFor->elements});
      facts.members.back().windows = madeFor->windows;
    } else {
      facts.add(std::move(entry));
    }
    for (const MemberRead &read : member.reads)
      if (std::optional<WindowCopy> copy = getWindowCopy(table, domain, m, read)) {
        int64_t bytes = mulCounts(copy->elements, read.elementBytes);
        facts.members.push_back({copy->dims, copy->elements, false, bytes, bytes});
        facts.members.back().windows = copy->windows;
        if (ArrayRef<unsigned> last = read.window.back().loops; last.size() == 1)
          if (int dim = getInnermostDim(domain, m, last.front()); dim != SharedDomain::kPrivate)
            facts.windowDim = dim;
      }
    facts.elementBytes = std::max(facts.elementBytes, member.elementBytes);
    // What is contiguous is weighed by elements.
    auto count = [&, m = m](int last, ArrayRef<int> loops, ArrayRef<WindowPosition> window,
                            bool isOutside) {
      int64_t elements = 1;
      for (const WindowPosition &position : window)
        elements = mulCounts(elements, position.likely);
      if (window.empty())
        for (int loop : loops)
          elements = mulCounts(elements, member.likely[loop]);
      int dim = getInnermostDim(domain, m, last);
      bool isLastShared = dim == numDims - 1;
      if (isOutside)
        largest = std::max(largest, elements);
      if (dim != SharedDomain::kPrivate && isOutside && loops.size() > 1)
        lines.push_back({static_cast<unsigned>(dim), getDims(domain, m, loops), elements});
      if (isLastShared)
        facts.addNarrow(member.elementBytes);
      int64_t &sum = isLastShared ? alongShared : alongPrivate;
      sum = addCounts(sum, elements);
    };
    for (const MemberRead &read : member.reads) {
      ArrayRef<PositionAccess> positions = read.getGroupPositions();
      if (positions.empty() || positions.back().digits.empty() || !positions.back().digits.back().isLoop())
        continue;
      unsigned last = positions.back().digits.back().loop;
      // Vectors do not run along what a contraction folds: such operands are packed, or spread.
      if (!member.isContraction() || member.iterators[last] != utils::IteratorType::reduction)
        count(last, getLoops(read), read.window, !domain.contains(read.producer) || table[read.producer].isLoad);
    }
    if (!member.writes.empty() && member.writes.back() >= 0)
      count(member.writes.back(), getLoops(member), {}, domain.isResult[m] || isStored(table, member));
  }
  // Lines that several tiles touch matter where they are a part of what the kernel moves: the greatest elements of parts
  // of rows are no reason for tiles that are as wide as a line of them.
  constexpr int64_t kLeastPart = 16;
  for (const Line &line : lines)
    if (line.elements >= largest / kLeastPart)
      facts.addLine(line.dim, line.dims);
  facts.lastDimIsContiguous = alongShared >= alongPrivate;
  facts.orderBlocks();
  if (facts.reuseDim && static_cast<int>(*facts.reuseDim) == numDims - 1)
    facts.lastDimIsContiguous = false; // rows, behind which all columns are private
  return facts;
}

static KernelFacts getFacts(func::FuncOp function, const OutlinedKernel &kernel, bool mayStream) {
  KernelFacts facts = getKernelFacts(kernel.getTable(), kernel.getDomain(), mayStream);
  facts.isStep = function->hasAttr(attr::kSteps);
  return facts;
}

FailureOr<KernelFacts> mlir::fuse::getKernelFacts(func::FuncOp function, bool mayStream) {
  if (failed(OutlinedKernel::verify(function)))
    return failure();
  return getFacts(function, OutlinedKernel(function), mayStream);
}

FailureOr<ScheduleAttr> mlir::fuse::computeKernelSchedule(func::FuncOp function, bool mayStream,
                                                          bool gpu) {
  if (failed(OutlinedKernel::verify(function)))
    return failure();
  OutlinedKernel kernel(function);
  MLIRContext *context = function.getContext();
  TargetAttr target = TargetAttr::lookup(function);
  if (std::optional<ScatterShape> scatter = kernel.getScatter()) {
    auto compute = gpu ? computeGpuScatterSchedule : computeScatterSchedule;
    return compute(context, *scatter, target);
  }
  auto compute = gpu ? computeGpuSchedule : computeSchedule;
  return compute(context, getFacts(function, kernel, mayStream), target);
}
