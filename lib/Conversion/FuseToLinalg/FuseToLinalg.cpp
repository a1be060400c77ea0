//===- FuseToLinalg.cpp - From the dialect to linalg on tensors -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "Lowerings.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/IR/Decompose.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/Views.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CONVERTFUSETOLINALG
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

Type fuse::getStorageType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 8);
  return getSignlessType(elementType);
}

namespace {

Type convertType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(getStorageType(tensor.getElementType())) : type;
}

void convertSignature(func::FuncOp func) {
  SmallVector<Type> inputs(llvm::map_range(func.getArgumentTypes(), convertType));
  SmallVector<Type> results(llvm::map_range(func.getResultTypes(), convertType));
  func.setFunctionType(FunctionType::get(func.getContext(), inputs, results));
}

/// The elements of a constant as they lie in memory; null if they cannot be read.
DenseElementsAttr convertElements(ElementsAttr elements) {
  Type element = elements.getElementType();
  auto type = RankedTensorType::get(dropUnits(elements.getShapedType().getShape()),
                                    getStorageType(element));
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    if (element.isInteger(1)) {
      SmallVector<APInt> bytes;
      for (bool set : dense.getValues<bool>())
        bytes.emplace_back(8, set);
      return DenseElementsAttr::get(type, bytes);
    }
    return dense.bitcast(type.getElementType()).reshape(type);
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return {};
  // The blob of an i1 resource is a byte per element already.
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
}

/// The element of a splat in its signless form.
TypedAttr convertSplat(DenseElementsAttr splat) {
  auto value = cast<TypedAttr>(splat.getSplatValue<Attribute>());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return IntegerAttr::get(getSignlessType(integer.getType()), integer.getValue());
  return value;
}

/// Rewrites the body of one function into a new block.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp func, const ResultFactors &resultFactors)
      : func(func), resultFactors(resultFactors), b(func.getLoc(), func.getContext()) {}

  LogicalResult run();

private:
  LogicalResult lowerOp(Operation &op);
  LogicalResult lowerConstant(arith::ConstantOp op);
  /// An extent, or what is computed from extents; false for an op that is no such.
  bool lowerNumber(Operation &op);
  void lowerReturn(func::ReturnOp op);
  /// What an op's result becomes; fails for ops that have no form in linalg.
  FailureOr<LazyTensor> lowerTensorOp(Operation &op, ArrayRef<LazyTensor> operands);
  std::optional<BlockedColumns> findBlocked(Value weights, int64_t columnDim);
  /// What numbers of the program became.
  SmallVector<Value> getValues(ValueRange numbers);
  SliceRange getRange(SliceOp op, const LazyTensor &operand);
  /// The value of the type that leaves the function.
  Value getResult(Value original, RankedTensorType type);

  func::FuncOp func;
  const ResultFactors &resultFactors;
  ImplicitLocOpBuilder b;
  DenseMap<Value, LazyTensor> tensors;
  /// Arguments and values of other types; whole tensors for arguments.
  IRMapping values;
};

} // namespace

std::optional<BlockedColumns> FunctionLowering::findBlocked(Value weights, int64_t columnDim) {
  std::optional<BlockedColumns> blocked = getBlockedColumns(weights, columnDim);
  if (blocked)
    blocked->value = tensors.at(blocked->source);
  return blocked;
}

SmallVector<Value> FunctionLowering::getValues(ValueRange numbers) {
  return llvm::map_to_vector(numbers, [&](Value number) { return values.lookup(number); });
}

SliceRange FunctionLowering::getRange(SliceOp op, const LazyTensor &operand) {
  SliceRange range(b.getContext(), operand.getRank());
  range.offsets = getMixedValues(op.getOffsets(), getValues(op.getDynamicOffsets()), b);
  SmallVector<OpFoldResult> sizes = getMixedValues(op.getSizes(), getValues(op.getDynamicSizes()), b);
  llvm::copy(op.getStrides(), range.strides.begin());
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    if (op.isWhole(dim))
      continue;
    range.sizes[dim] = sizes[dim];
    if (op.getSizes()[dim] != -1)
      continue;
    // All behind the offset.
    Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), getExtent(b, operand, dim));
    Value offset = getValueOrCreateConstantIndexOp(b, b.getLoc(), range.offsets[dim]);
    range.sizes[dim] = arith::SubIOp::create(b, extent, offset).getResult();
  }
  return range;
}

FailureOr<LazyTensor> FunctionLowering::lowerTensorOp(Operation &op,
                                                      ArrayRef<LazyTensor> operands) {
  using Result = FailureOr<LazyTensor>;
  DimFactors factors = resultFactors.lookup(&op);
  if (auto fusable = dyn_cast<FusableOpInterface>(op))
    if (fusable.isElementwise() && fusable.hasScalarBody())
      return lowerElementwise(b, fusable, operands, factors);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](ReshapeOp op) {
        Value source = getReshapeSource(op);
        auto groups = op->getAttrOfType<DenseI64ArrayAttr>(kReshapeGroups);
        return reshapeOrCopy(b, tensors.at(source), shape, getValues(op.getSizes()),
                             groups && source == op.getOperand() ? groups.asArrayRef() : ArrayRef<int64_t>());
      })
      .Case([&](TransposeOp op) { return transpose(operands[0], op.getPermutation()); })
      .Case([&](BroadcastOp op) {
        return broadcast(operands[0], op.getDimensions(), shape, getValues(op.getSizes()));
      })
      .Case([&](SliceOp op) { return sliceOrCopy(b, operands[0], getRange(op, operands[0])); })
      .Case([&](CopyOp) { return materialize(b, operands[0], factors); })
      .Case([&](ReduceOp op) { return lowerReduce(b, op, operands[0], factors); })
      .Case([&](ArgmaxOp op) {
        return lowerArgReduce(b, ArgReduceKind::Argmax, op.getDimension(), op.getKeepDims(),
                              operands[0], factors);
      })
      .Case([&](ArgminOp op) {
        return lowerArgReduce(b, ArgReduceKind::Argmin, op.getDimension(), op.getKeepDims(),
                              operands[0], factors);
      })
      .Case([&](MatmulOp op) {
        bool isPlain =
            cast<RankedTensorType>(op.getRhs().getType()).getRank() == 2 && !op.getTransposeRhs();
        return lowerMatmul(b, op, operands, isPlain ? findBlocked(op.getRhs(), 1) : std::nullopt,
                           factors);
      })
      .Case([&](Conv2dOp op) {
        bool isPlain = op.getLayout() == ConvLayout::NhwcHwcf && op.getGroups() == 1;
        std::optional<BlockedColumns> blocked;
        if (isPlain)
          blocked = findBlocked(op.getFilter(), 3);
        return lowerConv2d(b, op, operands, blocked, factors);
      })
      .Case([&](MaxPool2dOp op) { return lowerMaxPool2d(b, op, operands[0], factors); })
      .Case([&](AvgPool2dOp op) { return lowerAvgPool2d(b, op, operands[0], factors); })
      .Case([&](ConcatOp op) { return lowerConcat(b, op, operands, factors); })
      .Case([&](PadOp op) {
        auto value = cast<TypedAttr>(op.getValueAttr());
        if (auto integer = dyn_cast<IntegerAttr>(value))
          value = IntegerAttr::get(getSignlessType(integer.getType()), integer.getValue());
        return lowerPad(b, operands[0], op.getLow(), op.getHigh(), value, factors);
      })
      .Case([&](GatherOp op) { return lowerGather(b, op, operands[0], operands[1], factors); })
      .Case([&](ScatterOp op) { return lowerScatter(b, op, operands); })
      .Case([&](IotaOp op) { return lowerIota(b, op, getValues(op.getSizes()), factors); })
      .Case([&](FromIndexOp op) { return lowerFromIndex(b, op, values.lookup(op.getNumber())); })
      .Case([&](ResizeNearestOp op) {
        return lowerResizeNearest(b, op, operands[0], getValues(op.getSizes()), factors);
      })
      .Default([&](Operation *) -> Result { return failure(); });
}

LogicalResult FunctionLowering::lowerConstant(arith::ConstantOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type) {
    b.clone(*op, values);
    return success();
  }
  Type element = type.getElementType();
  if (type.getNumElements() == 0) {
    auto empty = RankedTensorType::get(dropUnits(type.getShape()), getStorageType(element));
    tensors[op] = LazyTensor::inOrder(
        tensor::EmptyOp::create(b, empty.getShape(), empty.getElementType()), type.getShape(),
        element);
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (dense && dense.isSplat()) {
    tensors[op] = LazyTensor::ofSplat(convertSplat(dense), type.getShape(), element);
    return success();
  }
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  DenseElementsAttr stored = elements ? convertElements(elements) : DenseElementsAttr();
  if (!stored)
    return op.emitOpError() << "holds elements that cannot be read: " << op.getValue();
  tensors[op] =
      LazyTensor::inOrder(arith::ConstantOp::create(b, stored), type.getShape(), element);
  return success();
}

Value FunctionLowering::getResult(Value original, RankedTensorType type) {
  if (Value argument = values.lookupOrNull(original))
    return argument;
  LazyTensor value = tensors.at(original);
  // What is only a view of something must be written to the result's own memory.
  if (!value.isInOrder() ||
      !isComputed(value.base, /*throughReshapes=*/true, /*throughSlices=*/false))
    value = materialize(b, value, resultFactors.lookup(original.getDefiningOp()));
  return expandUnits(b, joinOrCopy(b, value), type);
}

void FunctionLowering::lowerReturn(func::ReturnOp op) {
  SmallVector<Value> results;
  for (Value operand : op.getOperands()) {
    Type type = convertType(operand.getType());
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      results.push_back(getResult(operand, tensor));
    else
      results.push_back(values.lookup(operand));
  }
  func::ReturnOp::create(b, results);
}

bool FunctionLowering::lowerNumber(Operation &op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto source = tensors.find(dim.getSource());
    if (!index || source == tensors.end())
      return false;
    OpFoldResult extent = getExtent(b, source->second, *index);
    values.map(dim.getResult(), getValueOrCreateConstantIndexOp(b, b.getLoc(), extent));
    return true;
  }
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex() || !isMemoryEffectFree(&op) ||
      op.getNumRegions() > 0 || llvm::any_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>))
    return false;
  b.clone(op, values);
  return true;
}

LogicalResult FunctionLowering::lowerOp(Operation &op) {
  b.setLoc(op.getLoc());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return lowerConstant(constant);
  if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    lowerReturn(ret);
    return success();
  }
  SmallVector<LazyTensor> operands;
  for (Value operand : op.getOperands()) {
    auto found = tensors.find(operand);
    if (found != tensors.end())
      operands.push_back(found->second);
  }
  auto isNumber = [](Type type) { return type.isIndex(); };
  if (lowerNumber(op))
    return success();
  bool isTensorOp = op.getNumResults() == 1 && isa<RankedTensorType>(op.getResult(0).getType()) &&
                    static_cast<int64_t>(operands.size()) + llvm::count_if(op.getOperandTypes(), isNumber) ==
                        op.getNumOperands();
  FailureOr<LazyTensor> result = failure();
  if (isTensorOp)
    result = lowerTensorOp(op, operands);
  if (failed(result))
    return op.emitOpError() << "has no form in linalg on tensors";
  tensors[op.getResult(0)] = *result;
  return success();
}

LogicalResult FunctionLowering::run() {
  if (!func.getBody().hasOneBlock())
    return func.emitOpError() << "expected one block, found " << func.getBody().getBlocks().size();
  Block &old = func.getBody().front();
  // The new body grows in a region of its own, so that an error leaves the function as it was.
  Region region;
  Block &fresh = region.emplaceBlock();
  b.setInsertionPointToEnd(&fresh);
  for (BlockArgument argument : old.getArguments()) {
    Value converted = fresh.addArgument(convertType(argument.getType()), argument.getLoc());
    values.map(argument, converted);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (type && !argument.use_empty())
      tensors[argument] = collapseUnits(b, converted, type.getElementType());
  }
  for (Operation &op : old)
    if (failed(lowerOp(op)))
      return failure();

  func.getBody().takeBody(region);
  convertSignature(func);
  return success();
}

/// What upstream passes can lower.
static void expandGates(func::FuncOp func) {
  func.walk([](GateOp gate) {
    ImplicitLocOpBuilder builder(gate.getLoc(), gate);
    gate.replaceAllUsesWith(gate.buildArithmetic(builder, gate.getOperand()));
    gate.erase();
  });
}

LogicalResult fuse::convertFuseToLinalg(func::FuncOp func, const ResultFactors &resultFactors) {
  if (func.isExternal()) {
    convertSignature(func);
    return success();
  }
  decomposeAll(func);
  if (failed(FunctionLowering(func, resultFactors).run()))
    return failure();
  readExtentsOffInits(func);
  return success();
}

namespace {
struct ConvertFuseToLinalgPass
    : fuse::impl::ConvertFuseToLinalgBase<ConvertFuseToLinalgPass> {
  using ConvertFuseToLinalgBase::ConvertFuseToLinalgBase;

  void runOnOperation() override {
    if (failed(convertFuseToLinalg(getOperation())))
      return signalPassFailure();
    if (!keepGates)
      expandGates(getOperation());
  }
};
} // namespace
