//===- SignatureTest.cpp - Names, types and the matching of inputs ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Signature.h"

#include "fuse/IR/FuseDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class SignatureTest : public ::testing::Test {
protected:
  SignatureTest() : handler(&context, [this](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str();
    return success();
  }) {
    context.loadDialect<func::FuncDialect, FuseDialect>();
  }

  FailureOr<Signature> read(StringRef text, StringRef name = "") {
    diagnostics.clear();
    module = parseSourceString<ModuleOp>(text, &context);
    FailureOr<func::FuncOp> func = findFunction(*module, name);
    if (failed(func))
      return failure();
    return Signature::get(*func);
  }

  MLIRContext context;
  std::string diagnostics;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

TEST_F(SignatureTest, ReadsShardings) {
  auto signature = read(R"mlir(
    func.func @f(%a: tensor<4x3xf32> {fuse.sharding = #fuse.sharding<grid = [2, 3], dims = [[], [1, 0]]>}, %b: tensor<4xf32>)
        -> tensor<4xf32> {
      %0 = fuse.all_reduce sum %b in <grid = [2, 3], axes = [0]> : tensor<4xf32>
      return %0 : tensor<4xf32>
    })mlir");
  ASSERT_TRUE(succeeded(signature)) << diagnostics;
  EXPECT_EQ("2x3", formatGrid(signature->grid));
  EXPECT_EQ("4x18xf32", signature->getFull().inputs[0].describe());
  EXPECT_EQ("4xf32", signature->getFull().inputs[1].describe());
  // Rank 4 is in row 1, column 1; the columns of the grid are the outer ones of the cut.
  const Sharding &sharding = signature->inputs[0].sharding;
  EXPECT_EQ(3, sharding.getPart(1, 4));
  HostArray full = HostArray::fromInts(ElementType::I64, {1, 6}, {10, 11, 12, 13, 14, 15});
  auto part = sharding.takePart(full, 4);
  ASSERT_TRUE(bool(part));
  EXPECT_EQ(13, part->getInt(0));
  auto odd = sharding.takePart(HostArray(ElementType::I64, {1, 8}), 4);
  EXPECT_EQ("expected dimension 1 to be a multiple of 6 parts, found 1x8xi64",
            llvm::toString(odd.takeError()));
}

TEST_F(SignatureTest, RefusesTwoGrids) {
  EXPECT_TRUE(failed(read(R"mlir(
    func.func @f(%a: tensor<4xf32> {fuse.sharding = #fuse.sharding<grid = [2], dims = [[0]]>}) -> tensor<4xf32> {
      %0 = fuse.all_reduce sum %a in <grid = [2, 3], axes = [0]> : tensor<4xf32>
      return %0 : tensor<4xf32>
    })mlir")));
  EXPECT_EQ("expected one grid of processes, found 2 and 2x3", diagnostics);
}

TEST_F(SignatureTest, ReadsNamesTypesAndRoles) {
  auto signature = read(R"mlir(
    func.func @f(%a: tensor<4x?xf16> {fuse.name = "a"}, %b: tensor<ui8> {fuse.param},
                 %c: memref<2xi1>) -> (tensor<ui8>, tensor<4x?xf16> {fuse.name = "d"}) {
      return %b, %a : tensor<ui8>, tensor<4x?xf16>
    })mlir");
  ASSERT_TRUE(succeeded(signature)) << diagnostics;
  EXPECT_EQ("f", signature->function);
  ASSERT_EQ(3u, signature->inputs.size());
  EXPECT_EQ("a", signature->inputs[0].name);
  EXPECT_EQ("4x?xf16", signature->inputs[0].describe());
  EXPECT_EQ("arg1", signature->inputs[1].name);
  EXPECT_TRUE(signature->inputs[1].isParam);
  EXPECT_FALSE(signature->inputs[1].isMemref);
  EXPECT_EQ("arg2", signature->inputs[2].name);
  EXPECT_TRUE(signature->inputs[2].isMemref);
  ASSERT_EQ(2u, signature->results.size());
  EXPECT_EQ("result0", signature->results[0].name);
  EXPECT_EQ("d", signature->results[1].name);
}

TEST_F(SignatureTest, FindsTheFunction) {
  const char *two = R"mlir(
    func.func @f() { return }
    func.func private @g() { return }
    func.func @h() { return })mlir";
  EXPECT_TRUE(failed(read(two)));
  EXPECT_EQ("expected one public function or @main, found @f, @h", diagnostics);
  EXPECT_EQ("h", read(two, "h")->function);
  EXPECT_TRUE(failed(read(two, "g")));
  EXPECT_EQ("expected a public function @g, found @f, @h", diagnostics);
  EXPECT_TRUE(failed(read("module {}")));
  EXPECT_EQ("expected a public function with a body, found none", diagnostics);
  EXPECT_EQ("main", read("func.func @f() { return } func.func @main() { return }")->function);
}

TEST_F(SignatureTest, RefusesWhatNoArrayHolds) {
  EXPECT_TRUE(failed(read("func.func @f(%a: tensor<4xcomplex<f32>>) { return }")));
  EXPECT_EQ("argument 0 has the element type 'complex<f32>', which no array can hold",
            diagnostics);
  EXPECT_TRUE(failed(read("func.func @f(%a: f32) { return }")));
  EXPECT_EQ("argument 0 has type 'f32'; only ranked tensors, and memrefs as arguments, can be bound",
            diagnostics);
  EXPECT_TRUE(failed(read("func.func @f(%a: memref<4xf32, strided<[2]>>) { return }")));
  EXPECT_EQ("argument 0 has type 'memref<4xf32, strided<[2]>>'; only row-major memrefs can be bound",
            diagnostics);
  EXPECT_TRUE(failed(read(R"mlir(func.func @f(%a: tensor<f32> {fuse.name = "x"},
                                  %b: tensor<f32> {fuse.name = "x"}) { return })mlir")));
  EXPECT_EQ("two arguments are named 'x'", diagnostics);
}

TEST_F(SignatureTest, MatchesInputsByName) {
  auto signature = read(R"mlir(
    func.func @f(%a: tensor<?x3xi32> {fuse.name = "a"}, %b: tensor<f32>) { return })mlir");
  ASSERT_TRUE(succeeded(signature));
  HostArray a(ElementType::I32, {7, 3}), b(ElementType::F32, {});
  auto matched = signature->matchInputs({{"arg1", b}, {"a", a}});
  ASSERT_TRUE(static_cast<bool>(matched));
  EXPECT_EQ(a.getBytes(), (*matched)[0].getBytes());
  EXPECT_EQ(b.getBytes(), (*matched)[1].getBytes());

  auto refuse = [&](std::vector<NamedArray> given) {
    auto result = signature->matchInputs(given);
    return result ? "no error" : llvm::toString(result.takeError());
  };
  EXPECT_EQ("no input of @f is named 'b': expected 'a' (?x3xi32), 'arg1' (f32)",
            refuse({{"a", a}, {"b", b}}));
  EXPECT_EQ("input 'arg1' is missing: expected f32, found 1 of 2 inputs", refuse({{"a", a}}));
  EXPECT_EQ("input 'a' is given twice", refuse({{"a", a}, {"a", a}}));
  EXPECT_EQ("input 'a': expected ?x3xi32, found 7x3xi64",
            refuse({{"a", HostArray(ElementType::I64, {7, 3})}}));
  EXPECT_EQ("input 'a': expected ?x3xi32, found 3xi32",
            refuse({{"a", HostArray(ElementType::I32, {3})}}));
  EXPECT_EQ("input 'a': expected ?x3xi32, found 7x4xi32",
            refuse({{"a", HostArray(ElementType::I32, {7, 4})}}));
}

} // namespace
