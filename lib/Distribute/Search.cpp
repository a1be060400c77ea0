//===- Search.cpp - The placements that take the least time --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Distribute/Search.h"
#include "fuse/IR/FuseInterfaces.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A way to place the steps up to one of them.
struct Way {
  const Way *before;
  Placement placement;
  double cost;
  /// Of the values that live behind the step.
  SmallVector<Cut, 8> live;
  /// Of the arguments that the step is the first to read.
  SmallVector<std::pair<Value, Cut>, 2> arguments;
  llvm::hash_code argumentsHash;
};

/// A placement of a step, with what does not depend on how its operands lie.
struct Candidate {
  Placement placement;
  SmallVector<Cut> operands, results;
  double cost;
};

class Search {
public:
  Search(const Problem &problem, const SearchOptions &options, double nsPerByte)
      : problem(problem), options(options), nsPerByte(nsPerByte), grid(problem.grid) {
    for (const Step &step : problem.steps)
      for (Value operand : step.op->getOperands())
        if (isTracked(operand))
          lastUse[operand] = &step - problem.steps.data();
  }

  std::vector<DistributionPlan> run() {
    ways.push_back({nullptr, {}, 0, {}, {}, llvm::hash_value(0)});
    SmallVector<const Way *> front{&ways.back()};
    for (auto [number, step] : llvm::enumerate(problem.steps)) {
      front = advance(number, step, front);
      if (front.empty())
        return {};
    }
    llvm::sort(front, [](const Way *a, const Way *b) {
      return std::make_tuple(a->cost, static_cast<size_t>(a->argumentsHash)) <
             std::make_tuple(b->cost, static_cast<size_t>(b->argumentsHash));
    });
    std::vector<DistributionPlan> plans;
    llvm::DenseSet<size_t> seen;
    for (const Way *way : front) {
      if (!seen.insert(way->argumentsHash).second)
        continue;
      plans.push_back(makePlan(way));
      if (plans.size() == options.count)
        break;
    }
    return plans;
  }

private:
  bool isTracked(Value value) const {
    return isa<RankedTensorType>(value.getType()) && !problem.isConstant(value);
  }

  /// All placements of a step that roles, annotations and extents allow.
  SmallVector<Candidate> listCandidates(const Step &step) {
    SmallVector<Placement> placements{Placement()};
    auto annotated = problem.fixed.find(step.op->getNumResults() ? step.op->getResult(0) : Value());
    if (annotated != problem.fixed.end() && isa<shard::ShardOp>(step.op)) {
      placements[0].loops = annotated->second;
    } else {
      for (unsigned axis = 0; axis < grid.size(); ++axis) {
        if (grid[axis] == 1)
          continue;
        SmallVector<Placement> more;
        for (const Placement &placement : placements)
          extend(step, placement, axis, more);
        // Who asks for an axis gets it, whether it pays or not.
        if (mustUse(step, axis) && !more.empty())
          placements = std::move(more);
        else
          placements.append(more);
      }
    }
    SmallVector<Candidate> candidates;
    for (const Placement &placement : placements) {
      Candidate candidate;
      candidate.placement = placement;
      for (unsigned i = 0; i < step.op->getNumOperands(); ++i)
        candidate.operands.push_back(getOperandCut(step, placement, grid, i));
      for (unsigned i = 0; i < step.op->getNumResults(); ++i)
        candidate.results.push_back(getResultCut(step, placement, grid, i));
      candidate.cost = computeTime(step, placement, grid, problem.target) +
                       combineTime(step, placement, grid, problem.target) +
                       joinTime(step, placement, grid, problem.target);
      candidates.push_back(std::move(candidate));
    }
    return candidates;
  }

  bool mustUse(const Step &step, unsigned axis) const {
    return problem.roles[axis] == AxisRole::Data ||
           (problem.roles[axis] == AxisRole::Tensor && step.isWeighted);
  }

  /// Whether the axes that cut a dimension of the result do so with the first one outermost, as a Cut says it. What ranks
  /// add up is scattered when each has its part of the loops: an axis that scatters a dimension is within those whose loops
  /// cut it, so that none of these may come behind it, as `axis` does behind all that the placement has.
  static bool keepsOrder(const Step &step, const Placement &placement, unsigned axis) {
    for (ArrayRef<int8_t> dims : step.rule.results)
      for (auto [dim, loop] : llvm::enumerate(dims))
        if (loop >= 0 && loop == placement.loops[axis])
          for (unsigned outer = 0; outer < axis; ++outer)
            if (placement.scatter[outer] == static_cast<int64_t>(dim))
              return false;
    return true;
  }

  /// `placement` with each loop that `axis` may share out.
  void extend(const Step &step, const Placement &placement, unsigned axis,
              SmallVectorImpl<Placement> &more) {
    for (auto [number, loop] : llvm::enumerate(step.rule.loops)) {
      int64_t parts = placement.loops.getParts(grid, number) * grid[axis];
      if (!loop.canBeCut(parts) || !problem.mayCut(step, number, axis))
        continue;
      Placement next = placement;
      next.loops.set(axis, number);
      if (!keepsOrder(step, next, axis))
        continue;
      more.push_back(next);
      // A part of each dimension of the result, outer axes first.
      if (!loop.isReduction || step.isPrepared || !problem.scatters)
        continue;
      auto type = cast<RankedTensorType>(step.op->getResult(0).getType());
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        Placement scattered = next;
        scattered.scatter.set(axis, dim);
        Cut cut = getResultCut(step, scattered, grid, 0);
        SmallVector<int64_t, kMostAxes> axes = cut.axesOf(dim);
        if (axes.back() == static_cast<int64_t>(axis) && isDivisible(type.getShape(), grid, cut))
          more.push_back(scattered);
      }
    }
  }

  double getMoveCost(Value value, const Cut &from, const Cut &to) {
    if (from == to)
      return 0;
    uint64_t cuts = static_cast<uint64_t>(from.getKey()) << 32 | to.getKey();
    auto [it, isNew] = moves.try_emplace({value.getAsOpaquePointer(), cuts}, 0.0);
    if (isNew)
      it->second = problem.getMoveTime(value, from, to) * getPenalty(from, to);
    return it->second;
  }

  /// Products alone exchange along an axis for tensors.
  double getPenalty(const Cut &from, const Cut &to) const {
    constexpr double kOtherCollectives = 4;
    for (unsigned axis = 0; axis < grid.size(); ++axis)
      if (problem.roles[axis] == AxisRole::Tensor && from[axis] >= 0 && from[axis] != to[axis])
        return kOtherCollectives;
    return 1;
  }

  SmallVector<const Way *> advance(unsigned number, const Step &step, ArrayRef<const Way *> front) {
    // What lives behind the step: of what lived before, of new arguments, of results.
    SmallVector<Value> values, next;
    values.assign(live);
    SmallVector<Value> operands(step.op->getOperands());
    auto add = [&](Value value) {
      if (isTracked(value) && !llvm::is_contained(values, value))
        values.push_back(value);
    };
    llvm::for_each(operands, add);
    llvm::for_each(step.op->getResults(), add);
    SmallVector<unsigned> kept;
    for (auto [i, value] : llvm::enumerate(values))
      if (auto use = lastUse.find(value); use != lastUse.end() && use->second > number) {
        kept.push_back(i);
        next.push_back(value);
      }
    SmallVector<int> places;
    for (Value operand : operands)
      places.push_back(isTracked(operand) ? llvm::find(values, operand) - values.begin() : -1);
    SmallVector<int> resultPlaces;
    for (Value result : step.op->getResults())
      resultPlaces.push_back(isTracked(result) ? llvm::find(values, result) - values.begin() : -1);

    SmallVector<Candidate> candidates = listCandidates(step);
    llvm::StringMap<SmallVector<Way, 2>> best;
    size_t most = std::max(options.count, 1u);
    for (const Way *way : front)
      for (const Candidate &candidate : candidates) {
        Way extended{way, candidate.placement, way->cost + candidate.cost, way->live, {},
                     way->argumentsHash};
        extended.live.resize(values.size());
        for (auto [i, operand] : llvm::enumerate(operands)) {
          const Cut &wanted = candidate.operands[i];
          if (places[i] < 0) {
            if (problem.isConstant(operand) && !problem.isSplat(operand) &&
                isa<RankedTensorType>(operand.getType()))
              extended.cost += getMoveCost(operand, Cut(), wanted);
            continue;
          }
          Cut &now = extended.live[places[i]];
          // The first reader of an argument says how it comes.
          bool isNew = static_cast<size_t>(places[i]) >= live.size() && isa<BlockArgument>(operand) &&
                       !isKnown(extended.arguments, operand);
          if (isNew) {
            auto given = problem.fixed.find(operand);
            now = given == problem.fixed.end() ? wanted : given->second;
            extended.arguments.push_back({operand, now});
            // Biases and scales follow what they are added to.
            if (cast<RankedTensorType>(operand.getType()).getRank() > 1)
              extended.argumentsHash = llvm::hash_combine(extended.argumentsHash, now.getKey());
            extended.cost += nsPerByte * static_cast<double>(getByteSize(operand.getType())) /
                             now.getParts(grid);
          }
          if (now == wanted)
            continue;
          extended.cost += getMoveCost(operand, now, wanted);
          // The wider one serves later readers as well.
          if (wanted.getParts(grid) <= now.getParts(grid))
            now = wanted;
        }
        for (auto [i, place] : llvm::enumerate(resultPlaces))
          if (place >= 0)
            extended.live[place] = candidate.results[i];
        SmallVector<Cut, 8> after;
        SmallVector<uint32_t> key;
        for (unsigned i : kept) {
          after.push_back(extended.live[i]);
          key.push_back(extended.live[i].getKey());
        }
        extended.live = std::move(after);
        insert(best[StringRef(reinterpret_cast<const char *>(key.data()),
                              key.size() * sizeof(uint32_t))],
               std::move(extended), most);
      }
    live = next;
    SmallVector<Way *> sorted;
    for (auto &entry : best)
      for (Way &way : entry.second)
        sorted.push_back(&way);
    llvm::sort(sorted, [](const Way *a, const Way *b) {
      return std::make_tuple(a->cost, static_cast<size_t>(a->argumentsHash)) <
             std::make_tuple(b->cost, static_cast<size_t>(b->argumentsHash));
    });
    if (sorted.size() > options.width * most)
      sorted.resize(options.width * most);
    SmallVector<const Way *> result;
    for (Way *way : sorted) {
      ways.push_back(std::move(*way));
      result.push_back(&ways.back());
    }
    return result;
  }

  static bool isKnown(ArrayRef<std::pair<Value, Cut>> arguments, Value argument) {
    return llvm::any_of(arguments, [&](const auto &known) { return known.first == argument; });
  }

  /// Keeps the cheapest ways to one state, which differ in the cuts of arguments.
  static void insert(SmallVector<Way, 2> &list, Way way, size_t most) {
    for (Way &known : list)
      if (known.argumentsHash == way.argumentsHash) {
        if (way.cost < known.cost)
          known = std::move(way);
        return;
      }
    if (list.size() < most) {
      list.push_back(std::move(way));
      return;
    }
    auto worst = llvm::max_element(list, [](const Way &a, const Way &b) { return a.cost < b.cost; });
    if (way.cost < worst->cost)
      *worst = std::move(way);
  }

  DistributionPlan makePlan(const Way *way) {
    DistributionPlan plan;
    plan.grid.assign(grid.begin(), grid.end());
    for (; way->before; way = way->before) {
      plan.placements.push_back(way->placement);
      for (auto [argument, cut] : way->arguments)
        plan.arguments[argument] = cut;
    }
    std::reverse(plan.placements.begin(), plan.placements.end());
    for (BlockArgument argument : problem.function.getArguments())
      if (isTracked(argument) && !plan.arguments.contains(argument))
        plan.arguments[argument] = problem.fixed.lookup(argument);
    pricePlan(problem, plan);
    return plan;
  }

  const Problem &problem;
  const SearchOptions &options;
  /// What a byte of an argument counts, for limits of memory.
  double nsPerByte;
  Grid grid;
  llvm::DenseMap<Value, unsigned> lastUse;
  llvm::DenseMap<std::pair<const void *, uint64_t>, double> moves;
  SmallVector<Value> live;
  std::deque<Way> ways;
};

} // namespace

std::vector<DistributionPlan> mlir::fuse::searchPlans(const Problem &problem,
                                                      const SearchOptions &options) {
  // Of plans that take as long the one with less memory wins.
  constexpr double kTie = 1e-9, kMost = 10;
  double nsPerByte = kTie;
  std::vector<DistributionPlan> fitting;
  while (true) {
    for (DistributionPlan &plan : Search(problem, options, nsPerByte).run())
      if (options.memoryBytes == 0 || plan.memoryBytes <= options.memoryBytes)
        fitting.push_back(std::move(plan));
    if (!fitting.empty() || options.memoryBytes == 0 || nsPerByte > kMost)
      break;
    nsPerByte *= nsPerByte == kTie ? 1e4 : 10;
  }
  llvm::stable_sort(fitting, [](const DistributionPlan &a, const DistributionPlan &b) {
    return a.getCost() < b.getCost();
  });
  return fitting;
}
