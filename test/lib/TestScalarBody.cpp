//===- TestScalarBody.cpp - Functions that hold one scalar body ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Gives a body to each function declared with the attribute test.body, so that bodies are tested
// before and beside the dialect:
//
//   func.func private @f(vector<4xi8>) -> vector<4xf32> attributes {test.body = "cast ui8 f32"}
//
// The attribute reads "unary KIND TYPE [ALPHA BETA]", "gelu FORM TYPE",
// "gate KIND TYPE [FORM]" (the op fuse.gate; f16 and bf16 are widened for it and rounded), "binary KIND TYPE",
// "compare PREDICATE TYPE", "cast FROM TO" or "clamp TYPE"; the function's types are the signless
// ones, scalars or vectors.
//
//===----------------------------------------------------------------------------------------===//

#include "TestPasses.h"
#include "fuse/IR/ElementBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/ScalarBody.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct TestScalarBody : PassWrapper<TestScalarBody, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestScalarBody)

  StringRef getArgument() const override { return "test-fuse-scalar-body"; }
  StringRef getDescription() const override {
    return "Fill functions declared with test.body with that scalar body";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, FuseDialect, math::MathDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    getOperation().walk([&](func::FuncOp function) {
      auto body = function->getAttrOfType<StringAttr>("test.body");
      if (body && failed(fill(function, body.getValue()))) {
        function.emitError("cannot build the scalar body '") << body.getValue() << "'";
        signalPassFailure();
      }
    });
  }

private:
  static LogicalResult fill(func::FuncOp function, StringRef text);
};

} // namespace

LogicalResult TestScalarBody::fill(func::FuncOp function, StringRef text) {
  MLIRContext *context = function.getContext();
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() < 2)
    return failure();
  Type type = parseType(words.size() > 2 ? words[2] : words[1], context);
  if (!type || getTypeClass(type) == NoTypes)
    return failure();
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(function.getLoc(),
                                                              function.addEntryBlock());
  ValueRange args = function.getArguments();
  Value result;
  if (words[0] == "gelu") {
    UnaryParams params;
    auto form = symbolizeGeluForm(words[1]);
    if (!form || !isLegal(UnaryKind::Gelu, type) || args.size() != 1)
      return failure();
    params.form = *form;
    result = buildUnary(b, UnaryKind::Gelu, params, type, args[0]);
  } else if (words[0] == "gate") {
    auto kind = symbolizeUnaryKind(words[1]);
    if (!kind || !GateOp::takes(*kind) || !isa<Float32Type, Float16Type, BFloat16Type>(type) || args.size() != 1)
      return failure();
    GeluFormAttr form;
    if (words.size() == 4)
      form = GeluFormAttr::get(context, symbolizeGeluForm(words[3]).value());
    ElementBuilder e(b);
    Value x = type.isF32() ? args[0] : e.extend(args[0], b.getF32Type());
    result = GateOp::create(b, x.getType(), *kind, x, form);
    if (!type.isF32())
      result = e.roundResult(result, type);
  } else if (words[0] == "unary") {
    auto kind = symbolizeUnaryKind(words[1]);
    if (!kind || !isLegal(*kind, type) || args.size() != 1)
      return failure();
    UnaryParams params = getDefaultParams(*kind);
    if (words.size() == 5 &&
        (words[3].getAsDouble(params.alpha) || words[4].getAsDouble(params.beta)))
      return failure();
    result = buildUnary(b, *kind, params, type, args[0]);
  } else if (words[0] == "binary") {
    auto kind = symbolizeBinaryKind(words[1]);
    if (!kind || !isLegal(*kind, type) || args.size() != 2)
      return failure();
    result = buildBinary(b, *kind, type, args[0], args[1]);
  } else if (words[0] == "compare") {
    auto predicate = symbolizeComparePredicate(words[1]);
    if (!predicate || args.size() != 2)
      return failure();
    result = buildCompare(b, *predicate, type, args[0], args[1]);
  } else if (words[0] == "cast") {
    Type from = parseType(words[1], context);
    if (!from || getTypeClass(from) == NoTypes || args.size() != 1)
      return failure();
    result = buildCast(b, from, type, args[0]);
  } else if (words[0] == "bitcast") {
    Type from = parseType(words[1], context);
    if (!from || getTypeClass(from) == NoTypes || args.size() != 1)
      return failure();
    result = buildBitcast(b, from, type, args[0]);
  } else if (words[0] == "clamp" && args.size() == 3) {
    result = buildClamp(b, type, args[0], args[1], args[2]);
  } else {
    return failure();
  }
  func::ReturnOp::create(b, result);
  function->removeAttr("test.body");
  return success();
}

void fuse::registerTestScalarBodyPass() { PassRegistration<TestScalarBody>(); }
