//===- HostArray.h - A tensor's elements in host memory ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_SUPPORT_HOSTARRAY_H
#define FUSE_SUPPORT_HOSTARRAY_H

#include "fuse/Support/ElementType.h"
#include "fuse/Support/Scalar.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir::fuse {

/// Elements of one type and a shape, row-major and contiguous, at a 64-byte boundary; i1 is one
/// byte per element, 0 or 1.
///
/// Copies share the elements: a write through one is seen through all, as for a memref. `clone`
/// gives an array of its own.
class HostArray {
public:
  static constexpr size_t alignment = 64;

  /// No array at all; `operator bool` is false.
  HostArray() = default;

  /// Zeros. Sizes must not be negative. Aborts where memory ends; `create` returns an error.
  HostArray(ElementType type, ArrayRef<int64_t> shape);

  /// Zeros; an error for a negative size, for more bytes than an int64_t counts, and where memory
  /// ends.
  static llvm::Expected<HostArray> create(ElementType type, ArrayRef<int64_t> shape);

  /// The same with whatever the memory holds, for arrays that are filled at once.
  static llvm::Expected<HostArray> createUninitialized(ElementType type, ArrayRef<int64_t> shape);

  /// Zeros of a static tensor type; an error for a dynamic dimension and for an element type that
  /// is not an ElementType.
  static llvm::Expected<HostArray> create(ShapedType type);

  /// Memory that somebody else made, e.g. of a mapped file: row-major, as many bytes as the shape
  /// takes, alive as long as `bytes` is held. An error for a shape that no array can have.
  static llvm::Expected<HostArray> adopt(ElementType type, ArrayRef<int64_t> shape,
                                         std::shared_ptr<char> bytes);

  /// Every element `value`, converted as by setFloat or setInt.
  static HostArray splat(ElementType type, ArrayRef<int64_t> shape, double value);
  static HostArray splat(ArrayRef<int64_t> shape, Scalar value);

  /// From values in row-major order; their number must be that of the shape.
  static HostArray fromFloats(ElementType type, ArrayRef<int64_t> shape, ArrayRef<double> values);
  static HostArray fromInts(ElementType type, ArrayRef<int64_t> shape, ArrayRef<int64_t> values);

  /// The elements of a dense (or dense_resource) attribute; an error for other attributes and
  /// element types. `index` elements come as i64.
  static llvm::Expected<HostArray> fromAttribute(ElementsAttr attribute);
  /// A dense attribute; a splat where all elements have the same bits.
  DenseElementsAttr toAttribute(MLIRContext *context) const;

  explicit operator bool() const { return bytes != nullptr; }

  ElementType getElementType() const { return type; }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return static_cast<int64_t>(shape.size()); }
  int64_t getNumElements() const { return numElements; }
  int64_t getByteSize() const { return numElements * getElementBytes(type); }
  /// In elements, row-major.
  SmallVector<int64_t> getStrides() const;
  RankedTensorType getTensorType(MLIRContext *context) const;
  /// As a tensor type without the word: "2x3xf32".
  std::string describe() const;

  /// The bytes; null only for no array at all.
  char *getBytes() { return bytes.get(); }
  const char *getBytes() const { return bytes.get(); }
  /// T's size must be that of the element type: float for f32, uint16_t for f16 and bf16, ….
  template <typename T>
  MutableArrayRef<T> data() {
    return {reinterpret_cast<T *>(bytes.get()), static_cast<size_t>(numElements)};
  }
  template <typename T>
  ArrayRef<T> data() const {
    return {reinterpret_cast<const T *>(bytes.get()), static_cast<size_t>(numElements)};
  }

  /// The element at a row-major index, which is not checked. getFloat also reads integers (i64 and
  /// ui64 rounded to double); getInt also reads floats, as a cast to i64 does. For ui64, getInt
  /// gives the bits.
  double getFloat(int64_t index) const;
  int64_t getInt(int64_t index) const;
  uint64_t getUInt(int64_t index) const { return static_cast<uint64_t>(getInt(index)); }
  /// Rounds to nearest even in a float array; converts as fuse.cast from f64 in an integer one.
  void setFloat(int64_t index, double value);
  /// Wraps in an integer array; rounds in a float one.
  void setInt(int64_t index, int64_t value);

  Scalar get(int64_t index) const;
  /// `value` must be of the array's element type.
  void set(int64_t index, Scalar value);

  /// Whether an element is denormal: not 0, and less in size than any number whose mantissa has all its digits.
  /// False for integers, and for f16, which other types than f16 hold without denormals.
  bool hasDenormals() const;

  HostArray clone() const;
  /// The same elements, shared, in another shape of as many elements.
  HostArray reshaped(ArrayRef<int64_t> newShape) const;

  /// Bytes an array of this shape takes; nullopt for a negative size or where the sizes other than
  /// 0 multiply to more than an int64_t holds.
  static std::optional<int64_t> computeByteSize(ElementType type, ArrayRef<int64_t> shape);

private:
  std::shared_ptr<char> bytes;
  ElementType type = ElementType::F32;
  SmallVector<int64_t, 4> shape;
  int64_t numElements = 0;
};

} // namespace mlir::fuse

#endif // FUSE_SUPPORT_HOSTARRAY_H
