//===- FuseAttributes.cpp - Targets, schedules, origins and profiles -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/TargetFigures.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

#include "fuse/IR/FuseEnums.cpp.inc"

/// `[<…>, <…>]`, which may be empty: then lowering chooses.
static ParseResult parseLevels(AsmParser &parser, SmallVectorImpl<LevelAttr> &levels) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    FailureOr<LevelAttr> level = FieldParser<LevelAttr>::parse(parser);
    if (failed(level))
      return failure();
    levels.push_back(*level);
    return success();
  });
}

static void printLevels(AsmPrinter &printer, ArrayRef<LevelAttr> levels) {
  printer << '[';
  llvm::interleaveComma(levels, printer,
                        [&](LevelAttr level) { printer.printStrippedAttrOrType(level); });
  printer << ']';
}

/// Any of them may be left out; declarative formats cannot skip a group once its comma is read.
static ParseResult parseScheduleCounts(AsmParser &parser, int64_t &reductionLanes, int64_t &threads,
                                       int64_t &lanes) {
  std::pair<StringRef, int64_t *> counts[] = {
      {"reduction_lanes", &reductionLanes}, {"threads", &threads}, {"lanes", &lanes}};
  auto *next = std::begin(counts);
  while (succeeded(parser.parseOptionalComma())) {
    while (next != std::end(counts) && failed(parser.parseOptionalKeyword(next->first)))
      ++next;
    if (next == std::end(counts))
      return parser.emitError(parser.getCurrentLocation(),
                              "expected 'reduction_lanes', 'threads' or 'lanes', in this order");
    if (parser.parseEqual() || parser.parseInteger(*next->second))
      return failure();
    ++next;
  }
  return success();
}

static void printScheduleCounts(AsmPrinter &printer, int64_t reductionLanes, int64_t threads,
                                int64_t lanes) {
  std::pair<StringRef, int64_t> counts[] = {
      {"reduction_lanes", reductionLanes}, {"threads", threads}, {"lanes", lanes}};
  for (auto [name, count] : counts)
    if (count != 0)
      printer << ", " << name << " = " << count;
}

/// `[[0], [], [1]]`: the axes of each dimension.
static ParseResult parseAxesOfDims(AsmParser &parser, SmallVector<DenseI64ArrayAttr> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    SmallVector<int64_t> axes;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
          return parser.parseInteger(axes.emplace_back());
        }))
      return failure();
    dims.push_back(DenseI64ArrayAttr::get(parser.getContext(), axes));
    return success();
  });
}

static void printAxesOfDims(AsmPrinter &printer, ArrayRef<DenseI64ArrayAttr> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer.getStream(), [&](DenseI64ArrayAttr axes) {
    printer << '[';
    llvm::interleaveComma(axes.asArrayRef(), printer.getStream());
    printer << ']';
  });
  printer << ']';
}

#define GET_ATTRDEF_CLASSES
#include "fuse/IR/FuseAttributes.cpp.inc"

void FuseDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fuse/IR/FuseAttributes.cpp.inc"
      >();
}

//===- Target -------------------------------------------------------------------------------===//

ArrayRef<std::pair<StringLiteral, double>> TargetAttr::getDefaultFigures() {
  static constexpr std::pair<StringLiteral, double> figures[] = {{"dispatch_ns", 0},
                                                                 {"roundtrip_ns", 0},
                                                                 {"memory_bw", 1},
                                                                 {"readback_bw", 1},
                                                                 {"unified", 0},
                                                                 {"unified_readback_bw", 1},
                                                                 {"host_thunk_penalty_ns", 0},
                                                                 {"min_gain_ns", 0},
                                                                 {"store_bw", 0},
                                                                 {"thread_memory_bw", 0},
                                                                 {"l1_bytes", 32768},
                                                                 {"l2_bytes", 1048576},
                                                                 {"l3_bytes", 33554432},
                                                                 {"l2_bw", 0},
                                                                 {"l3_bw", 0},
                                                                 {"nontemporal_bytes", 0},
                                                                 {"flops_per_ns", 0},
                                                                 {"matmul_flops_per_ns", 0},
                                                                 {"int8_flops_per_ns", 0},
                                                                 {"tensor_flops_per_ns", 0},
                                                                 {"tf32_flops_per_ns", 0},
                                                                 {"tensor_int8_flops_per_ns", 0},
                                                                 {"warpgroup_size", 0},
                                                                 {"fork_ns", 0},
                                                                 {"shared_memory_bytes", 0},
                                                                 {"vector_bytes", 64},
                                                                 {"subgroup_size", 1},
                                                                 {"registers", 32},
                                                                 {"max_operands", 256},
                                                                 {"max_threads", 1},
                                                                 {"min_blocks", 16},
                                                                 {"collective_alpha_ns", 1000},
                                                                 {"collective_beta_bw", 6},
                                                                 {"collective_cache_bw", 0},
                                                                 {"network_alpha_ns", 5000},
                                                                 {"network_bw", 12},
                                                                 {"ranks_per_node", 1 << 20},
                                                                 {"rank_memory_bytes", 0}};
  return figures;
}

bool mlir::fuse::isCountFigure(StringRef key) {
  return llvm::is_contained(
      {"subgroup_size", "registers", "max_operands", "max_threads", "min_blocks", "ranks_per_node"},
      key);
}

bool mlir::fuse::isWholeFigure(StringRef key) {
  return key.ends_with("_bytes") || isCountFigure(key);
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                 TargetKind kind, DictionaryAttr figures) {
  if (name.empty())
    return emitError() << "a target needs a name";
  for (NamedAttribute figure : figures) {
    StringRef key = figure.getName().getValue();
    if (llvm::none_of(getDefaultFigures(), [&](const auto &entry) { return entry.first == key; }))
      return emitError() << "unknown figure '" << key << "' of target '" << name << "'";
    auto value = dyn_cast<FloatAttr>(figure.getValue());
    if (!value || !value.getType().isF64())
      return emitError() << "figure '" << key << "' of target '" << name
                         << "' expects an f64, found " << figure.getValue();
    if (!value.getValue().isFinite() || value.getValueAsDouble() < 0)
      return emitError() << "figure '" << key << "' of target '" << name
                         << "' expects a finite number that is not negative, found "
                         << figure.getValue();
    if (value.getValueAsDouble() > kMostOfAFigure)
      return emitError() << "figure '" << key << "' of target '" << name
                         << "' expects at most 1e18, found " << figure.getValue();
    if (isWholeFigure(key) && !value.getValue().isInteger())
      return emitError() << "figure '" << key << "' of target '" << name
                         << "' expects a whole number, found " << figure.getValue();
    if (key == "unified" && value.getValueAsDouble() != 0 && value.getValueAsDouble() != 1)
      return emitError() << "figure 'unified' of target '" << name << "' expects 0 or 1, found "
                         << figure.getValue();
  }
  return success();
}

double TargetAttr::getFigure(StringRef key) const {
  if (auto value = getFigures().getAs<FloatAttr>(key))
    return value.getValueAsDouble();
  for (const auto &[name, value] : getDefaultFigures())
    if (name == key)
      return value;
  return 0;
}

// Products of bytes are priced at two thirds of those of floats, although a core multiplies four times as many: with a
// quarter BERT is planned as 76 kernels in place of 62, and takes as long.
TargetAttr TargetAttr::getDefault(MLIRContext *context) {
  Builder builder(context);
  auto figure = [&](StringRef key, double value) {
    return builder.getNamedAttr(key, builder.getF64FloatAttr(value));
  };
  return TargetAttr::get(
      context, "default", TargetKind::Cpu,
      builder.getDictionaryAttr({figure("dispatch_ns", 1000), figure("memory_bw", 16),
                                 figure("l2_bw", 100), figure("l3_bw", 100),
                                 figure("flops_per_ns", 80), figure("matmul_flops_per_ns", 96),
                                 figure("int8_flops_per_ns", 144)}));
}

TargetAttr TargetAttr::lookup(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto target = at->getAttrOfType<TargetAttr>(attr::kTarget))
      return target;
  return getDefault(op->getContext());
}

FailureOr<Attribute> TargetAttr::query(DataLayoutEntryKey key) const {
  auto name = dyn_cast<StringAttr>(key);
  if (!name)
    return failure();
  Builder builder(getContext());
  if (name == "name")
    return Attribute(builder.getStringAttr(getName()));
  if (name == "kind")
    return Attribute(builder.getStringAttr(stringifyTargetKind(getKind())));
  for (const auto &entry : getDefaultFigures())
    if (entry.first == name.getValue())
      return Attribute(builder.getF64FloatAttr(getFigure(name)));
  return failure();
}

//===- Schedule -----------------------------------------------------------------------------===//

LogicalResult LevelAttr::verify(function_ref<InFlightDiagnostic()> emitError, LevelMapping mapping,
                                ArrayRef<int64_t> dims, ArrayRef<int64_t> sizes) {
  if (dims.size() != sizes.size())
    return emitError() << "a level has one size per dim, found " << dims.size() << " dims and "
                       << sizes.size() << " sizes";
  if (dims.empty())
    return emitError() << "a level has at least one dim";
  for (int64_t dim : dims)
    if (dim < 0)
      return emitError() << "a level's dims are numbers of loops, from 0 on, found " << dim;
  for (int64_t size : sizes)
    if (size < 1)
      return emitError() << "a level's sizes are positive, found " << size;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<LevelAttr> levels, int64_t reductionLanes,
                                   int64_t threads, int64_t lanes) {
  if (reductionLanes < 0)
    return emitError() << "reduction_lanes is not negative, found " << reductionLanes;
  constexpr int64_t kMostLanes = 4096;
  if (reductionLanes > kMostLanes || (reductionLanes & (reductionLanes - 1)))
    return emitError() << "reduction_lanes is 0 or a power of two up to " << kMostLanes
                       << ", found " << reductionLanes;
  constexpr int64_t kMostThreads = 1024;
  if (threads < 0 || threads > kMostThreads)
    return emitError() << "threads is from 0 to " << kMostThreads << ", found " << threads;
  if (lanes < 0 || (lanes & (lanes - 1)) || lanes > threads || (lanes > 0 && threads % lanes != 0))
    return emitError() << "lanes is 0 or a power of two that divides the " << threads
                       << " threads, found " << lanes;
  llvm::SmallDenseSet<std::pair<int, int64_t>> seen;
  for (LevelAttr level : levels)
    for (int64_t dim : level.getDims())
      if (!seen.insert({static_cast<int>(level.getMapping()), dim}).second)
        return emitError() << "dim " << dim << " stands twice in the levels mapped to "
                           << stringifyLevelMapping(level.getMapping());
  return success();
}

//===- The budget ---------------------------------------------------------------------------===//

LogicalResult BudgetAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t launches,
                                 int64_t syncs, int64_t readbackBytes, int64_t trafficBytes,
                                 int64_t collectiveBytes) {
  const std::pair<StringRef, int64_t> limits[] = {{"launches", launches},
                                                  {"syncs", syncs},
                                                  {"readback_bytes", readbackBytes},
                                                  {"traffic_bytes", trafficBytes},
                                                  {"collective_bytes", collectiveBytes}};
  for (auto [name, limit] : limits)
    if (limit < 0 && limit != kNoLimit)
      return emitError() << "limit '" << name << "' of a budget is not negative, found " << limit;
  return success();
}

//===- Processes ----------------------------------------------------------------------------===//

LogicalResult ProcessGroupAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                       ArrayRef<int64_t> grid, ArrayRef<int64_t> axes) {
  constexpr int64_t kMostRanks = int64_t(1) << 20;
  int64_t ranks = 1;
  for (int64_t extent : grid) {
    if (extent < 1 || extent > kMostRanks / ranks)
      return emitError() << "expected a grid of 1 to " << kMostRanks
                         << " ranks with positive extents, found an extent of " << extent;
    ranks *= extent;
  }
  SmallVector<bool> named(grid.size());
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= static_cast<int64_t>(grid.size()))
      return emitError() << "expected an axis of a grid of " << grid.size() << " axes, found "
                         << axis;
    if (named[axis])
      return emitError() << "expected each axis once, found " << axis << " twice";
    named[axis] = true;
  }
  return success();
}

int64_t ProcessGroupAttr::getGridSize() const {
  int64_t size = 1;
  for (int64_t extent : getGrid())
    size *= extent;
  return size;
}

int64_t ProcessGroupAttr::getGroupSize() const {
  int64_t size = 1;
  for (int64_t axis : getAxes())
    size *= getGrid()[axis];
  return size;
}

void ProcessGroupAttr::appendTo(SmallVectorImpl<int64_t> &attributes) const {
  attributes.push_back(getGrid().size());
  llvm::append_range(attributes, getGrid());
  llvm::append_range(attributes, getAxes());
}

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> grid, ArrayRef<DenseI64ArrayAttr> dims) {
  SmallVector<int64_t> axes;
  for (DenseI64ArrayAttr cutting : dims)
    llvm::append_range(axes, cutting.asArrayRef());
  return ProcessGroupAttr::verify(emitError, grid, axes);
}

int64_t ShardingAttr::getParts(int64_t dim) const {
  int64_t parts = 1;
  for (int64_t axis : getDims()[dim].asArrayRef())
    parts *= getGrid()[axis];
  return parts;
}

bool ShardingAttr::isReplicated() const {
  return llvm::all_of(getDims(), [](DenseI64ArrayAttr axes) { return axes.empty(); });
}
