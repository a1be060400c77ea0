//===- TorchTest.cpp - Types and expressions of PyTorch -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Import/Torch/Symbols.h"
#include "Import/Torch/Types.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::torch;

namespace {

constexpr Promoted tensor(ElementType type) { return {type, Promoted::Tensor}; }
constexpr Promoted scalar(ElementType type) { return {type, Promoted::Scalar}; }
constexpr Promoted number(ElementType type) { return {type, Promoted::Number}; }

/// The cases of torch.result_type.
TEST(TorchTypes, Promotion) {
  EXPECT_EQ(promote({tensor(ElementType::I8), tensor(ElementType::I32)}), ElementType::I32);
  EXPECT_EQ(promote({tensor(ElementType::U8), tensor(ElementType::I8)}), ElementType::I16);
  EXPECT_EQ(promote({tensor(ElementType::F16), tensor(ElementType::BF16)}), ElementType::F32);
  EXPECT_EQ(promote({tensor(ElementType::I64), tensor(ElementType::F16)}), ElementType::F16);
  // A number changes the kind alone, and then to the default type.
  EXPECT_EQ(promote({tensor(ElementType::I8), number(ElementType::F64)}), ElementType::F32);
  EXPECT_EQ(promote({tensor(ElementType::F16), number(ElementType::F64)}), ElementType::F16);
  EXPECT_EQ(promote({tensor(ElementType::I1), number(ElementType::I64)}), ElementType::I64);
  EXPECT_EQ(promote({tensor(ElementType::I8), number(ElementType::I64)}), ElementType::I8);
  // So does a tensor without dimensions, which keeps its own type.
  EXPECT_EQ(promote({tensor(ElementType::F16), scalar(ElementType::F64)}), ElementType::F16);
  EXPECT_EQ(promote({tensor(ElementType::I32), scalar(ElementType::F64)}), ElementType::F64);
  EXPECT_EQ(promote({scalar(ElementType::I32), number(ElementType::I64)}), ElementType::I32);
  EXPECT_EQ(promote({scalar(ElementType::F32), scalar(ElementType::F64)}), ElementType::F64);
}

TEST(TorchTypes, Names) {
  EXPECT_EQ(getElement(13), ElementType::BF16);
  EXPECT_EQ(getElement(10), std::nullopt);
  EXPECT_EQ(getScalarTypeName(10), "complex64");
  EXPECT_EQ(getScalarTypeName(99), "scalar type 99");
}

TEST(TorchSymbols, Names) {
  EXPECT_EQ(getSymbolName("Symbol('s77', positive=True, integer=True)"), "s77");
  EXPECT_EQ(getSymbolName("s0"), "s0");
  EXPECT_EQ(getSymbolName("s0 + 1"), "");
  EXPECT_EQ(getSymbolName("Add(Symbol('s0'), Integer(1))"), "");
  EXPECT_EQ(getSymbolName("Symbol('s0"), "");
}

TEST(TorchSymbols, Expressions) {
  MLIRContext context;
  AffineExpr s = getAffineSymbolExpr(0, &context), t = getAffineSymbolExpr(1, &context);
  auto parse = [&](StringRef text) {
    return parseExpression(text, &context, [&](StringRef name) {
      return name == "s0" ? s : name == "s1" ? t : AffineExpr();
    });
  };
  EXPECT_EQ(parse("Integer(7)"), getAffineConstantExpr(7, &context));
  EXPECT_EQ(parse("Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(-1))"), s * 2 - 1);
  EXPECT_EQ(parse("FloorDiv(Add(Symbol('s0', integer=True), Symbol('s1', integer=True)), Integer(2))"),
            (s + t).floorDiv(2));
  EXPECT_EQ(parse("Mod(Symbol('s0', integer=True), Integer(4))"), s % 4);
  EXPECT_EQ(parse("s1"), t);
  // What is no expression of symbols that are known.
  for (StringRef text :
       {"", "Add(", "Add(Integer(1)", "Symbol('s9', integer=True)", "FloorDiv(s0, s1)", "FloorDiv(s0, Integer(0))",
        "Max(s0, Integer(1))", "Integer(1) Integer(2)", "Pow(s0, Integer(90))"})
    EXPECT_FALSE(parse(text)) << text.str();
  EXPECT_FALSE(parse(std::string(10000, '(')));
  std::string deep;
  for (int i = 0; i < 1000; ++i)
    deep += "Add(Integer(1), ";
  EXPECT_FALSE(parse(deep));
}

} // namespace
