//===- Quantized.cpp - Quantizing and dequantizing -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Quantized.h"
#include "fuse/IR/Shapes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

//===- Operands -----------------------------------------------------------------------------===//

bool mlir::fuse::onnx::isOneNumber(Node &n, size_t i) {
  RankedTensorType type = n.getType(i);
  return type.getRank() == 0 || (type.hasStaticShape() && type.getNumElements() == 1);
}

static std::string describeShape(ArrayRef<int64_t> shape) {
  return shape.empty() ? "one number" : "shape " + formatShape(shape);
}

static LogicalResult failShape(Node &n, size_t i, StringRef name, const std::string &wanted) {
  return n.fail("expected '" + name + "' " + wanted + ", found " + describeShape(n.getShape(i)));
}

static bool hasShape(Node &n, size_t i, ArrayRef<int64_t> shape) {
  if (n.getRank(i) != static_cast<int64_t>(shape.size()))
    return false;
  return llvm::all_of(llvm::zip_equal(n.getShape(i), shape), [](auto pair) {
    auto [found, wanted] = pair;
    return found == wanted || ShapedType::isDynamic(found) || ShapedType::isDynamic(wanted);
  });
}

static std::string listShapes(ArrayRef<SmallVector<int64_t>> shapes) {
  return "of shape " + llvm::join(llvm::map_range(shapes, formatShape), " or ");
}

LogicalResult mlir::fuse::onnx::checkShape(Node &n, size_t i, StringRef name, ArrayRef<SmallVector<int64_t>> shapes) {
  if (!n.hasInput(i) || llvm::any_of(shapes, [&](ArrayRef<int64_t> shape) { return hasShape(n, i, shape); }))
    return success();
  return failShape(n, i, name, listShapes(shapes));
}

LogicalResult mlir::fuse::onnx::checkParameter(Node &n, size_t i, StringRef name, ArrayRef<SmallVector<int64_t>> shapes) {
  if (!n.hasInput(i) || isOneNumber(n, i))
    return success();
  if (llvm::any_of(shapes, [&](ArrayRef<int64_t> shape) { return hasShape(n, i, shape); }))
    return success();
  return failShape(n, i, name, "to be one number" + (shapes.empty() ? "" : ", or " + listShapes(shapes)));
}

/// `along`: the dimension of the matrices that a parameter has, the other one of them being 1.
static LogicalResult checkAlong(Node &n, size_t i, StringRef name, ArrayRef<int64_t> matrices, size_t along) {
  if (matrices.size() < 2) // a vector has no more than one row or column
    return checkParameter(n, i, name, {});
  SmallVector<int64_t> whole(matrices);
  size_t first = matrices.size() - 2;
  whole[first + (1 - along)] = 1;
  return checkParameter(n, i, name, {{matrices[first + along]}, whole});
}

LogicalResult mlir::fuse::onnx::checkOfRows(Node &n, size_t i, StringRef name, ArrayRef<int64_t> matrices) {
  return checkAlong(n, i, name, matrices, 0);
}

LogicalResult mlir::fuse::onnx::checkOfColumns(Node &n, size_t i, StringRef name, ArrayRef<int64_t> matrices) {
  return checkAlong(n, i, name, matrices, 1);
}

Value mlir::fuse::onnx::getOne(Node &n, size_t i, StringRef name) {
  RankedTensorType type = n.getType(i);
  if (n.hasFailed() || failed(checkParameter(n, i, name, {})))
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
  if (failed(checkParameter(n, i, name, {})))
    return Value();
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

namespace {
/// How a tensor is cut for its scales, of which there is one for all, one for each element along `axis`, or one for each block
/// of `blockSize` elements along it.
struct Granularity {
  enum class Kind { Tensor, Axis, Block } kind = Kind::Tensor;
  int64_t axis = 0, blockSize = 0;
};
} // namespace

/// Of a node whose operands are a tensor, its scale and its zero point. Fails where they do not fit each other, and calls the
/// latter `name` with "_scale" or "_zero_point" behind it.
static FailureOr<Granularity> getGranularity(Node &n, StringRef name) {
  Granularity cut;
  std::string scale = (name + "_scale").str(), zero = (name + "_zero_point").str();
  SmallVector<int64_t> shape(n.getShape(0));
  if (shape.empty() || n.getRank(1) == 0 || (n.getRank(1) == 1 && isOneNumber(n, 1))) {
    if (failed(checkParameter(n, 1, scale, {})) || failed(checkParameter(n, 2, zero, {})))
      return failure();
    return cut;
  }
  cut.axis = n.normalizeAxis(n.getInt("axis", 1), n.getRank(0));
  cut.blockSize = n.getInt("block_size", 0);
  cut.kind = cut.blockSize == 0 ? Granularity::Kind::Axis : Granularity::Kind::Block;
  if (n.hasFailed())
    return failure();
  int64_t extent = shape[cut.axis];
  if (cut.kind == Granularity::Kind::Axis) {
    shape = {extent};
  } else {
    if (cut.blockSize < 0 || ShapedType::isDynamic(extent))
      return n.fail("expected blocks of at least one element along an axis of a static extent, found block_size = " +
                    Twine(cut.blockSize) + " along axis " + Twine(cut.axis) + " of extent " + describeExtent(extent));
    shape[cut.axis] = llvm::divideCeil(extent, cut.blockSize);
  }
  if (failed(checkShape(n, 1, scale, {shape})) || failed(checkShape(n, 2, zero, {shape})))
    return failure();
  // Of an open extent, a call in which there is another number of elements.
  for (size_t i : {1, 2})
    if (cut.kind == Granularity::Kind::Axis && n.hasInput(i) && (ShapedType::isDynamic(extent) || !n.getType(i).hasStaticShape()))
      n.assumeEqual(n.getExtents(i).front(), n.getExtents(0)[cut.axis]);
  return cut;
}

/// A scale or a zero point as an operand that broadcasts against the tensor that it belongs to.
static Value spreadParameter(Node &n, size_t i, const Granularity &cut) {
  FuseBuilder &b = n.b;
  Value parameter = n.getInput(i);
  switch (cut.kind) {
  case Granularity::Kind::Tensor:
    return b.reshape(parameter, ArrayRef<int64_t>{});
  case Granularity::Kind::Axis:
    return spreadAlong(b, parameter, cut.axis, n.getRank(0));
  case Granularity::Kind::Block:
    return repeatBlocks(n, parameter, cut.axis, cut.blockSize, n.getShape(0)[cut.axis]);
  }
  llvm_unreachable("one of these");
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
  if (to != 0 && n.hasInput(2) && getDataTypeName(to) != n.getElementName(2))
    return n.fail("expected 'y_zero_point' of the type that output_dtype names, " + getDataTypeName(to) + ", found " +
                  n.getElementName(2));
  FailureOr<Granularity> cut = getGranularity(n, "y");
  if (failed(cut))
    return failure();
  Value scale = spreadParameter(n, 1, *cut), zero = mayDiffer(n, 2) ? spreadParameter(n, 2, *cut) : Value();
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
  Value divided = b.div(b.cast(n.getInput(0), precision), b.cast(scale, precision));
  Type element = toMLIRType(*stored, b.getContext());
  n.setFormat(0, format);
  if (!format)
    return n.setResult(quantize(b, divided, zero, element));
  if (format->isFloat && n.hasInput(2) && format->bits < 8)
    divided = b.add(divided, decode(b, *format, spreadParameter(n, 2, *cut), precision));
  if (format->isFloat)
    return n.setResult(encode(b, *format, divided, n.getInt("saturate", 1) != 0));
  double least = format->storage == ElementType::I8 ? -double(1 << (format->bits - 1)) : 0.0;
  Value all = b.widen(b.unary(UnaryKind::RoundEven, divided));
  if (zero)
    all = b.add(all, b.cast(zero, b.elementOf(all)));
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
  FailureOr<Granularity> cut = getGranularity(n, "x");
  if (failed(cut))
    return failure();
  Value scale = spreadParameter(n, 1, *cut), zero;
  bool isFloat = format && format->isFloat;
  if (!isFloat && mayDiffer(n, 2)) {
    if (n.getElementType(2) != n.getElementType(0))
      return n.fail("expected a zero point of type " + n.getElementName(0) + ", found " + n.getElementName(2));
    zero = spreadParameter(n, 2, *cut);
  }
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
  Value number = isFloat ? b.mul(x, b.cast(scale, b.elementOf(x))) : dequantize(b, x, zero, scale);
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
