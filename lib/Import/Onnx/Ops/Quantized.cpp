//===- Quantized.cpp - Quantizing and dequantizing -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Quantized.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

//===- Operands -----------------------------------------------------------------------------===//

Value mlir::fuse::onnx::getOne(Node &n, size_t i, StringRef name) {
  RankedTensorType type = n.getType(i);
  if (type.getRank() > 0 && (!type.hasStaticShape() || type.getNumElements() != 1))
    (void)n.fail("expected '" + name + "' to be one number, found " + Twine(type.getRank()) + " dimensions" +
                 (type.hasStaticShape() ? " of " + Twine(type.getNumElements()) + " elements" : Twine()));
  if (n.hasFailed())
    return n.b.scalar(1, type.getElementType());
  return n.b.reshape(n.getInput(i), ArrayRef<int64_t>{});
}

bool mlir::fuse::onnx::mayDiffer(Node &n, size_t i) {
  if (!n.hasInput(i))
    return false;
  HostArray known = n.getKnown(i);
  if (!known)
    return true;
  for (int64_t k = 0; k < known.getNumElements(); ++k)
    if (known.getFloat(k) != 0)
      return true;
  return false;
}

Value mlir::fuse::onnx::getZero(Node &n, size_t i, StringRef name) {
  return mayDiffer(n, i) ? getOne(n, i, name) : Value();
}

Value mlir::fuse::onnx::spreadAlong(FuseBuilder &b, Value list, int64_t axis, int64_t rank) {
  ArrayRef<int64_t> shape = b.shapeOf(list);
  if (shape.empty() || (shape.size() == 1 && shape[0] == 1))
    return b.reshape(list, ArrayRef<int64_t>{});
  SmallVector<int64_t> spread(rank - axis, 1);
  spread.front() = shape[0];
  return b.reshape(list, spread);
}

LogicalResult mlir::fuse::onnx::checkZeroType(Node &n, size_t zero, size_t value, StringRef name) {
  if (!n.hasInput(zero) || n.getElementType(zero) == n.getElementType(value))
    return success();
  return n.fail("expected a zero point of '" + name + "' of its type, " + n.getElementName(value) + ", found " +
                n.getElementName(zero));
}

FailureOr<QuantizedOperand> mlir::fuse::onnx::getQuantized(Node &n, size_t value, size_t zero, StringRef name) {
  auto element = dyn_cast<IntegerType>(n.getElementType(value));
  if (!element || element.getWidth() != 8)
    return n.fail("expected '" + name + "' of INT8 or UINT8, found " + n.getElementName(value));
  if (failed(checkZeroType(n, zero, value, name)))
    return failure();
  QuantizedOperand operand{n.getInput(value), Value(), {}};
  if (!mayDiffer(n, zero))
    return operand;
  operand.zero = n.getInput(zero);
  if (HostArray known = n.getKnown(zero)) {
    int64_t first = known.getNumElements() > 0 ? known.getInt(0) : 0;
    bool isOne = true;
    for (int64_t k = 1; k < known.getNumElements(); ++k)
      isOne &= known.getInt(k) == first;
    if (isOne) {
      operand.knownZero = first;
      operand.zero = n.b.constant({first}, element, {});
    }
  }
  return operand;
}

Value mlir::fuse::onnx::repeatBlocks(Node &n, Value blocks, int64_t axis, int64_t blockSize, int64_t extent) {
  FuseBuilder &b = n.b;
  SmallVector<AffineExpr> extents = n.getExtents(blocks), joined(extents);
  SmallVector<OpFoldResult> sizes = n.getSizes(extents);
  sizes.insert(sizes.begin() + axis + 1, b.getBuilder().getIndexAttr(blockSize));
  joined[axis] = extents[axis] * blockSize;
  Value all = n.reshape(b.broadcastTo(b.insertUnitDims(blocks, {axis + 1}), ArrayRef(sizes)), joined);
  return b.slice(all, axis, 0, extent);
}

//===- Operators ----------------------------------------------------------------------------===//

/// A scale or a zero point beside a tensor: one number, a list along an axis, or with blocks of `blockSize` elements
/// along it one number for each block.
static FailureOr<Value> spreadParameter(Node &n, size_t i, int64_t axis, int64_t blockSize) {
  FuseBuilder &b = n.b;
  Value parameter = n.getInput(i);
  ArrayRef<int64_t> shape = n.getShape(i);
  int64_t rank = n.getRank(0);
  if (blockSize == 0 || shape.empty()) {
    if (shape.size() > 1 && !(n.getType(i).hasStaticShape() && n.getType(i).getNumElements() == 1))
      return n.fail("expected one number or a list as operand " + Twine(i) + ", found " + Twine(shape.size()) +
                    " dimensions");
    return spreadAlong(b, shape.size() > 1 ? b.reshape(parameter, ArrayRef<int64_t>{}) : parameter, axis, rank);
  }
  int64_t extent = n.getShape(0)[axis];
  if (blockSize < 0 || static_cast<int64_t>(shape.size()) != rank || ShapedType::isDynamic(extent) ||
      shape[axis] != (extent + blockSize - 1) / blockSize)
    return n.fail("expected one element for each block of " + Twine(blockSize) + " elements along axis " +
                  Twine(axis) + " of a static extent");
  return repeatBlocks(n, parameter, axis, blockSize, extent);
}

namespace {
/// How a tensor is cut for its scales.
struct Granularity {
  int64_t axis = 0, blockSize = 0;
};
} // namespace

static Granularity getGranularity(Node &n) {
  int64_t rank = n.getRank(0);
  bool isOne = n.getRank(1) == 0 || (n.getRank(1) == 1 && n.getShape(1)[0] == 1);
  Granularity cut{0, n.getInt("block_size", 0)};
  if (rank > 0 && !isOne)
    cut.axis = n.normalizeAxis(n.getInt("axis", 1), rank);
  else
    cut.blockSize = 0;
  return cut;
}

/// `roundsQuotients`: whether quotients are rounded to the type of the scale, as ONNX says since opset 23; those before and
/// ONNX Runtime's operator divide in f32.
static LogicalResult importQuantizeLinear(Node &n, bool roundsQuotients) {
  FuseBuilder &b = n.b;
  int64_t to = n.getInt("output_dtype", 0);
  const Format *format = n.hasInput(2) ? n.getElementFormat(2) : getFormat(to);
  std::optional<ElementType> stored = to == 0 ? ElementType::U8 : getStoredElement(to);
  if (n.hasInput(2))
    stored = toElementType(n.getElementType(2));
  if (!stored || (isFloatElement(*stored) && !format) || n.getElementFormat(0) || n.getElementFormat(1))
    return n.fail("expected floats to be quantized to integers or floats of 8 bits or less");
  Granularity cut = getGranularity(n);
  FailureOr<Value> scale = n.hasFailed() ? FailureOr<Value>(failure()) : spreadParameter(n, 1, cut.axis, cut.blockSize);
  FailureOr<Value> zero = Value();
  if (mayDiffer(n, 2) && succeeded(scale))
    zero = spreadParameter(n, 2, cut.axis, cut.blockSize);
  if (failed(scale) || failed(zero))
    return failure();
  Type precision = n.getElementType(1);
  if (!roundsQuotients && isa<FloatType>(precision) && precision.getIntOrFloatBitWidth() < 32)
    precision = b.getBuilder().getF32Type();
  if (int64_t given = n.getInt("precision", 0)) {
    std::optional<ElementType> type = getTensorElement(given);
    if (!type || !isFloatElement(*type))
      return n.fail("precision " + getDataTypeName(given) + " is not supported");
    precision = toMLIRType(*type, b.getContext());
  }
  if (!isa<FloatType>(precision))
    precision = b.getBuilder().getF32Type();
  Value divided = b.div(b.cast(n.getInput(0), precision), b.cast(*scale, precision));
  Type element = toMLIRType(*stored, b.getContext());
  n.setFormat(0, format);
  if (!format)
    return n.setResult(quantize(b, divided, *zero, element));
  if (format->isFloat && n.hasInput(2) && format->bits < 8) {
    FailureOr<Value> offset = spreadParameter(n, 2, cut.axis, cut.blockSize);
    if (failed(offset))
      return failure();
    divided = b.add(divided, decode(b, *format, *offset, precision));
  }
  if (format->isFloat)
    return n.setResult(encode(b, *format, divided, n.getInt("saturate", 1) != 0));
  double least = format->storage == ElementType::I8 ? -double(1 << (format->bits - 1)) : 0.0;
  Value all = b.widen(b.unary(UnaryKind::RoundEven, divided));
  if (*zero)
    all = b.add(all, b.cast(*zero, b.elementOf(all)));
  Value bounded = b.clamp(all, b.scalarLike(least, all), b.scalarLike(least + double((1 << format->bits) - 1), all));
  return n.setResult(b.cast(bounded, element));
}

/// `x`, a tensor of numbers of 8 bits that hold `bits` each, by shifts that change none of them: the program then says how
/// few bits there are (see fuse-keep-short-weights).
static Value keepLowBits(FuseBuilder &b, Value x, int64_t bits) {
  Value unused = b.scalarLike(static_cast<double>(8 - bits), x);
  return b.binary(BinaryKind::ShiftRight, b.binary(BinaryKind::ShiftLeft, x, unused), unused);
}

static LogicalResult importDequantizeLinear(Node &n) {
  FuseBuilder &b = n.b;
  const Format *format = n.getElementFormat(0);
  Granularity cut = getGranularity(n);
  FailureOr<Value> scale = n.hasFailed() ? FailureOr<Value>(failure()) : spreadParameter(n, 1, cut.axis, cut.blockSize);
  FailureOr<Value> zero = Value();
  bool isFloat = format && format->isFloat;
  if (!isFloat && mayDiffer(n, 2) && succeeded(scale)) {
    if (n.getElementType(2) != n.getElementType(0))
      return n.fail("expected a zero point of type " + n.getElementName(0) + ", found " + n.getElementName(2));
    zero = spreadParameter(n, 2, cut.axis, cut.blockSize);
  }
  if (failed(scale) || failed(zero))
    return failure();
  Type element = n.getElementType(1);
  if (int64_t given = n.getInt("output_dtype", 0)) {
    std::optional<ElementType> type = getTensorElement(given);
    if (!type || !isFloatElement(*type))
      return n.fail("output_dtype " + getDataTypeName(given) + " is not supported");
    element = toMLIRType(*type, b.getContext());
  }
  if (!isa<FloatType>(element) || (!format && isa<FloatType>(n.getElementType(0))))
    return n.fail("expected integers and a scale of floats, found " + n.getElementName(0) + " and " +
                  n.getElementName(1));
  Value x = isFloat ? decode(b, *format, n.getInput(0), b.getBuilder().getF32Type()) : n.getInput(0);
  if (format && !isFloat)
    x = keepLowBits(b, x, format->bits);
  Value number = isFloat ? b.mul(x, b.cast(*scale, b.elementOf(x))) : dequantize(b, x, *zero, *scale);
  return n.setResult(b.cast(number, element));
}

static LogicalResult importDynamicQuantizeLinear(Node &n) {
  if (!n.getElementType(0).isF32())
    return n.fail("expected FLOAT, found " + n.getElementName(0));
  DynamicallyQuantized made = quantizeDynamically(n.b, n.getInput(0));
  n.setResult(0, made.value);
  n.setResult(1, made.scale);
  n.setResult(2, made.zero);
  return success();
}

void mlir::fuse::onnx::addQuantizationOps(OpTable &table) {
  for (StringRef domain : {"", "com.microsoft."}) {
    bool isStandard = domain.empty();
    auto quantizeLinear = [=](Node &n) { return importQuantizeLinear(n, isStandard && n.getOpset() >= 23); };
    table.add((domain + "QuantizeLinear").str(), 2, 3, quantizeLinear).readsFormats = true;
    OpImporter &importer = table.add((domain + "DequantizeLinear").str(), 2, 3, importDequantizeLinear);
    importer.readsFormats = importer.keepsOperands = true;
  }
  table.add("DynamicQuantizeLinear", 1, 1, importDynamicQuantizeLinear);
}
