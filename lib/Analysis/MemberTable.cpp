//===- MemberTable.cpp - The facts of a block's ops that planning works from -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/MemberTable.h"
#include "MemberFingerprint.h"
#include "fuse/Analysis/SharedDomain.h"
#include "fuse/Analysis/ValueSizes.h"
#include "fuse/Analysis/VectorAccess.h"
#include "fuse/IR/Views.h"
#include "fuse/Support/Saturating.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static int64_t getElementBytes(ShapedType type) {
  return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

static int64_t countPoints(const Member &member, bool onlyParallel) {
  int64_t points = 1;
  for (auto [extent, iterator] : llvm::zip(member.likely, member.iterators))
    if (!onlyParallel || iterator == utils::IteratorType::parallel)
      points = mulSaturating(points, extent);
  return points;
}

int64_t Member::getPoints() const { return countPoints(*this, false); }

int64_t Member::getParallelPoints() const { return countPoints(*this, true); }

bool Member::isReduction() const {
  return llvm::any_of(llvm::zip_equal(iterators, extents), [](auto loop) {
    auto [iterator, extent] = loop; // one iteration folds nothing
    return iterator == utils::IteratorType::reduction && extent != 1;
  });
}

bool Member::readsInPlace() const {
  SmallVector<unsigned, 4> loops;
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (extent != 1)
      loops.push_back(loop);
  return llvm::all_of(reads, [&](const MemberRead &read) {
    return read.isPlain && read.isKnown &&
           llvm::equal(read.positions, loops, [](const PositionAccess &position, unsigned loop) {
             return position.digits.size() == 1 && position.digits.front().loop == loop;
           });
  });
}

static StreamRole getStreamRole(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
  if (!llvm::all_of(op->getOperandTypes(), isFloat) ||
      !llvm::all_of(op->getResultTypes(), isFloat))
    return StreamRole::Other;
  if (isa<CastOp>(op))
    return StreamRole::Cast;
  if (auto unary = dyn_cast<UnaryOp>(op))
    return unary.getKind() == UnaryKind::Exp ? StreamRole::Exponential : StreamRole::Other;
  if (isa<MatmulOp>(op))
    return StreamRole::Product;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Max   ? StreamRole::Maximum
           : reduce.getKind() == ReduceKind::Sum ? StreamRole::Sum
                                                 : StreamRole::Other;
  auto binary = dyn_cast<BinaryOp>(op);
  if (!binary)
    return StreamRole::Other;
  switch (binary.getKind()) {
  case BinaryKind::Add:
    return StreamRole::Term;
  case BinaryKind::Sub:
    return StreamRole::Difference;
  case BinaryKind::Mul:
    return StreamRole::Product;
  case BinaryKind::Div:
    return StreamRole::Quotient;
  default:
    return StreamRole::Other;
  }
}

namespace {

/// Fills in the members of a graph; numbers values as they come.
class TableBuilder {
public:
  TableBuilder(const FusionGraph &graph, ArrayRef<std::pair<Value, Value>> states,
               std::vector<Member> &members, SmallVectorImpl<Value> &copied)
      : graph(graph), states(states), members(members), copied(copied) {}

  /// Describes the nodes, then what the terminator's operands are copied by.
  void run() {
    for (unsigned node = 0; node < graph.size(); ++node) {
      Operation *op = graph.getOp(node);
      auto fusable = dyn_cast<FusableOpInterface>(op);
      Member &member = members.emplace_back();
      if (graph.getKind(node) == NodeKind::Device && fusable && op->getNumResults() <= 1)
        describe(node, fusable, member);
      if (op->hasAttr(attr::kClosed))
        closed.insert(op->getAttr(attr::kTogether));
    }
    for (Member &member : members)
      member.isClosed = member.together && closed.contains(member.together);
    if (graph.getBlock().mightHaveTerminator())
      for (Value value : graph.getBlock().getTerminator()->getOperands())
        addExit(value);
    for (unsigned node : exits)
      members[node].escapes = true;
    for (auto [state, next] : states)
      addState(state, next);
  }

private:
  /// A value that the terminator takes: as it is, or as a reshape of what a member computes, or copied.
  void addExit(Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    unsigned producer = graph.lookup(getViewSource(value));
    if (!type || !type.hasRank() || producer == FusionGraph::kNone || !members[producer].isFusable)
      return;
    Member copy = makeCopy(value);
    // A scatter is no member among others: what leaves behind it is not described.
    if (members[producer].scatter || isReshape(copy.reads.front(), type.getShape())) {
      exits.insert(producer);
      return;
    }
    copy.escapes = true;
    copy.value = number(value);
    members[producer].copies.push_back(members.size());
    members.push_back(std::move(copy));
    copied.push_back(value);
  }

  /// A state that is the value `next` in the next step.
  void addState(Value state, Value next) {
    unsigned producer = graph.lookup(getViewSource(next));
    auto known = numbers.find(state);
    if (producer == FusionGraph::kNone || !members[producer].isFusable || known == numbers.end())
      return;
    Member member = makeCopy(next);
    member.isState = true;
    member.value = known->second;
    for (Member &reader : members)
      for (MemberRead &read : reader.reads)
        if (read.value == member.value)
          read.producer = members.size();
    members[producer].copies.push_back(members.size());
    members.push_back(std::move(member));
    copied.push_back({}); // no operand of the terminator
  }

  /// An element-wise member that reads `value`; its result is yet to be numbered.
  Member makeCopy(Value value) {
    auto type = cast<ShapedType>(value.getType());
    AffineMap identity = AffineMap::getMultiDimIdentityMap(type.getRank(), value.getContext());
    Member copy;
    copy.isFusable = copy.hasResult = true;
    copy.pattern = OpPattern::Movement;
    copy.iterators.assign(type.getRank(), utils::IteratorType::parallel);
    copy.extents.assign(type.getShape().begin(), type.getShape().end());
    for (auto [loop, extent] : llvm::enumerate(type.getShape()))
      if (extent != 1)
        copy.writes.push_back(loop);
    for (unsigned loop = 0; loop < copy.extents.size(); ++loop)
      copy.likely.push_back(sizes.getLikelyExtent(value, loop));
    copy.resultBytes = sizes.getLikelyBytes(value);
    copy.elementBytes = copy.resultElementBytes = getElementBytes(type);
    copy.reads.push_back(describeRead(value, identity, type.getShape()));
    return copy;
  }

  /// Whether the source of `read` holds, in its order, the elements of `shape`, which loops number.
  static bool isReshape(const MemberRead &read, ArrayRef<int64_t> shape) {
    if (!read.isKnown)
      return false;
    SmallVector<LoopDigit, 8> digits;
    for (const PositionAccess &position : read.positions)
      llvm::append_range(digits, position.digits);
    for (size_t loop = shape.size(); loop-- > 0;)
      for (int64_t step = 1, extent = shape[loop]; step != extent;) {
        if (digits.empty() || digits.back().loop != loop || digits.back().divisor != step ||
            ShapedType::isDynamic(digits.back().extent) != ShapedType::isDynamic(extent))
          return false;
        step = ShapedType::isDynamic(extent) ? extent : step * digits.back().extent;
        digits.pop_back();
      }
    return digits.empty();
  }

  static ArrayRef<int64_t> getShape(Value value) {
    return cast<ShapedType>(value.getType()).getShape();
  }

  void describe(unsigned node, FusableOpInterface op, Member &member) {
    auto scatter = dyn_cast<ScatterOp>(op.getOperation());
    if (scatter && ScatterShape::isCopy(getShape(scatter.getOperand()), getShape(scatter.getUpdates())))
      member = makeCopy(scatter.getOperand());
    else
      describeLoops(op, member);
    member.isAlone = op->hasAttr(attr::kAlone);
    member.together = op->getAttrOfType<StringAttr>(attr::kTogether);
    if (op->getNumResults() > 0) {
      member.value = number(op->getResult(0));
      member.escapes = graph.getConsumers(node).inRegion;
    }
  }

  void describeLoops(FusableOpInterface op, Member &member) {
    member.isFusable = true;
    member.pattern = classifyPattern(op);
    member.isLoad = isa<LoadOp>(op.getOperation());
    member.isStore = isa<StoreOp>(op.getOperation());
    if (auto scatter = dyn_cast<ScatterOp>(op.getOperation()))
      member.scatter = ScatterShape::get(scatter);
    member.isLocal = member.pattern == OpPattern::Elementwise ||
                     isa<FromIndexOp, GatherOp, IotaOp>(op.getOperation());
    member.role = getStreamRole(op);
    member.iterators = SmallVector<utils::IteratorType, 4>(op.getIteratorTypesArray());
    member.extents = SmallVector<int64_t, 4>(op.getStaticLoopRanges());
    if (auto cost = dyn_cast<CostOpInterface>(op.getOperation()))
      member.flopsPerPoint = cost.getFlopsPerElement();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    describeLikely(op, maps, member);
    for (AffineMap &map : MutableArrayRef(maps).take_front(op->getNumOperands()))
      map = dropUnitLoops(map, member.extents);
    // Slices of one element: each is at an index of its own.
    member.isVector = llvm::none_of(maps, [](AffineMap map) {
      return map.getNumResults() > 0 && isa<AffineSymbolExpr>(map.getResults().back());
    });
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<ShapedType>(operand.get().getType());
      if (!type)
        continue; // a number, behind the tensors
      member.elementBytes = std::max(member.elementBytes, getElementBytes(type));
      if (member.isStore && operand.getOperandNumber() == 1)
        member.resultBytes = sizes.getLikelyBytes(operand.get()); // the buffer is written, not read
      else
        member.reads.push_back(describeRead(operand.get(), maps[operand.getOperandNumber()],
                                            member.extents));
      if (isa<MatmulOp, Conv2dOp>(op) && operand.getOperandNumber() == 1)
        member.reads.back().groupedLoop = getGroupedLoop(member.reads.back(), operand.get(), member);
      addCuts(operand.get(), maps[operand.getOperandNumber()], member);
    }
    if (member.isContraction())
      member.tensors = describeTensors(op, maps, member.extents);
    if (auto padding = op->getAttrOfType<DenseI64ArrayAttr>("padding"))
      describeWindow(op, maps.front(), padding, member.extents, member.reads.front());
    if (op->getNumResults() == 0)
      return;
    Value result = op->getResult(0);
    auto type = cast<ShapedType>(result.getType());
    member.hasResult = true;
    for (int64_t dim = 0; dim < type.getRank() && !member.unknownDim; ++dim)
      if (type.isDynamicDim(dim) && !sizes.followsFromOperands(op->getResult(0), dim))
        member.unknownDim = dim;
    member.resultBytes = sizes.getLikelyBytes(result);
    member.resultElementBytes = getElementBytes(type);
    member.elementBytes = std::max(member.elementBytes, member.resultElementBytes);
    AffineMap map = maps[op->getNumOperands()];
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      if (extent == 1)
        continue;
      auto loop = dyn_cast_if_present<AffineDimExpr>(map ? map.getResult(dim) : AffineExpr());
      member.writes.push_back(loop ? static_cast<int>(loop.getPosition()) : DomainAccess::kOther);
    }
  }

  /// Of a loop of unknown extent, what an operand or the result that it runs along states.
  void describeLikely(FusableOpInterface op, ArrayRef<AffineMap> maps, Member &member) {
    member.likely = member.extents;
    if (!ShapedType::isDynamicShape(member.extents))
      return;
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    for (auto [loop, extent] : llvm::enumerate(member.extents)) {
      if (!ShapedType::isDynamic(extent))
        continue;
      member.likely[loop] = ValueSizes::kUnknownExtent;
      AffineExpr expr = getAffineDimExpr(loop, op->getContext());
      for (auto [value, map] : llvm::zip(values, maps))
        if (std::optional<unsigned> dim = map ? map.getResultPosition(expr) : std::nullopt;
            dim && isa<ShapedType>(value.getType())) {
          member.likely[loop] = sizes.getLikelyExtent(value, *dim);
          break;
        }
    }
  }

  /// Those of a map that says `d floordiv n` or `d mod n`.
  static void addCuts(Value operand, AffineMap map, Member &member) {
    for (const PositionAccess &position : getPositions(getShape(operand), map, member.extents))
      for (const LoopDigit &digit : position.digits) {
        if (!digit.isLoop() || ShapedType::isDynamic(digit.extent))
          continue;
        for (int64_t cut : {digit.divisor, digit.divisor * digit.extent})
          if (cut > 1 && cut < member.extents[digit.loop])
            member.cuts.push_back({digit.loop, cut});
      }
  }

  /// Whether rows have as many steps of the reduction next to each other as an instruction sums products of bytes; three of
  /// four are as good.
  static bool sumsGroups(FusableOpInterface op, AffineMap rows, ArrayRef<int64_t> extents) {
    constexpr int64_t kLeastSteps = 3;
    auto last = rows.getNumResults() == 0 ? AffineDimExpr(nullptr) : dyn_cast<AffineDimExpr>(rows.getResults().back());
    if (!last || op.getIteratorTypesArray()[last.getPosition()] != utils::IteratorType::reduction)
      return false;
    int64_t steps = extents[last.getPosition()];
    return ShapedType::isDynamic(steps) || steps >= kLeastSteps;
  }

  static TensorOperands describeTensors(FusableOpInterface op, ArrayRef<AffineMap> maps, ArrayRef<int64_t> extents) {
    TensorOperands tensors;
    if (op->getNumOperands() != 2 || !maps[0] || !maps[1])
      return tensors;
    Type left = getElementTypeOrSelf(op->getOperand(0)),
         right = getElementTypeOrSelf(op->getOperand(1));
    bool areBytes = left.isInteger(8) && right.isInteger(8);
    if (left != right && !areBytes)
      return tensors;
    for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      bool isLeft = maps[0].isFunctionOfDim(loop), isRight = maps[1].isFunctionOfDim(loop);
      if (iterator == utils::IteratorType::parallel && isLeft != isRight)
        (isLeft ? tensors.rows : tensors.columns).push_back(loop);
    }
    tensors.element = left.isF16() || left.isBF16() ? TensorElement::Short
                      : left.isF32()                ? TensorElement::F32
                                                    : TensorElement::None;
    if (areBytes && getElementTypeOrSelf(op->getResult(0)).isSignlessInteger(32) && sumsGroups(op, maps[0], extents) &&
        !(left.isUnsignedInteger() && right.isUnsignedInteger())) // those are widened
      tensors.element = TensorElement::Byte;
    return tensors;
  }

  /// Whether memory has the dimensions of `value` in another order.
  static bool isTransposed(Value value) {
    ArrayRef<int64_t> shape = getShape(value);
    auto identity = AffineMap::getMultiDimIdentityMap(shape.size(), value.getContext());
    std::optional<LoopDigit> last; // a dimension may be several in memory: the outer factor lies outside
    for (const PositionAccess &position : getSourceAccess(value, identity, shape).positions)
      for (const LoopDigit &digit : position.digits) {
        if (!digit.isLoop())
          continue;
        if (last && (digit.loop < last->loop ||
                     (digit.loop == last->loop && digit.divisor > last->divisor)))
          return true;
        last = digit;
      }
    return false;
  }

  void describeWindow(FusableOpInterface op, AffineMap map, ArrayRef<int64_t> padding,
                             ArrayRef<int64_t> extents, MemberRead &read) {
    Value operand = op->getOperand(0);
    bool isPadded = llvm::any_of(padding, [](int64_t count) { return count != 0; });
    read.isReordered = isTransposed(operand) && (isPadded || readsWindowsAlongVectors(op));
    read.isCopied = isPadded || read.isReordered;
    if (!map)
      return;
    ArrayRef<int64_t> shape = getShape(operand);
    SmallVector<PositionAccess, 4> positions = getPositions(shape, map, extents);
    if (!read.isCopied && llvm::all_of(positions, std::mem_fn(&PositionAccess::isKnown)))
      return;
    for (auto [dim, extent, expr, digits] : llvm::enumerate(shape, map.getResults(), positions)) {
      if (digits.digits.size() > 1) { // groups of channels, and the channels of one
        for (const LoopDigit &digit : digits.digits)
          read.window.push_back({digit.extent, digit.divisor, {digit.loop}, {1}});
        continue;
      }
      int64_t divisor = digits.isKnown() && !digits.digits.empty() ? digits.digits.front().divisor : 1;
      WindowPosition &position = read.window.emplace_back(WindowPosition{extent, divisor, {}, {}});
      position.likely = sizes.getLikelyExtent(operand, dim);
      for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
        if (!expr.isFunctionOfDim(loop) || extents[loop] == 1) // a loop of one iteration stands still
          continue;
        position.loops.push_back(loop);
        position.steps.push_back(getStep(expr, loop, map.getNumDims()).value_or(0));
      }
    }
  }

  /// The loop of a reduction along which memory of bytes or bf16 has groups of a word, behind each other along
  /// another loop.
  static std::optional<unsigned> getGroupedLoop(const MemberRead &read, Value operand, const Member &member) {
    Type element = getElementTypeOrSelf(operand);
    int64_t group = element.isInteger(8) ? 4 : element.isBF16() ? 2 : 0;
    if (group == 0 || read.producer != FusionGraph::kNone ||
        read.positions.size() < 2 || read.positions.back().digits.size() != 1)
      return std::nullopt;
    const LoopDigit &step = read.positions.back().digits.front();
    if (!step.isLoop() || step.divisor != 1 || step.extent != group ||
        member.iterators[step.loop] != utils::IteratorType::reduction)
      return std::nullopt;
    bool isOnlyGroup = member.extents[step.loop] <= group;
    bool hasGroups = llvm::any_of(ArrayRef(read.positions).drop_back(), [&](const PositionAccess &position) {
      return position.digits.size() == 1 && position.digits.front().loop == step.loop &&
             position.digits.front().divisor == group;
    });
    return isOnlyGroup || hasGroups ? std::optional(step.loop) : std::nullopt;
  }

  MemberRead describeRead(Value operand, AffineMap map, ArrayRef<int64_t> extents) {
    SourceAccess access = getSourceAccess(operand, map, extents);
    MemberRead read;
    read.value = number(access.source);
    read.producer = graph.lookup(access.source);
    bool isKnown = llvm::all_of(access.positions,
                                [](const PositionAccess &position) { return position.isKnown(); });
    if (read.producer == FusionGraph::kNone && !isKnown)
      access = getSourceAccess(operand, map, extents, /*throughFronts=*/true);
    read.isPlain = access.isPlain;
    read.elementBytes = getElementBytes(cast<ShapedType>(operand.getType()));
    DenseElementsAttr constant;
    bool isFree = matchPattern(access.source, m_Constant(&constant)) && constant.isSplat();
    read.bytes = isFree ? 0 : std::min(sizes.getLikelyBytes(operand), sizes.getLikelyBytes(access.source));
    for (Operation *view = operand.getDefiningOp(); view && classifyNode(view) == NodeKind::View;
         view = view->getOperand(0).getDefiningOp())
      if (auto reshape = dyn_cast<ReshapeOp>(view); reshape && reshape.hidesLoops())
        read.hidingReshape = reshape;
    ArrayRef<int64_t> shape = cast<ShapedType>(access.source.getType()).getShape();
    for (auto [extent, position] : llvm::zip(shape, access.positions)) {
      if (extent == 1)
        continue;
      read.isKnown &= position.isKnown();
      read.positions.push_back(position);
    }
    return read;
  }

  unsigned number(Value value) { return numbers.try_emplace(value, numbers.size()).first->second; }

  const FusionGraph &graph;
  ArrayRef<std::pair<Value, Value>> states;
  std::vector<Member> &members;
  SmallVectorImpl<Value> &copied;
  DenseMap<Value, unsigned> numbers;
  ValueSizes sizes;
  llvm::SmallDenseSet<unsigned> exits; ///< nodes whose result the terminator takes as it is
  llvm::SmallDenseSet<Attribute> closed; ///< labels of fuse.together
};

} // namespace

MemberTable::MemberTable(const FusionGraph &graph, ArrayRef<std::pair<Value, Value>> states)
    : numNodes(graph.size()) {
  members.reserve(graph.size());
  TableBuilder(graph, states, members, copied).run();
  complete();
  // What else reads a result keeps it in memory.
  for (unsigned node = 0; node < graph.size(); ++node) {
    NodeKind kind = graph.getKind(node);
    if (members[node].isFusable || kind == NodeKind::View || kind == NodeKind::Constant ||
        kind == NodeKind::Terminator) // see addExit
      continue;
    for (unsigned producer : getProducers(graph, node))
      members[producer].escapes = true;
  }
}

MemberTable::MemberTable(std::vector<Member> given)
    : members(std::move(given)), numNodes(members.size()) {
  for (Member &member : members) {
    if (!member.likely.empty())
      continue;
    for (int64_t extent : member.extents)
      member.likely.push_back(ShapedType::isDynamic(extent) ? ValueSizes::kUnknownExtent : extent);
  }
  complete();
}

void MemberTable::complete() {
  SmallVector<int64_t, 64> words;
  for (Member &member : llvm::reverse(members)) // copies first: they are part of their producers'
    if (member.isFusable) {
      member.isVector &= hasVectorLoop(member);
      member.fingerprint = computeFingerprint(member, members, words);
    }
  for (unsigned node = 0; node < members.size(); ++node)
    for (MemberRead &read : members[node].reads) {
      if (read.producer == FusionGraph::kNone)
        continue;
      Member &producer = members[read.producer];
      if (!producer.isFusable)
        read.producer = FusionGraph::kNone;
      else if (producer.readers.empty() || producer.readers.back() != node)
        producer.readers.push_back(node);
    }
}
