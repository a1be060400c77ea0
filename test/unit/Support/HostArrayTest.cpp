//===- HostArrayTest.cpp - Storage, access and attributes of host arrays --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/HostArray.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

TEST(HostArray, IsZeroAlignedAndRowMajor) {
  for (ElementType type : getElementTypes()) {
    HostArray array(type, {2, 3, 4});
    EXPECT_EQ(array.getNumElements(), 24);
    EXPECT_EQ(array.getByteSize(), 24 * int64_t(getElementBytes(type)));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.getBytes()) % HostArray::alignment, 0u);
    EXPECT_EQ(array.getStrides(), (SmallVector<int64_t>{12, 4, 1}));
    EXPECT_EQ(array.getFloat(23), 0.0);
    EXPECT_EQ(array.describe(), "2x3x4x" + getElementTypeName(type).str());
  }
}

TEST(HostArray, RankZeroAndEmptyShapes) {
  HostArray scalar = HostArray::splat(ElementType::F32, {}, 2.5);
  EXPECT_EQ(scalar.getNumElements(), 1);
  EXPECT_EQ(scalar.getFloat(0), 2.5);
  HostArray empty(ElementType::I32, {3, 0});
  EXPECT_TRUE(empty);
  EXPECT_EQ(empty.getNumElements(), 0);
  EXPECT_FALSE(HostArray());
}

static std::string messageOf(llvm::Expected<HostArray> array) {
  return array ? "no error" : llvm::toString(array.takeError());
}

TEST(HostArray, RefusesImpossibleShapes) {
  EXPECT_EQ(messageOf(HostArray::create(ElementType::F32, {2, -1})),
            "no array can have the shape 2x-1xf32");
  EXPECT_EQ(messageOf(HostArray::create(ElementType::F64, {int64_t(1) << 60, 8})),
            "no array can have the shape 1152921504606846976x8xf64");
  // The 0 does not hide that strides would overflow.
  EXPECT_EQ(HostArray::computeByteSize(ElementType::I8, {0, int64_t(1) << 62, 4}), std::nullopt);
  MLIRContext context;
  EXPECT_EQ(messageOf(HostArray::create(
                RankedTensorType::get({ShapedType::kDynamic}, Float32Type::get(&context)))),
            "expected a static shape of a supported element type, found tensor<?xf32>");
}

TEST(HostArray, CopiesShareAndClonesDoNot) {
  HostArray array = HostArray::fromInts(ElementType::I32, {4}, {1, 2, 3, 4});
  HostArray copy = array, own = array.clone(), square = array.reshaped({2, 2});
  array.setInt(3, 9);
  EXPECT_EQ(copy.getInt(3), 9);
  EXPECT_EQ(square.getInt(3), 9);
  EXPECT_EQ(own.getInt(3), 4);
}

TEST(HostArray, SettersRoundAndWrap) {
  HostArray half(ElementType::F16, {1}), byte(ElementType::I8, {1}), mask(ElementType::I1, {1});
  HostArray word(ElementType::U64, {1}), single(ElementType::F32, {1});
  half.setFloat(0, 1.0 + std::ldexp(1.0, -11));
  EXPECT_EQ(half.getFloat(0), 1.0);
  half.setFloat(0, 1e6);
  EXPECT_EQ(half.getFloat(0), INFINITY);
  byte.setInt(0, 200);
  EXPECT_EQ(byte.getInt(0), -56);
  byte.setFloat(0, 200.9);
  EXPECT_EQ(byte.getInt(0), 127);
  mask.setFloat(0, -0.5);
  EXPECT_EQ(mask.data<uint8_t>()[0], 1);
  word.setInt(0, -1);
  EXPECT_EQ(word.getUInt(0), UINT64_MAX);
  EXPECT_EQ(word.getFloat(0), 18446744073709551616.0);
  single.setInt(0, (int64_t(1) << 24) + 1);
  EXPECT_EQ(single.getFloat(0), 16777216.0);
  EXPECT_EQ(single.getInt(0), 16777216);
}

TEST(HostArray, GetAndSetKeepEveryBitPatternThatIsNoNaN) {
  for (ElementType type : getElementTypes()) {
    HostArray from(type, {512}), to(type, {512});
    uint64_t state = 88172645463325252ull;
    for (int64_t i = 0; i < from.getByteSize(); ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      from.getBytes()[i] = type == ElementType::I1 ? (state >> 63) : char(state >> 56);
    }
    unsigned size = getElementBytes(type);
    for (int64_t i = 0; i < 512; ++i) {
      to.set(i, from.get(i));
      if (isFloatElement(type) && std::isnan(from.getFloat(i)))
        EXPECT_TRUE(std::isnan(to.getFloat(i)));
      else
        EXPECT_EQ(std::memcmp(from.getBytes() + i * size, to.getBytes() + i * size, size), 0)
            << getElementTypeName(type).str() << " " << i;
    }
  }
}

TEST(HostArray, AttributesRoundTrip) {
  MLIRContext context;
  for (ElementType type : getElementTypes()) {
    for (bool splat : {false, true}) {
      HostArray array(type, {3, 5});
      for (int64_t i = 0; i < 15; ++i)
        array.setInt(i, splat ? 1 : (i * 7) % 5 - (isSignedElement(type) ? 2 : 0));
      DenseElementsAttr attribute = array.toAttribute(&context);
      EXPECT_EQ(attribute.isSplat(), splat) << getElementTypeName(type).str();
      llvm::Expected<HostArray> back = HostArray::fromAttribute(attribute);
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
      EXPECT_EQ(back->getElementType(), type);
      EXPECT_EQ(back->getShape(), array.getShape());
      EXPECT_EQ(std::memcmp(back->getBytes(), array.getBytes(), array.getByteSize()), 0)
          << getElementTypeName(type).str();
    }
    HostArray empty(type, {0, 2});
    llvm::Expected<HostArray> back = HostArray::fromAttribute(empty.toAttribute(&context));
    ASSERT_TRUE(bool(back));
    EXPECT_EQ(back->getNumElements(), 0);
  }
}

TEST(HostArray, ResourceAttributes) {
  MLIRContext context;
  auto type = RankedTensorType::get({3}, Float32Type::get(&context));
  float values[] = {1.5f, -2.0f, 4.0f};
  Attribute resource = DenseF32ResourceElementsAttr::get(
      type, "weights", HeapAsmResourceBlob::allocateAndCopyInferAlign(ArrayRef<float>(values)));
  llvm::Expected<HostArray> array = HostArray::fromAttribute(cast<ElementsAttr>(resource));
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(array->getFloat(1), -2.0);
}

TEST(HostArray, Denormals) {
  for (ElementType type : {ElementType::F32, ElementType::F64, ElementType::BF16}) {
    double least = type == ElementType::F64 ? 0x1p-1022 : 0x1p-126;
    for (double normal : {0.0, -0.0, least, -least, 1.0, -HUGE_VAL, std::nan("")})
      EXPECT_FALSE(HostArray::splat(type, {37}, normal).hasDenormals()) << normal;
    for (double denormal : {least / 2, -least / 2, least * 0.9921875, least / 64}) {
      HostArray array = HostArray::splat(type, {37}, 1.0);
      array.setFloat(35, denormal);
      EXPECT_TRUE(array.hasDenormals()) << denormal;
    }
  }
  EXPECT_FALSE(HostArray::splat(ElementType::F16, {3}, 0x1p-20).hasDenormals());
  EXPECT_FALSE(HostArray::splat(ElementType::I32, {3}, 1).hasDenormals());
  EXPECT_FALSE(HostArray(ElementType::F32, {0, 3}).hasDenormals());
}
