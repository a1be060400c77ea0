//===- InterpreterTest.h - Parses and runs a function in one line -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_INTERPRETER_INTERPRETERTEST_H
#define FUSE_TEST_UNIT_INTERPRETER_INTERPRETERTEST_H

#include "fuse/IR/FuseOps.h"
#include "fuse/Interpreter/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fusetest {

using namespace mlir;
using namespace mlir::fuse;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

inline HostArray f32(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  return HostArray::fromFloats(ElementType::F32, shape, values);
}
inline HostArray f16(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  return HostArray::fromFloats(ElementType::F16, shape, values);
}
inline HostArray i32(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return HostArray::fromInts(ElementType::I32, shape, values);
}
inline HostArray i64(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return HostArray::fromInts(ElementType::I64, shape, values);
}
inline HostArray i8(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return HostArray::fromInts(ElementType::I8, shape, values);
}
inline HostArray i1(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return HostArray::fromInts(ElementType::I1, shape, values);
}

/// Shape, element type and every element; a NaN equals a NaN, -0.0 differs from +0.0.
inline void expectArray(const HostArray &got, const HostArray &want) {
  ASSERT_TRUE(bool(got));
  ASSERT_EQ(got.describe(), want.describe());
  for (int64_t i = 0; i < want.getNumElements(); ++i)
    EXPECT_TRUE(got.get(i).isIdentical(want.get(i)))
        << "element " << i << ": got " << got.getFloat(i) << ", want " << want.getFloat(i);
}

inline void expectNear(const HostArray &got, const HostArray &want, double tolerance) {
  ASSERT_TRUE(bool(got));
  ASSERT_EQ(got.describe(), want.describe());
  for (int64_t i = 0; i < want.getNumElements(); ++i) {
    if (std::isnan(want.getFloat(i)))
      EXPECT_TRUE(std::isnan(got.getFloat(i))) << "element " << i;
    else
      EXPECT_NEAR(got.getFloat(i), want.getFloat(i), tolerance) << "element " << i;
  }
}

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() {
    context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect, scf::SCFDialect,
                        tensor::TensorDialect>();
    handler.emplace(&context, [this](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      for (Diagnostic &note : diagnostic.getNotes())
        errors += "note: " + note.str() + "\n";
      std::string text;
      llvm::raw_string_ostream(text) << diagnostic.getLocation();
      locations.push_back(text);
      return success();
    });
  }

  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(bool(module)) << errors;
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }

  /// The results of the first function of `text`; none where it fails, see `errors`.
  SmallVector<HostArray> runAll(StringRef text, ArrayRef<HostArray> args) {
    func::FuncOp function = parse(text);
    if (!function)
      return {};
    SmallVector<HostArray> mutableArgs(args);
    auto results = interpret(function, mutableArgs, options);
    return succeeded(results) ? *results : SmallVector<HostArray>();
  }

  HostArray run(StringRef text, ArrayRef<HostArray> args) {
    SmallVector<HostArray> results = runAll(text, args);
    EXPECT_EQ(results.size(), 1u) << errors;
    return results.size() == 1 ? results[0] : HostArray();
  }

  /// A function of one op on arguments %0, %1, … of the types that `type` lists.
  HostArray runOp(StringRef op, StringRef operandTypes, StringRef resultType,
                  ArrayRef<HostArray> args) {
    std::string text = "func.func @f(";
    SmallVector<StringRef> types;
    operandTypes.split(types, ", ", -1, /*KeepEmpty=*/false);
    for (auto [i, type] : llvm::enumerate(types))
      text += (i ? ", %" : "%") + std::to_string(i) + ": " + type.str();
    text += ") -> " + resultType.str() + " {\n %r = " + op.str() + "\n return %r : " +
            resultType.str() + "\n}";
    return run(text, args);
  }

  /// An element-wise op whose operands and result have one shape and type.
  HostArray runSame(StringRef op, StringRef type, ArrayRef<HostArray> args) {
    std::string types;
    for (size_t i = 0; i < args.size(); ++i)
      types += (i ? ", " : "") + type.str();
    return runOp(op.str() + " : " + type.str(), types, type, args);
  }

  void expectError(StringRef text, ArrayRef<HostArray> args, StringRef message) {
    EXPECT_TRUE(runAll(text, args).empty());
    EXPECT_NE(errors.find(message.str()), std::string::npos)
        << "expected: " << message.str() << "\nfound: " << errors;
    EXPECT_EQ(llvm::count(locations, "loc(unknown)"), 0) << errors;
  }

  MLIRContext context;
  std::string errors;
  SmallVector<std::string> locations;
  std::optional<ScopedDiagnosticHandler> handler;
  OwningOpRef<ModuleOp> module;
  InterpreterOptions options;
};

} // namespace fusetest

#endif // FUSE_TEST_UNIT_INTERPRETER_INTERPRETERTEST_H
