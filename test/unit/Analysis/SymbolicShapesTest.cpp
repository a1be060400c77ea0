//===- SymbolicShapesTest.cpp - Extents as expressions of open dimensions -------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/SymbolicShapes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class SymbolicShapesTest : public ::testing::Test {
protected:
  SymbolicShapesTest() { context.loadDialect<FuseDialect, affine::AffineDialect, func::FuncDialect, tensor::TensorDialect>(); }

  /// What the one function of a program returns.
  Value parse(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    return function.getBody().front().getTerminator()->getOperand(0);
  }

  /// Each value is the sum of the one before with itself: there are 2^length ways back to %v0.
  Value parseSums(int length) {
    std::string text = "func.func @f(%v0: tensor<?xf32>) -> tensor<?xf32> {\n";
    for (int i = 0; i < length; ++i) {
      std::string from = "%v" + std::to_string(i);
      text += "%v" + std::to_string(i + 1) + " = fuse.binary add " + from + ", " + from +
              " : tensor<?xf32>\n";
    }
    return parse(text + "return %v" + std::to_string(length) + " : tensor<?xf32>\n}");
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(SymbolicShapesTest, FollowsIndexMaps) {
  Value value =
      parse("func.func @f(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {\n"
            "  %0 = fuse.unary exp %x : tensor<?x8xf32>\n"
            "  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>\n"
            "  return %1 : tensor<8x?xf32>\n}");
  SymbolicShapes shapes(&context);
  EXPECT_EQ(shapes.getExtent(value, 0), getAffineConstantExpr(8, &context));
  std::optional<ExtentSymbol> found = shapes.getSingle(shapes.getExtent(value, 1));
  ASSERT_TRUE(found);
  EXPECT_TRUE(isa<BlockArgument>(found->value));
  EXPECT_EQ(found->dim, 0);
}

TEST_F(SymbolicShapesTest, ReadsNamesThatAreExpressions) {
  auto show = [&](StringRef name) -> std::string {
    std::optional<DimExpression> found = parseDimExpression(name, &context);
    if (!found)
      return "none";
    std::string text;
    llvm::raw_string_ostream(text) << found->extent << " of " << llvm::join(found->names, ",");
    return text;
  };
  EXPECT_EQ(show("past + seq"), "s0 + s1 of past,seq");
  EXPECT_EQ(show("4*h"), "s0 * 4 of h");
  EXPECT_EQ(show("(h//2 - 1)*8+h"), "(s0 floordiv 2 - 1) * 8 + s0 of h");
  EXPECT_EQ(show("h*w"), "s0 * s1 of h,w");
  for (const char *name : {"batch", "h.0_x", "", "x:2", "4", "4*4", "h*", "h // 0", "h/2", "(h", "h)> , (", "2 h", "floor(h)", "h + +", "h mod 2",
                           "h // w", "9999999999999999999999*h"})
    EXPECT_EQ(show(name), "none") << name;
}

// Whatever the order of arguments, names are known before expressions of them; one that stands in expressions alone is what
// the first says.
TEST_F(SymbolicShapesTest, NamesSayWhatExtentsAre) {
  parse(R"(func.func @f(%m: tensor<?x?xf32> {fuse.dim_names = ["past + seq", "h + 2"]},
                        %x: tensor<?x?xf32> {fuse.dim_names = ["seq", "2*h"]},
                        %p: tensor<?x?xf32> {fuse.dim_names = ["past", "seq"]},
                        %u: tensor<?x?xf32> {fuse.dim_names = ["a - b", "a - b"]}) -> tensor<?x?xf32> {
    return %m : tensor<?x?xf32>
  })");
  auto function = *module->getOps<func::FuncOp>().begin();
  SymbolicShapes shapes(&context);
  auto get = [&](unsigned argument, unsigned dim) { return shapes.getExtent(function.getArgument(argument), dim); };
  EXPECT_EQ(get(0, 0), get(1, 0) + get(2, 0));
  EXPECT_EQ(get(1, 0), get(2, 1));
  EXPECT_EQ(get(1, 1), (get(0, 1) - 2) * 2);
  EXPECT_EQ(get(3, 0), get(3, 1));
  EXPECT_EQ(shapes.getComputedDims().size(), 3u);
  // h is the extent less 2, and no whole one.
  AffineExpr h = simplifyExtent(get(0, 1) - 2);
  ASSERT_TRUE(isa<AffineSymbolExpr>(h));
  EXPECT_FALSE(shapes.getSingle(h));
  EXPECT_EQ(shapes.getSource(cast<AffineSymbolExpr>(h)).plus, 2);
}

// Sizes are numbers of the program, computed of other extents.
TEST_F(SymbolicShapesTest, ComputesSizes) {
  Value value = parse(R"(func.func @f(%x: tensor<?xf32>) -> tensor<?x4xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %m = affine.apply affine_map<()[s0] -> (s0 * 2 + 1)>()[%n]
    %0 = fuse.iota dimension = 0 sizes = [%m] : tensor<?x4xf32>
    %1 = fuse.concat %0, %0 dimension = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %2 = fuse.slice %1 offsets = [3, 0] sizes = [-1, 4] strides = [1, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
    return %2 : tensor<?x4xf32>
  })");
  SymbolicShapes shapes(&context);
  AffineExpr n = getAffineSymbolExpr(0, &context);
  EXPECT_EQ(shapes.getExtent(value, 0), n * 4 - 1);
  // Computed again: an expression of the argument's extent.
  OpBuilder builder(value.getDefiningOp());
  OpFoldResult size = shapes.materialize(builder, value.getLoc(), shapes.getExtent(value, 0));
  EXPECT_EQ(shapes.getNumber(cast<Value>(size)), n * 4 - 1);
}

TEST_F(SymbolicShapesTest, CountsWindows) {
  Value value = parse(R"(func.func @f(%x: tensor<1x3x?x8xf32>) -> tensor<1x3x?x3xf32> {
    %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 0, 1, 0] layout = nchw_fchw : tensor<1x3x?x8xf32> -> tensor<1x3x?x3xf32>
    return %0 : tensor<1x3x?x3xf32>
  })");
  SymbolicShapes shapes(&context);
  EXPECT_EQ(shapes.getExtent(value, 2), (getAffineSymbolExpr(0, &context) - 1).floorDiv(2) + 1);
}

// Values that are sources have extents of their own.
TEST_F(SymbolicShapesTest, StopsAtSources) {
  Value value = parse("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                      "  %0 = fuse.unary exp %x : tensor<?xf32>\n"
                      "  %1 = fuse.unary exp %0 : tensor<?xf32>\n"
                      "  return %1 : tensor<?xf32>\n}");
  Value inner = value.getDefiningOp()->getOperand(0);
  SymbolicShapes shapes(&context, [&](Value each) { return each == inner; });
  AffineExpr extent = shapes.getExtent(value, 0);
  EXPECT_TRUE(shapes.isOf(extent, [&](Value each) { return each == inner; }));
  EXPECT_FALSE(shapes.isOf(extent, [](Value each) { return isa<BlockArgument>(each); }));
}

TEST_F(SymbolicShapesTest, Bounds) {
  AffineExpr n = getAffineSymbolExpr(0, &context), m = getAffineSymbolExpr(1, &context);
  EXPECT_EQ(getLeast(n * 2 + m + 3), 3);
  EXPECT_EQ(getLeast((n + 5).floorDiv(2)), 2);
  EXPECT_EQ(getLeast(n - m), std::nullopt);
  EXPECT_EQ(getMost(n * -1 - 1), -1);
  EXPECT_EQ(getMost(n), std::nullopt);
  EXPECT_EQ(getMost(n % 4), 3);
}

// Each value is looked through once, and a long way takes no stack.
TEST_F(SymbolicShapesTest, ManyWays) { EXPECT_TRUE(SymbolicShapes(&context).getExtent(parseSums(200), 0)); }

TEST_F(SymbolicShapesTest, LongWay) { EXPECT_TRUE(SymbolicShapes(&context).getExtent(parseSums(20000), 0)); }

} // namespace
