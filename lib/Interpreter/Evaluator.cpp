//===- Evaluator.cpp - Control flow, memory, and which function evaluates an op -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Evaluator.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

//===- Arrays and types ----------------------------------------------------------------------===//

static std::optional<ElementType> getStoredType(Type element) {
  if (element.isIndex())
    return ElementType::I64;
  return fuse::toElementType(element);
}

bool interpreter::fits(const HostArray &array, Type type) {
  if (!array)
    return false;
  auto shaped = dyn_cast<ShapedType>(type);
  if (getStoredType(shaped ? shaped.getElementType() : type) != array.getElementType())
    return false;
  if (!shaped)
    return array.getRank() == 0;
  if (!shaped.hasRank() || shaped.getRank() != array.getRank())
    return false;
  for (auto [have, want] : llvm::zip_equal(array.getShape(), shaped.getShape()))
    if (!ShapedType::isDynamic(want) && have != want)
      return false;
  return true;
}

std::string interpreter::describe(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && shaped.hasRank() && shaped.getRank() > 0)
    os << formatShape(shaped.getShape()) << "x";
  os << (shaped ? shaped.getElementType() : type);
  return text;
}

FailureOr<HostArray> interpreter::createResult(Operation *op, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  llvm::Expected<HostArray> array =
      HostArray::create(*fuse::toElementType(type.getElementType()), shape);
  if (!array)
    return op->emitOpError() << llvm::toString(array.takeError());
  return std::move(*array);
}

LogicalResult interpreter::expectEqualExtents(Operation *op, StringRef what, int64_t one,
                                              int64_t other) {
  if (one == other)
    return success();
  return op->emitOpError() << what << " differ: " << one << " and " << other;
}

FailureOr<SmallVector<int64_t>> interpreter::getBroadcastShape(Operation *op,
                                                               ArrayRef<HostArray> operands,
                                                               ArrayRef<RankedTensorType> types) {
  int64_t rank = 0;
  for (const HostArray &operand : operands)
    rank = std::max(rank, operand.getRank());
  SmallVector<int64_t> shape(rank, 1);
  // Which operand fixed an extent; -1 while only static ones of 1 were seen.
  SmallVector<int64_t> fixedBy(rank, -1);
  for (auto [number, operand, type] : llvm::enumerate(operands, types))
    for (auto [i, extent] : llvm::enumerate(operand.getShape())) {
      if (type.getDimSize(i) == 1)
        continue;
      int64_t dim = rank - operand.getRank() + i;
      if (fixedBy[dim] >= 0 && shape[dim] != extent)
        return op->emitOpError() << "extents of result dimension " << dim << " differ: "
                                 << shape[dim] << " in operand #" << fixedBy[dim] << " ("
                                 << operands[fixedBy[dim]].describe() << ") and " << extent
                                 << " in operand #" << number << " (" << operand.describe() << ")";
      shape[dim] = extent;
      fixedBy[dim] = number;
    }
  return shape;
}

//===- Single ops ----------------------------------------------------------------------------===//

static FailureOr<HostArray> evaluateConstant(arith::ConstantOp op) {
  if (auto elements = dyn_cast<ElementsAttr>(op.getValue())) {
    llvm::Expected<HostArray> array = HostArray::fromAttribute(elements);
    if (!array)
      return op.emitOpError() << llvm::toString(array.takeError());
    return std::move(*array);
  }
  std::optional<ElementType> type = getStoredType(op.getType());
  if (!type)
    return op.emitOpError() << "cannot be interpreted: type " << op.getType();
  HostArray array(*type, {});
  if (auto value = dyn_cast<FloatAttr>(op.getValue()))
    array.setFloat(0, value.getValueAsDouble());
  else if (*type == ElementType::I1)
    array.setInt(0, cast<IntegerAttr>(op.getValue()).getValue().getZExtValue());
  else
    array.setInt(0, cast<IntegerAttr>(op.getValue()).getValue().getSExtValue());
  return array;
}

static FailureOr<HostArray> evaluateExtract(tensor::ExtractOp op, ArrayRef<HostArray> operands) {
  const HostArray &source = operands.front();
  int64_t offset = 0;
  for (auto [dim, index] : llvm::enumerate(operands.drop_front())) {
    int64_t i = index.getInt(0), extent = source.getShape()[dim];
    if (i < 0 || i >= extent)
      return op.emitOpError() << "index " << i << " is outside dimension " << dim
                              << " of extent " << extent;
    offset = offset * extent + i;
  }
  HostArray result(source.getElementType(), {});
  result.set(0, source.get(offset));
  return result;
}

/// Copies into an array that stands for a buffer.
static LogicalResult overwrite(Operation *op, HostArray buffer, const HostArray &value) {
  if (buffer.getShape() != value.getShape())
    return op->emitOpError() << "shapes differ: " << value.describe() << " stored to a buffer of "
                             << buffer.describe();
  // Both may be one array: a tensor argument stored to itself.
  std::memmove(buffer.getBytes(), value.getBytes(), value.getByteSize());
  return success();
}

static FailureOr<Arrays> evaluateHostOp(const InterpreterOptions &options, HostOpInterface op,
                                        ArrayRef<HostArray> operands) {
  Arrays outs;
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    // Dynamic extents are those of the first operand (welch_peaks: as batch · n_segments), which
    // collectives join or cut.
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(extent)) {
        ExtentChange change = getCollectiveExtentChange(op, dim).value_or(ExtentChange());
        extent = operands.front().getShape()[dim] * change.times / change.over;
      }
    if (auto peaks = dyn_cast<WelchPeaksOp>(*op)) {
      int64_t rows = operands.front().getShape()[0], segments = peaks.getNSegments();
      if (rows % segments != 0)
        return peaks.emitOpError() << "expected n_segments to divide " << rows << " rows, found "
                                   << segments;
      shape[0] = rows / segments;
    }
    llvm::Expected<HostArray> out = HostArray::create(tensor.clone(shape));
    if (!out)
      return op.emitOpError() << llvm::toString(out.takeError());
    outs.push_back(std::move(*out));
  }
  if (failed(callHost(options, op, op.getHostCallee(), op.getHostAttributes(), operands, outs)))
    return failure();
  return outs;
}

/// The arrays of `launch_host`'s tensor outs are results; buffers are overwritten.
static FailureOr<Arrays> evaluateLaunchHost(const InterpreterOptions &options, LaunchHostOp op,
                                            ArrayRef<HostArray> operands) {
  ArrayRef<HostArray> ins = operands.take_front(op.getIns().size());
  ArrayRef<HostArray> given = operands.drop_front(op.getIns().size());
  Arrays outs, results;
  for (const HostArray &out : given)
    outs.push_back(HostArray(out.getElementType(), out.getShape()));
  if (failed(callHost(options, op, op.getCallee(), op.getIntegers(), ins, outs)))
    return failure();
  for (auto [value, buffer, out] : llvm::zip_equal(op.getOuts(), given, outs)) {
    if (isa<RankedTensorType>(value.getType()))
      results.push_back(out);
    else if (failed(overwrite(op, buffer, out)))
      return failure();
  }
  return results;
}

/// An extent, or what is computed from extents.
template <typename DimOpT>
static FailureOr<HostArray> evaluateDim(DimOpT op, ArrayRef<HostArray> operands) {
  int64_t dim = operands[1].getInt(0);
  if (dim < 0 || dim >= operands[0].getRank())
    return op.emitOpError() << "dimension " << dim << " is outside rank " << operands[0].getRank();
  return HostArray::fromInts(ElementType::I64, {}, operands[0].getShape()[dim]);
}

static FailureOr<HostArray> evaluateApply(affine::AffineApplyOp op, ArrayRef<HostArray> operands) {
  SmallVector<Attribute> numbers;
  for (const HostArray &operand : operands)
    numbers.push_back(IntegerAttr::get(IndexType::get(op.getContext()), operand.getInt(0)));
  SmallVector<Attribute> result;
  if (failed(op.getAffineMap().constantFold(numbers, result)))
    return op.emitOpError() << "cannot be computed of these numbers";
  return HostArray::fromInts(ElementType::I64, {}, cast<IntegerAttr>(result.front()).getInt());
}

/// Of two numbers.
static FailureOr<HostArray> evaluateIndexCompare(arith::CmpIOp op, ArrayRef<HostArray> operands) {
  if (!op.getLhs().getType().isIndex())
    return op.emitOpError() << "cannot be interpreted on " << op.getLhs().getType();
  bool holds = arith::applyCmpPredicate(op.getPredicate(), APInt(64, operands[0].getInt(0), /*isSigned=*/true),
                                        APInt(64, operands[1].getInt(0), /*isSigned=*/true));
  return HostArray::fromInts(ElementType::I1, {}, static_cast<int64_t>(holds));
}

FailureOr<Arrays> Evaluator::evaluate(Operation *op, ArrayRef<HostArray> operands) {
  auto one = [](FailureOr<HostArray> result) -> FailureOr<Arrays> {
    if (failed(result))
      return failure();
    return Arrays{*result};
  };
  return llvm::TypeSwitch<Operation *, FailureOr<Arrays>>(op)
      .Case([&](arith::ConstantOp constant) { return one(evaluateConstant(constant)); })
      .Case([&](tensor::ExtractOp extract) { return one(evaluateExtract(extract, operands)); })
      .Case([&](arith::CmpIOp compare) { return one(evaluateIndexCompare(compare, operands)); })
      .Case([&](cf::AssertOp assertion) -> FailureOr<Arrays> {
        if (operands[0].getInt(0) == 0)
          return assertion.emitError() << assertion.getMsg();
        return Arrays();
      })
      .Case([&](tensor::DimOp dim) { return one(evaluateDim(dim, operands)); })
      .Case([&](memref::DimOp dim) { return one(evaluateDim(dim, operands)); })
      .Case([&](affine::AffineApplyOp apply) { return one(evaluateApply(apply, operands)); })
      .Case<UnaryOp, BinaryOp, CastOp, BitcastOp, CompareOp, SelectOp, ClampOp>(
          [&](Operation *op) { return one(evaluateElementwise(op, operands)); })
      .Case<ReduceOp, ArgmaxOp, ArgminOp>(
          [&](Operation *op) { return one(evaluateReduction(op, operands)); })
      .Case<ReshapeOp, TransposeOp, SliceOp, BroadcastOp, CopyOp, ConcatOp, PadOp, GatherOp,
            ScatterOp, FromIndexOp, IotaOp, ResizeNearestOp>(
          [&](Operation *op) { return one(evaluateMovement(op, operands)); })
      .Case([&](LoadOp) { return one(operands[0].clone()); })
      .Case([&](StoreOp store) -> FailureOr<Arrays> {
        if (failed(overwrite(store, operands[1], operands[0])))
          return failure();
        return Arrays();
      })
      .Case([&](MatmulOp matmul) { return one(evaluateMatmul(matmul, operands)); })
      .Case<Conv2dOp, MaxPool2dOp, AvgPool2dOp>(
          [&](Operation *op) { return one(evaluateWindow(op, operands)); })
      .Case([&](DecomposableOpInterface composite) {
        return one(evaluateComposite(*this, composite, operands));
      })
      .Case([&](HostOpInterface host) { return evaluateHostOp(options, host, operands); })
      .Case([&](LaunchHostOp host) { return evaluateLaunchHost(options, host, operands); })
      .Default([&](Operation *op) -> FailureOr<Arrays> {
        return op->emitOpError() << "cannot be interpreted";
      });
}

//===- Calls and control flow ----------------------------------------------------------------===//

static FailureOr<Arrays> evaluateLoop(Evaluator &evaluator, scf::ForOp op, ArrayRef<HostArray> operands,
                                      Environment &environment) {
  int64_t lower = operands[0].getInt(0), upper = operands[1].getInt(0);
  int64_t step = operands[2].getInt(0);
  if (step < 1)
    return op.emitOpError() << "expected a positive step, found " << step;
  Arrays carried(operands.drop_front(3));
  for (int64_t i = lower; i < upper;) {
    HostArray index(operands[0].getElementType(), {});
    index.setInt(0, i);
    Arrays args = {index};
    args.append(carried.begin(), carried.end());
    FailureOr<Arrays> next = evaluator.runBlock(*op.getBody(), args, environment);
    if (failed(next))
      return failure();
    carried = std::move(*next);
    if (upper - i <= step)
      break;
    i += step;
  }
  return carried;
}

/// Element `index` of the leading dimension.
static HostArray takeElement(const HostArray &sequence, int64_t index) {
  HostArray element(sequence.getElementType(), sequence.getShape().drop_front());
  std::memcpy(element.getBytes(), sequence.getBytes() + index * element.getByteSize(),
              element.getByteSize());
  return element;
}

/// Room for the elements of all steps.
static LogicalResult createOutputs(ScanOp op, int64_t steps, ArrayRef<HostArray> elements, Arrays &outputs) {
  for (const HostArray &element : elements) {
    SmallVector<int64_t> shape{steps};
    llvm::append_range(shape, element.getShape());
    llvm::Expected<HostArray> output = HostArray::create(element.getElementType(), shape);
    if (!output)
      return op.emitOpError() << llvm::toString(output.takeError());
    outputs.push_back(std::move(*output));
  }
  return success();
}

static FailureOr<Arrays> evaluateScan(Evaluator &evaluator, ScanOp op, ArrayRef<HostArray> operands) {
  unsigned numStates = op.getNumStates(), numSequences = op.getSequences().size();
  Arrays states(operands.take_front(numStates)), outputs;
  ArrayRef<HostArray> sequences = operands.slice(numStates, numSequences);
  int64_t steps = sequences.front().getShape().front();
  for (const HostArray &sequence : sequences)
    if (failed(expectEqualExtents(op, "lengths of sequences", steps, sequence.getShape().front())))
      return failure();
  // What a step gives has the shapes of outputs' elements. Where there is no step, one on zeros is computed for these.
  for (int64_t step = 0, end = std::max<int64_t>(steps, 1); step < end; ++step) {
    int64_t index = op.getReverse() ? steps - 1 - step : step;
    Arrays args(states);
    for (const HostArray &sequence : sequences)
      args.push_back(steps ? takeElement(sequence, index)
                           : HostArray(sequence.getElementType(), sequence.getShape().drop_front()));
    llvm::append_range(args, operands.drop_front(numStates + numSequences));
    Environment inner;
    FailureOr<Arrays> yielded = evaluator.runBlock(*op.getBlock(), args, inner);
    if (failed(yielded))
      return failure();
    ArrayRef<HostArray> elements = ArrayRef(*yielded).drop_front(numStates);
    if (step == 0 && failed(createOutputs(op, steps, elements, outputs)))
      return failure();
    if (steps == 0)
      break;
    states.assign(yielded->begin(), yielded->begin() + numStates);
    for (auto [output, element] : llvm::zip_equal(outputs, elements))
      std::memcpy(output.getBytes() + index * element.getByteSize(), element.getBytes(),
                  element.getByteSize());
  }
  llvm::append_range(states, outputs);
  return states;
}

FailureOr<Arrays> Evaluator::evaluateOp(Operation *op, Environment &environment) {
  Arrays operands;
  for (Value operand : op->getOperands())
    operands.push_back(environment.lookup(operand));
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    Environment inner;
    FailureOr<Arrays> results = runBlock(*kernel.getBlock(), operands, inner);
    if (succeeded(results) && options.onKernel && failed(options.onKernel(kernel, *results)))
      return failure();
    return results;
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
    if (!callee)
      return op->emitOpError() << "'" << call.getCallee() << "' names no function";
    return callFunction(callee, operands);
  }
  if (auto launch = dyn_cast<LaunchOp>(op)) {
    auto module = symbols.lookupNearestSymbolFrom<ModuleOp>(op, launch.getKernelAttr());
    func::FuncOp callee = module ? module.lookupSymbol<func::FuncOp>(launch.getKernel()) : nullptr;
    if (!callee)
      return op->emitOpError() << "the module '" << launch.getKernel()
                               << "' holds no function of its own name";
    return callFunction(callee, operands);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Region &region = operands[0].getInt(0) ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty())
      return Arrays();
    return runBlock(region.front(), {}, environment);
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return evaluateLoop(*this, loop, operands, environment);
  if (auto scan = dyn_cast<ScanOp>(op))
    return evaluateScan(*this, scan, operands);
  return evaluate(op, operands);
}

FailureOr<Arrays> Evaluator::runBlock(Block &block, ArrayRef<HostArray> args,
                                      Environment &environment) {
  for (auto [argument, array] : llvm::zip_equal(block.getArguments(), args))
    environment[argument] = array;
  for (Operation &op : block.without_terminator()) {
    FailureOr<Arrays> results = evaluateOp(&op, environment);
    if (failed(results))
      return failure();
    for (auto [result, array] : llvm::zip_equal(op.getResults(), *results)) {
      // A static extent that was declared where an operand is dynamic may turn out wrong.
      if (!fits(array, result.getType()))
        return op.emitOpError() << "expected result #" << result.getResultNumber()
                                << " to be " << describe(result.getType()) << ", found "
                                << array.describe();
      environment[result] = array;
    }
  }
  Operation *terminator = block.getTerminator();
  if (!isa<func::ReturnOp, YieldOp, scf::YieldOp>(terminator))
    return terminator->emitOpError() << "cannot be interpreted";
  Arrays results;
  for (Value operand : terminator->getOperands())
    results.push_back(environment.lookup(operand));
  return results;
}

FailureOr<Arrays> Evaluator::callFunction(func::FuncOp function, ArrayRef<HostArray> args) {
  if (function.isExternal())
    return function.emitOpError() << "has no body to interpret";
  if (!function.getBody().hasOneBlock())
    return function.emitOpError() << "cannot be interpreted: expected one block, found "
                                  << function.getBody().getBlocks().size();
  if (args.size() != function.getNumArguments())
    return function.emitOpError() << "expected " << function.getNumArguments()
                                  << " arguments, found " << args.size();
  for (auto [i, array] : llvm::enumerate(args)) {
    Type type = function.getArgument(i).getType();
    if (fits(array, type))
      continue;
    InFlightDiagnostic error = function.emitOpError() << "argument #" << i;
    if (auto name = function.getArgAttrOfType<StringAttr>(i, attr::kName))
      error << " ('" << name.getValue() << "')";
    return error << ": expected " << describe(type) << ", found "
                 << (array ? array.describe() : "no array");
  }
  if (depth >= options.maxCallDepth)
    return function.emitOpError() << "calls nest deeper than " << options.maxCallDepth;
  ++depth;
  Environment environment;
  FailureOr<Arrays> results = runBlock(function.getBody().front(), args, environment);
  --depth;
  return results;
}
