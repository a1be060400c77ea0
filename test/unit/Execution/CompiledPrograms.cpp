//===- CompiledPrograms.cpp - Programs from text to loaded code ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledPrograms.h"

#include "fuse/Execution/Compare.h"
#include "fuse/Execution/Compile.h"
#include "fuse/Execution/RandomInputs.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/InitAll/InitAll.h"
#include "fuse/Execution/ThreadRanks.h"
#include "fuse/Interpreter/Interpreter.h"
#include "fuse/Report/Report.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::test;

const NamedSource mlir::fuse::test::kSources[8] = {
    {"chain", R"(func.func @chain(%x: tensor<5000xf32>) -> tensor<5000xf32> {
      %0 = fuse.unary relu %x : tensor<5000xf32>
      %1 = fuse.unary sigmoid %0 : tensor<5000xf32>
      %2 = fuse.unary exp %1 : tensor<5000xf32>
      return %2 : tensor<5000xf32>
    })"},
    {"softmax", R"(func.func @softmax(%x: tensor<40x300xf32>) -> tensor<40x300xf32> {
      %0 = fuse.softmax %x dimension = 1 : tensor<40x300xf32>
      return %0 : tensor<40x300xf32>
    })"},
    {"matmul", R"(func.func @matmul(%x: tensor<33x65xf32>, %w: tensor<65x17xf32> {fuse.param})
        -> tensor<33x17xf32> {
      %0 = fuse.matmul %x, %w : (tensor<33x65xf32>, tensor<65x17xf32>) -> tensor<33x17xf32>
      %1 = fuse.unary neg %0 : tensor<33x17xf32>
      return %1 : tensor<33x17xf32>
    })"},
    {"dynamic", R"(func.func @dynamic(%x: tensor<?x7xf32>, %y: tensor<?x7xf32>)
        -> (tensor<?x7xf32>, tensor<?xf32>) {
      %0 = fuse.binary add %x, %y : tensor<?x7xf32>
      %1 = fuse.unary exp %0 : tensor<?x7xf32>
      %2 = fuse.reduce sum %1 dimensions = [1] : tensor<?x7xf32> -> tensor<?xf32>
      %3 = fuse.unary neg %2 : tensor<?xf32>
      return %1, %3 : tensor<?x7xf32>, tensor<?xf32>
    })"},
    {"host", R"(func.func @host(%x: tensor<8x32xf32>, %f: tensor<4x9xf32>) -> tensor<8x4xf32> {
      %0 = fuse.unary abs %x : tensor<8x32xf32>
      %1 = fuse.log_mel %0, %f : (tensor<8x32xf32>, tensor<4x9xf32>) -> tensor<8x4xf32>
      %2 = fuse.unary exp %1 : tensor<8x4xf32>
      return %2 : tensor<8x4xf32>
    })"},
    {"rows", R"(func.func @rows(%x: tensor<64x128xf16>) -> (tensor<64xf16>, tensor<64xi64>, tensor<f16>) {
      %0 = fuse.reduce max %x dimensions = [1] : tensor<64x128xf16> -> tensor<64xf16>
      %1 = fuse.argmax %x dimension = 1 : tensor<64x128xf16> -> tensor<64xi64>
      %2 = fuse.reduce sum %0 dimensions = [0] : tensor<64xf16> -> tensor<f16>
      return %0, %1, %2 : tensor<64xf16>, tensor<64xi64>, tensor<f16>
    })"},
    {"memory", R"(func.func @memory(%m: memref<100xf32>) -> tensor<100xf32> {
      %0 = fuse.load %m : memref<100xf32> -> tensor<100xf32>
      %1 = fuse.unary relu %0 : tensor<100xf32>
      %2 = fuse.unary exp %1 : tensor<100xf32>
      fuse.store %2, %m : tensor<100xf32>, memref<100xf32>
      return %0 : tensor<100xf32>
    })"},
    {"empty", R"(func.func @empty(%x: tensor<0x5xf32>) -> tensor<5xf32> {
      %0 = fuse.unary exp %x : tensor<0x5xf32>
      %1 = fuse.reduce max %0 dimensions = [0] : tensor<0x5xf32> -> tensor<5xf32>
      return %1 : tensor<5xf32>
    })"},
};

namespace {
[[noreturn]] void fail(const std::string &text) { throw std::runtime_error(text); }

template <typename T>
T take(llvm::Expected<T> value) {
  if (!value)
    fail(llvm::toString(value.takeError()));
  return std::move(*value);
}
} // namespace

Compiled mlir::fuse::test::compile(const std::string &source, bool fusion) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllFuseDialects(registry);
  MLIRContext context(registry);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    fail(errors);
  Compiled compiled;
  func::FuncOp function = *findFunction(*module, "");
  Signature signature = *Signature::get(function);
  compiled.function = signature.function;
  std::vector<HostArray> arrays;
  for (auto [info, argument] : llvm::zip_equal(signature.inputs, function.getArguments())) {
    compiled.inputs.push_back(
        {info.name, take(makeRandomInput(info.getFull(), 7, getIndexExtent(argument)))});
    const HostArray &array = compiled.inputs.back().array;
    arrays.push_back(info.isMemref ? array.clone() : array);
  }
  if (countRanks(signature.grid) > 1) {
    compiled.expected = take(interpretRanks(function, compiled.inputs));
  } else {
    auto results = interpret(function, arrays);
    if (failed(results))
      fail(errors);
    for (auto [info, array] : llvm::zip_equal(signature.results, *results))
      compiled.expected.push_back({info.name, array});
    for (auto [info, array] : llvm::zip_equal(signature.inputs, arrays))
      if (info.isMemref)
        compiled.expected.push_back({info.name, array});
  }
  module->walk([&](HostOpInterface) { ++compiled.hostCalls; });

  LoweringOptions lowering;
  lowering.numerics = Numerics::Reassociates;
  CompileOptions options;
  options.fusion = fusion;
  options.numerics = Numerics::Reassociates;
  if (failed(planProgram(*module, options)))
    fail(errors);
  compiled.fusedKernels = computeReport(*module).functions.front().fusedKernels;
  // Planning may have given the function parameters that the program computes itself.
  signature = *Signature::get(function);
  auto objects = compileProgram(*module, lowering);
  if (failed(objects))
    fail(errors);
  compiled.program = take(Program::load(std::move(*objects), signature));
  return compiled;
}

Compiled mlir::fuse::test::compileFile(const std::string &path, bool fusion) {
  std::ifstream file(std::string(FUSE_SOURCE_DIR) + "/" + path);
  if (!file)
    fail("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return compile(text.str(), fusion);
}

std::unique_ptr<Session> mlir::fuse::test::start(const Compiled &compiled, int32_t threads) {
  auto session = take(Session::create(compiled.program, compiled.function, threads));
  if (llvm::Error error = session->bind(compiled.inputs))
    fail(llvm::toString(std::move(error)));
  return session;
}

std::string mlir::fuse::test::runAndCompare(Session &session, const Compiled &compiled) {
  if (llvm::Error error = session.run())
    return llvm::toString(std::move(error));
  for (auto [got, want] : llvm::zip_equal(session.getOutputs(), compiled.expected)) {
    auto comparison = compareArrays(got.array, want.array,
                                    getDefaultTolerance(want.array.getElementType()));
    if (!comparison)
      return want.name + ": " + llvm::toString(comparison.takeError());
    if (!comparison->fits())
      return want.name + ": " + std::to_string(comparison->wrong) + " elements differ";
  }
  return "";
}
