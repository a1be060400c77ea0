//===- FuseDialect.cpp - The fuse dialect -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/KernelMemory.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/MergedOps.h"
#include "fuse/IR/ResultDims.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/Variants.h"
#include "fuse/IR/WidenedOperand.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

#include "fuse/IR/FuseDialect.cpp.inc"

namespace {
/// Functions of a program are inlined into their callers; a kernel is never inlined into.
struct FuseInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void FuseDialect::initialize() {
  registerAttributes();
  addInterfaces<FuseInliner>();
  addOperations<
#define GET_OP_LIST
#include "fuse/IR/FuseOps.cpp.inc"
      >();
}

Operation *FuseDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

namespace {

/// Where a discardable attribute may stand and what it must hold.
template <typename AttrT>
LogicalResult expect(Operation *op, NamedAttribute attribute, bool placeIsRight, StringRef place,
                     StringRef what) {
  if (!placeIsRight)
    return op->emitError() << "attribute '" << attribute.getName().getValue()
                           << "' belongs on " << place;
  if (!isa<AttrT>(attribute.getValue()))
    return op->emitError() << "attribute '" << attribute.getName().getValue() << "' expects "
                           << what << ", found " << attribute.getValue();
  return success();
}

} // namespace

LogicalResult FuseDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  bool isFunction = isa<FunctionOpInterface>(op);
  bool isModule = op->hasTrait<OpTrait::SymbolTable>();
  bool isPlanned = !isFunction && !isModule;
  if (name == attr::kGroup)
    return expect<DenseI64ArrayAttr>(op, attribute, isPlanned, "an op of a function", "array<i64>");
  if (name == kReshapeGroups)
    return expect<DenseI64ArrayAttr>(op, attribute, isa<ReshapeOp>(op), "a reshape", "array<i64>");
  if (name == attr::kAlone)
    return expect<UnitAttr>(op, attribute, isPlanned, "an op of a function", "a unit attribute");
  if (name == attr::kTogether)
    return expect<StringAttr>(op, attribute, isPlanned, "an op of a function", "a string");
  if (name == attr::kClosed)
    return expect<UnitAttr>(op, attribute, isPlanned && op->hasAttr(attr::kTogether),
                            "an op with 'fuse.together'", "a unit attribute");
  if (name == attr::kOrigin)
    return expect<OriginAttr>(op, attribute, isPlanned, "an op of a function", "#fuse.origin");
  if (name == attr::kMergedOps)
    return expect<IntegerAttr>(op, attribute, isPlanned, "an op of a function", "an integer");
  if (name == attr::kRounding)
    return expect<UnitAttr>(op, attribute, true, "an op that rounds", "a unit attribute"); // as what it is lowered to does
  if (name == attr::kShortResult) {
    bool isFloat32 = op->getNumResults() == 1 && getElementTypeOrSelf(op->getResult(0).getType()).isF32();
    return expect<UnitAttr>(op, attribute, isFloat32, "an op of f32", "a unit attribute");
  }
  if (name == attr::kRecompute || name == attr::kWidened)
    return expect<UnitAttr>(op, attribute, isPlanned, "an op of a function", "a unit attribute");
  if (name == kOverlapNs) {
    if (failed(expect<IntegerAttr>(op, attribute, getProcessGroup(op) != nullptr, "a collective", "an integer")))
      return failure();
    if (int64_t ns = cast<IntegerAttr>(attribute.getValue()).getInt(); ns < 0)
      return op->emitError() << "attribute '" << name << "' expects a time that is not negative, found " << ns;
    return success();
  }
  if (name == kWritesOperands)
    return expect<UnitAttr>(op, attribute, isa<ModuleOp>(op), "a kernel's module", "a unit attribute");
  if (name == attr::kShortLhs)
    return expect<UnitAttr>(op, attribute, isa<MatmulOp>(op), "a fuse.matmul", "a unit attribute");
  if (name == attr::kWritten) {
    if (failed(expect<ProfileAttr>(op, attribute, isFunction, "a function", "#fuse.profile")))
      return failure();
    auto profile = cast<ProfileAttr>(attribute.getValue());
    for (int64_t figure : {profile.getKernelLaunches(), profile.getSyncPoints(),
                           profile.getHostOutputBytes(), profile.getDeviceTrafficBytes()})
      if (figure < 0)
        return op->emitError() << "attribute '" << name
                               << "' expects figures that are not negative, found " << figure;
    return success();
  }
  if (name == attr::kBudget)
    return expect<BudgetAttr>(op, attribute, isFunction, "a function", "#fuse.budget");
  if (name == attr::kIoCost)
    return expect<IoCostAttr>(op, attribute, isFunction, "a function", "#fuse.io_cost");
  if (name == attr::kSchedule)
    return expect<ScheduleAttr>(op, attribute, isa<KernelOp>(op) || isModule || isFunction,
                                "a kernel", "#fuse.schedule");
  if (name == attr::kSteps)
    return expect<StepsAttr>(op, attribute, isFunction, "a kernel's function", "#fuse.steps");
  if (name == attr::kTuned)
    return expect<StringAttr>(op, attribute, isModule, "a kernel's module", "a string");
  if (name == attr::kTarget)
    return expect<TargetAttr>(op, attribute, isModule, "a module", "#fuse.target");
  if (name == attr::kLoopDims)
    return expect<DenseI64ArrayAttr>(op, attribute, isPlanned, "an op of a function", "array<i64>");
  if (name == attr::kDeviceParams)
    return expect<DenseI64ArrayAttr>(op, attribute, isModule, "a kernel's module", "array<i64>");
  if (name == attr::kBlocks || name == attr::kScratchBytes || name == attr::kThreads ||
      name == attr::kSharedBytes)
    return expect<IntegerAttr>(op, attribute, isModule || isFunction, "a kernel's module",
                               "an integer");
  if (name == attr::kVariantSizes) {
    if (failed(expect<DenseI64ArrayAttr>(op, attribute, isFunction, "a function", "array<i64>")))
      return failure();
    if (int64_t count = cast<DenseI64ArrayAttr>(attribute.getValue()).size(); count % 4)
      return op->emitError() << "attribute '" << name << "' expects four numbers for each dimension, found " << count;
    return success();
  }
  if (name == attr::kEqualDims || name == attr::kScaledDims || name == attr::kIndexBounds)
    return expect<DenseI64ArrayAttr>(op, attribute, isFunction, "a function", "array<i64>");
  if (name == attr::kResultDims)
    return expect<ArrayAttr>(op, attribute, isFunction, "a kernel's function",
                             "an array of array<i64>");
  if (name == attr::kKernels)
    return expect<ArrayAttr>(op, attribute, isModule, "a module", "an array of strings");
  if (name == attr::kLaunches)
    return expect<DenseI64ArrayAttr>(op, attribute, isFunction, "a function", "array<i64>");
  if (name == attr::kPrepare)
    return expect<FlatSymbolRefAttr>(op, attribute, isFunction, "a function", "a symbol");
  if (name == attr::kVariants) {
    if (failed(expect<ArrayAttr>(op, attribute, isFunction, "a function", "an array of symbols")))
      return failure();
    auto list = cast<ArrayAttr>(attribute.getValue());
    if (!llvm::all_of(list, llvm::IsaPred<FlatSymbolRefAttr>))
      return op->emitError() << "attribute '" << name << "' expects an array of symbols, found " << list;
    return success();
  }
  if (name == attr::kName || name == attr::kParam || name == attr::kDenormals ||
      name == attr::kPrepared || name == attr::kDimBounds || name == attr::kDimHints || name == attr::kDimNames || name == attr::kSharding)
    return op->emitError() << "attribute '" << name << "' belongs on "
                           << (name == attr::kName || name == attr::kSharding ? "an argument or result" : "an argument")
                           << " of a function";
  return op->emitError() << "unknown attribute '" << name << "' of dialect 'fuse'";
}

/// `array<i64>` with an extent, or -1, for each dimension of the argument.
static LogicalResult verifyExtents(Operation *op, NamedAttribute attribute, unsigned argument) {
  StringRef name = attribute.getName().getValue();
  if (failed(expect<DenseI64ArrayAttr>(op, attribute, true, "an argument", "array<i64>")))
    return failure();
  auto extents = cast<DenseI64ArrayAttr>(attribute.getValue()).asArrayRef();
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto type = function ? dyn_cast<ShapedType>(function.getArgumentTypes()[argument]) : ShapedType();
  if (!type || !type.hasRank())
    return op->emitError() << "attribute '" << name << "' belongs on an argument that has a shape";
  if (static_cast<int64_t>(extents.size()) != type.getRank())
    return op->emitError() << "attribute '" << name << "' of argument " << argument
                           << " expects one extent for each of " << type.getRank()
                           << " dimensions, found " << extents.size();
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    if (extent < -1)
      return op->emitError() << "attribute '" << name << "' of argument " << argument
                             << " expects extents, or -1 for none, found " << extent;
    if (extent != -1 && !type.isDynamicDim(dim) && extent != type.getDimSize(dim))
      return op->emitError() << "attribute '" << name << "' of argument " << argument << " says "
                             << extent << " of dimension " << dim << ", which is "
                             << type.getDimSize(dim);
  }
  return success();
}

/// `#fuse.sharding` with the axes of each dimension of the argument or result.
static LogicalResult verifySharding(Operation *op, NamedAttribute attribute, Type type) {
  if (failed(expect<ShardingAttr>(op, attribute, true, "an argument or result", "#fuse.sharding")))
    return failure();
  auto sharding = cast<ShardingAttr>(attribute.getValue());
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && shaped.hasRank() &&
      shaped.getRank() == static_cast<int64_t>(sharding.getDims().size()))
    return success();
  return op->emitError() << "attribute '" << attribute.getName().getValue() << "' names axes of "
                         << sharding.getDims().size() << " dimensions, found " << type;
}

static LogicalResult verifyValueAttribute(Operation *op, NamedAttribute attribute, bool isResult) {
  StringRef name = attribute.getName().getValue();
  if (name == attr::kName)
    return expect<StringAttr>(op, attribute, true, "an argument or result", "a string");
  if (name == attr::kParam || name == attr::kDenormals || name == attr::kPrepared)
    return expect<UnitAttr>(op, attribute, !isResult, "an argument", "a unit attribute");
  return op->emitError() << "unknown attribute '" << name << "' of dialect 'fuse' on "
                         << (isResult ? "a result" : "an argument");
}

LogicalResult FuseDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                                    unsigned argIndex, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == attr::kDimBounds || name == attr::kDimHints)
    return verifyExtents(op, attribute, argIndex);
  if (name == attr::kDimNames)
    return verifyDimNames(op, attribute.getValue(), argIndex);
  if (name == attr::kSharding)
    return verifySharding(op, attribute, cast<FunctionOpInterface>(op).getArgumentTypes()[argIndex]);
  return verifyValueAttribute(op, attribute, /*isResult=*/false);
}

LogicalResult FuseDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                                       unsigned resultIndex,
                                                       NamedAttribute attribute) {
  if (attribute.getName() == attr::kSharding)
    return verifySharding(op, attribute, cast<FunctionOpInterface>(op).getResultTypes()[resultIndex]);
  return verifyValueAttribute(op, attribute, /*isResult=*/true);
}
