//===- OperatorsTest.cpp - What ONNX's own tests of operators do not ask ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;
using namespace fuse_test;

namespace {

std::string getPad(int64_t low, int64_t high, const std::string &mode) {
  return inputOf("x", "dim { dim_value: 6 }") +
         "initializer { name: 'p' data_type: 7 dims: 2 int64_data: " + std::to_string(low) +
         " int64_data: " + std::to_string(high) +
         " } node { op_type: 'Pad' input: 'x' input: 'p' output: 'y' attribute { name: 'mode' "
         "type: "
         "STRING s: '" +
         mode + "' } } output { name: 'y' }";
}

TEST_F(Import, PadsRepeatWhatIsNotCutOff) {
  HostArray x = HostArray::fromFloats(ElementType::F32, {6}, {0, 1, 2, 3, 4, 5});
  auto pad = [&](int64_t low, int64_t high, const std::string &mode) {
    EXPECT_TRUE(load(getPad(low, high, mode))) << messages;
    return run({x});
  };
  EXPECT_EQ(pad(-2, 3, "wrap"), std::vector<double>({2, 3, 4, 5, 2, 3, 4}));
  EXPECT_EQ(pad(2, -3, "wrap"), std::vector<double>({1, 2, 0, 1, 2}));
  EXPECT_EQ(pad(7, -4, "wrap"), std::vector<double>({1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(pad(2, -3, "reflect"), std::vector<double>({2, 1, 0, 1, 2}));
  EXPECT_EQ(pad(-2, 2, "edge"), std::vector<double>({2, 3, 4, 5, 5, 5}));
  EXPECT_EQ(pad(-2, -3, "wrap"), std::vector<double>({2}));
  EXPECT_FALSE(load(getPad(-6, 2, "wrap")));
  EXPECT_TRUE(says("expected elements to repeat along axis 0, found none")) << messages;
}

std::string getConv(const std::string &image, const std::string &filter, const std::string &rest) {
  auto dims = [](StringRef shape, StringRef word) {
    SmallVector<StringRef> extents;
    shape.split(extents, 'x');
    std::string text;
    for (StringRef extent : extents)
      text += " " + word.str() + extent.str() + (word.starts_with("dim {") ? " }" : "");
    return text;
  };
  return inputOf("x", dims(image, "dim { dim_value: ")) +
         inputOf("w", dims(filter, "dim { dim_value: ")) +
         "node { op_type: 'Conv' input: 'x' input: 'w' output: 'y' " + rest +
         " } output { name: 'y' }";
}

std::string getInts(const std::string &name, const std::string &values) {
  return " attribute { name: '" + name + "' type: INTS ints: [" + values + "] }";
}

/// A filter whose taps mostly meet padding is one for each part of the image with the same taps.
TEST_F(Import, DilatedConvolutionsMultiplyNoPadding) {
  auto count = [&](const std::string &dilation) {
    EXPECT_TRUE(load(getConv("1x2x14x14", "3x2x3x3",
                             getInts("dilations", dilation + ", " + dilation) +
                                 getInts("pads", dilation + ", " + dilation + ", " + dilation +
                                                     ", " + dilation))))
        << messages;
    int64_t products = 0;
    function.walk([&](Conv2dOp op) {
      ArrayRef<int64_t> image = op.getType().getShape();
      ArrayRef<int64_t> filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
      products += image[2] * image[3] * filter[2] * filter[3];
    });
    return products;
  };
  EXPECT_EQ(count("1"), 14 * 14 * 9);
  // Along each dimension 2 pixels have two taps on one side, 10 the middle one, and 2 two on the other.
  EXPECT_EQ(count("12"), 18 * 18);
  EXPECT_EQ(count("7"), 28 * 28);
  EXPECT_EQ(count("14"), 14 * 14);
  // Not in parts of a pixel each.
  EXPECT_TRUE(load(getConv("1x2x3x3", "3x2x3x3", getInts("pads", "1, 1, 1, 1"))));
  EXPECT_EQ(llvm::count_if(function.getOps(), [](Operation &op) { return isa<Conv2dOp>(op); }), 1);
}

/// Extents that no machine has room for take no time to import either.
TEST_F(Import, ConvolutionsOfGreatExtentsAreNotCounted) {
  EXPECT_TRUE(load(getConv("1x1x1000000000000x3", "1x1x3x3", getInts("pads", "1, 1, 1, 1"))))
      << messages;
  EXPECT_TRUE(load(getConv("1x1x1000000000000x3", "1x1x1000000x3",
                           getInts("pads", "400000, 1, 400000, 1"))))
      << messages;
  EXPECT_TRUE(load(getConv("1x1x1x3", "1x1x1000001x3", getInts("pads", "500000, 1, 500000, 1"))))
      << messages;
}

/// All taps of all pixels lay in the padding, and code for that could not be made.
TEST_F(Import, ConvolutionsOfPaddingAloneAreZero) {
  ASSERT_TRUE(load(getConv("1x1x1x1", "1x1x2x1",
                           getInts("dilations", "6, 1") + getInts("pads", "3, 0, 4, 0"))))
      << messages;
  EXPECT_EQ(llvm::count_if(function.getOps(), [](Operation &op) { return isa<Conv2dOp>(op); }), 0);
  EXPECT_EQ(run({HostArray::fromFloats(ElementType::F32, {1, 1, 1, 1}, {5}),
                 HostArray::fromFloats(ElementType::F32, {1, 1, 2, 1}, {1, 2})}),
            std::vector<double>({0, 0}));
}

/// Wide groups are convolutions of their own, whose weights can be packed; narrow ones are not.
TEST_F(Import, WideGroupsAreConvolutions) {
  auto count = [&](const std::string &image, const std::string &filter) {
    EXPECT_TRUE(load(getConv(image, filter, "attribute { name: 'group' type: INT i: 2 }")))
        << messages;
    return llvm::count_if(function.getOps(), [](Operation &op) { return isa<Conv2dOp>(op); });
  };
  EXPECT_EQ(count("1x64x7x7", "128x32x3x3"), 2);
  EXPECT_EQ(count("1x64x7x7", "64x32x3x3"), 1);
  EXPECT_EQ(count("1x4x7x7", "128x2x3x3"), 1);
}

/// Where a stride is longer than the filter nothing is cut off.
/// A bias without dimensions was read as a list.
TEST_F(Import, TransposedConvolutionsWantABiasForEachResult) {
  for (const char *dims : {"", "dims: 1", "dims: [1, 2]"}) {
    int64_t elements = StringRef(dims).contains('2') ? 2 : 1;
    std::string data(4 * elements, '0');
    EXPECT_FALSE(load(inputOf("x", "dim { dim_value: 1 } dim { dim_value: 1 } dim { dim_value: 4 }") +
                      "initializer { name: 'w' data_type: 1 dims: [1, 2, 1] float_data: [1, 2] }"
                      "initializer { name: 'b' data_type: 1 " + dims + " raw_data: '" + data + "' }"
                      "node { name: 'n' op_type: 'ConvTranspose' input: 'x' input: 'w' input: 'b' "
                      "output: 'y' } output { name: 'y' }"));
    EXPECT_TRUE(says("node 'n' (ConvTranspose): expected a bias of 2 elements, found rank "))
        << messages;
  }
}

TEST_F(Import, TransposedConvolutionsWithGapsKeepAllElements) {
  for (size_t rank : {1, 3})
    for (const char *padding : {"SAME_LOWER", "SAME_UPPER"}) {
      std::string spatial, filter, strides;
      for (size_t i = 0; i < rank; ++i) {
        spatial += " dim { dim_value: 2 }";
        filter += " dims: 1";
        strides += " ints: 2";
      }
      ASSERT_TRUE(load(inputOf("x", "dim { dim_value: 1 } dim { dim_value: 1 }" + spatial) +
                       "initializer { name: 'w' data_type: 1 dims: 1 dims: 1" + filter +
                       " float_data: 10 } node { op_type: 'ConvTranspose' input: 'x' input: 'w' "
                       "output: 'y' attribute { name: 'auto_pad' type: STRING s: '" +
                       padding + "' } attribute { name: 'strides' type: INTS" + strides +
                       " } } output { name: 'y' }"))
          << messages;
      HostArray x(
          ElementType::F32,
          SmallVector<int64_t>(cast<RankedTensorType>(function.getArgumentTypes()[0]).getShape()));
      for (int64_t i = 0; i < x.getNumElements(); ++i)
        x.setFloat(i, 1);
      std::vector<double> values = run({x});
      ASSERT_EQ(values.size(), rank == 1 ? 3u : 27u);
      EXPECT_EQ(values.front(), 10);
      EXPECT_EQ(values[1], 0);
      EXPECT_EQ(values.back(), 10);
    }
}

TEST_F(Import, IntegersHaveNoLogarithmBelowOne) {
  ASSERT_TRUE(load(inputOf("x", "dim { dim_value: 3 } dim { dim_value: 2 }", 6) +
                   "node { op_type: 'ReduceLogSum' input: 'x' output: 'y' attribute { name: 'axes' "
                   "type: INTS ints: 1 } attribute { name: 'keepdims' type: INT i: 0 } } output { "
                   "name: 'y' }"))
      << messages;
  HostArray x = HostArray::fromFloats(ElementType::I32, {3, 2}, {4, 4, -4, 1, -1, 1});
  constexpr double kLowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(run({x}), std::vector<double>({2, kLowest, kLowest}));
}

TEST_F(Import, MeansOfShortFloatsStayInTheirRange) {
  std::string x = inputOf("x", "dim { dim_value: 2 }", 10);
  HostArray large = HostArray::fromFloats(ElementType::F16, {2}, {60000, -60000});
  ASSERT_TRUE(load(x + "node { op_type: 'Mean' input: 'x' input: 'x' input: 'x' output: 'y' } "
                       "output { name: 'y' }"))
      << messages;
  EXPECT_EQ(run({large}), std::vector<double>({60000, -60000}));
  ASSERT_TRUE(load(x + "node { op_type: 'ReduceL2' input: 'x' output: 'y' } output { name: 'y' }"))
      << messages;
  HostArray sides = HostArray::fromFloats(ElementType::F16, {2}, {3000, 4000});
  EXPECT_EQ(run({sides}), std::vector<double>({5000}));
}

TEST_F(Import, MessagesShowUnknownExtents) {
  EXPECT_FALSE(load(inputOf("x", "dim { dim_param: 'n' }") +
                    "initializer { name: 'k' data_type: 7 dims: 1 int64_data: -2 } "
                    "node { op_type: 'TopK' input: 'x' input: 'k' output: 'v' output: 'i' } "
                    "output { name: 'v' }"));
  EXPECT_TRUE(says("expected k in [0, ?], found -2")) << messages;
}

} // namespace
