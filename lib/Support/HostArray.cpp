//===- HostArray.cpp - A tensor's elements in host memory -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/HostArray.h"
#include "fuse/Support/ScalarFunctions.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>
#include <limits>
#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace mlir;
using namespace mlir::fuse;

static std::string describeShape(ElementType type, ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + getElementTypeName(type).str();
}

std::optional<int64_t> HostArray::computeByteSize(ElementType type, ArrayRef<int64_t> shape) {
  // Strides are products of sizes too, so a size of 0 does not excuse the others.
  int64_t bytes = getElementBytes(type);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    empty |= size == 0;
    if (size != 0 && llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  }
  return empty ? 0 : bytes;
}

/// Memory of `bytes` (a multiple of the alignment of arrays); null if there is none. What is large asks for large pages:
/// 168 MB of weights are read at 44 GB/s in those, and at 29 in pages of 4 KB, on a core of Zen 5.
static char *allocate(size_t bytes) {
  constexpr size_t kLargePage = size_t(2) << 20;
#ifdef __linux__
  if (bytes >= 2 * kLargePage) {
    size_t whole = llvm::alignTo(bytes, kLargePage);
    void *memory = std::aligned_alloc(kLargePage, whole);
    if (memory)
      (void)madvise(memory, whole, MADV_HUGEPAGE); // a system that has none keeps small ones
    return static_cast<char *>(memory);
  }
#endif
  return static_cast<char *>(std::aligned_alloc(HostArray::alignment, bytes));
}

llvm::Expected<HostArray> HostArray::create(ElementType type, ArrayRef<int64_t> shape) {
  llvm::Expected<HostArray> array = createUninitialized(type, shape);
  if (array)
    std::memset(array->getBytes(), 0, array->getByteSize());
  return array;
}

llvm::Expected<HostArray> HostArray::createUninitialized(ElementType type,
                                                         ArrayRef<int64_t> shape) {
  std::optional<int64_t> size = computeByteSize(type, shape);
  if (!size || *size > std::numeric_limits<int64_t>::max() - int64_t(alignment))
    return llvm::createStringError("no array can have the shape " + describeShape(type, shape));
  // aligned_alloc wants a multiple of the alignment; an empty array has an address too.
  size_t capacity = llvm::alignTo(std::max<size_t>(*size, 1), alignment);
  char *memory = allocate(capacity);
  if (!memory)
    return llvm::createStringError(
        llvm::formatv("out of memory: {0} bytes for an array {1}", *size, describeShape(type, shape)));
  return adopt(type, shape, std::shared_ptr<char>(memory, std::free));
}

llvm::Expected<HostArray> HostArray::adopt(ElementType type, ArrayRef<int64_t> shape,
                                           std::shared_ptr<char> bytes) {
  std::optional<int64_t> size = computeByteSize(type, shape);
  if (!size)
    return llvm::createStringError("no array can have the shape " + describeShape(type, shape));
  HostArray array;
  array.bytes = std::move(bytes);
  array.type = type;
  array.shape.assign(shape.begin(), shape.end());
  array.numElements = *size / getElementBytes(type);
  return array;
}

llvm::Expected<HostArray> HostArray::create(ShapedType shaped) {
  std::optional<ElementType> element = toElementType(shaped.getElementType());
  if (!element || !shaped.hasStaticShape()) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "expected a static shape of a supported element type, found " << shaped;
    return llvm::createStringError(text);
  }
  return create(*element, shaped.getShape());
}

HostArray::HostArray(ElementType type, ArrayRef<int64_t> shape) {
  llvm::Expected<HostArray> array = create(type, shape);
  if (!array)
    llvm::report_fatal_error(array.takeError());
  *this = std::move(*array);
}

HostArray HostArray::splat(ArrayRef<int64_t> shape, Scalar value) {
  HostArray array(value.getType(), shape);
  for (int64_t i = 0; i < array.numElements; ++i)
    array.set(i, value);
  return array;
}

HostArray HostArray::splat(ElementType type, ArrayRef<int64_t> shape, double value) {
  return splat(shape, Scalar::fromFloat(type, value));
}

HostArray HostArray::fromFloats(ElementType type, ArrayRef<int64_t> shape,
                                ArrayRef<double> values) {
  HostArray array(type, shape);
  if (array.numElements != int64_t(values.size()))
    llvm::report_fatal_error("HostArray::fromFloats: as many values as elements are needed");
  for (auto [i, value] : llvm::enumerate(values))
    array.setFloat(i, value);
  return array;
}

HostArray HostArray::fromInts(ElementType type, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  HostArray array(type, shape);
  if (array.numElements != int64_t(values.size()))
    llvm::report_fatal_error("HostArray::fromInts: as many values as elements are needed");
  for (auto [i, value] : llvm::enumerate(values))
    array.setInt(i, value);
  return array;
}

SmallVector<int64_t> HostArray::getStrides() const {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = getRank() - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

/// Whether one of the numbers, as bits of which the lowest are `mantissa`, has a mantissa and an exponent of 0.
template <typename T>
static bool hasDenormal(ArrayRef<T> numbers, T mantissa) {
  constexpr T kSign = T(1) << (8 * sizeof(T) - 1);
  bool found = false; // without a branch, so that the loop becomes one over vectors
  for (T bits : numbers)
    found |= T((bits & T(~kSign)) - 1) < mantissa;
  return found;
}

bool HostArray::hasDenormals() const {
  switch (type) {
  case ElementType::F32:
    return hasDenormal(data<uint32_t>(), (uint32_t(1) << 23) - 1);
  case ElementType::F64:
    return hasDenormal(data<uint64_t>(), (uint64_t(1) << 52) - 1);
  case ElementType::BF16:
    return hasDenormal<uint16_t>(data<uint16_t>(), (1 << 7) - 1);
  default:
    return false;
  }
}

RankedTensorType HostArray::getTensorType(MLIRContext *context) const {
  return RankedTensorType::get(shape, toMLIRType(type, context));
}

std::string HostArray::describe() const { return describeShape(type, shape); }

template <typename T>
static T load(const char *bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}
template <typename T>
static void store(char *bytes, int64_t index, T value) {
  std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

/// The value of an integer or i1 element, extended to 64 bits.
static int64_t loadInteger(ElementType type, const char *bytes, int64_t index) {
  switch (type) {
  case ElementType::I8:
    return load<int8_t>(bytes, index);
  case ElementType::I16:
    return load<int16_t>(bytes, index);
  case ElementType::I32:
    return load<int32_t>(bytes, index);
  case ElementType::U16:
    return load<uint16_t>(bytes, index);
  case ElementType::U32:
    return load<uint32_t>(bytes, index);
  case ElementType::I64:
  case ElementType::U64:
    return load<int64_t>(bytes, index);
  default: // i1, ui8
    return load<uint8_t>(bytes, index);
  }
}

static double loadFloat(ElementType type, const char *bytes, int64_t index) {
  switch (type) {
  case ElementType::F16:
    return decodeF16(load<uint16_t>(bytes, index));
  case ElementType::BF16:
    return decodeBF16(load<uint16_t>(bytes, index));
  case ElementType::F32:
    return load<float>(bytes, index);
  default:
    return load<double>(bytes, index);
  }
}

Scalar HostArray::get(int64_t index) const {
  if (isFloatElement(type))
    return Scalar::fromFloat(type, loadFloat(type, bytes.get(), index));
  return Scalar::fromInt(type, loadInteger(type, bytes.get(), index));
}

double HostArray::getFloat(int64_t index) const {
  return isFloatElement(type) ? loadFloat(type, bytes.get(), index) : get(index).toDouble();
}

int64_t HostArray::getInt(int64_t index) const {
  return isFloatElement(type) ? evaluateCast(get(index), ElementType::I64).getInt()
                              : loadInteger(type, bytes.get(), index);
}

void HostArray::setFloat(int64_t index, double value) {
  set(index, Scalar::fromFloat(type, value));
}

void HostArray::setInt(int64_t index, int64_t value) { set(index, Scalar::fromInt(type, value)); }

void HostArray::set(int64_t index, Scalar value) {
  char *to = bytes.get();
  switch (type) {
  case ElementType::F16:
    return store(to, index, encodeF16(value.getFloat()));
  case ElementType::BF16:
    return store(to, index, encodeBF16(value.getFloat()));
  case ElementType::F32:
    return store(to, index, static_cast<float>(value.getFloat()));
  case ElementType::F64:
    return store(to, index, value.getFloat());
  default:
    break;
  }
  switch (getElementBytes(type)) {
  case 1:
    return store(to, index, static_cast<uint8_t>(value.getInt()));
  case 2:
    return store(to, index, static_cast<uint16_t>(value.getInt()));
  case 4:
    return store(to, index, static_cast<uint32_t>(value.getInt()));
  default:
    return store(to, index, value.getInt());
  }
}

HostArray HostArray::clone() const {
  HostArray copy(type, shape);
  std::memcpy(copy.getBytes(), getBytes(), getByteSize());
  return copy;
}

HostArray HostArray::reshaped(ArrayRef<int64_t> newShape) const {
  std::optional<int64_t> size = computeByteSize(type, newShape);
  if (!size || *size != getByteSize())
    llvm::report_fatal_error("HostArray::reshaped: the number of elements would change");
  HostArray view = *this;
  view.shape.assign(newShape.begin(), newShape.end());
  return view;
}
