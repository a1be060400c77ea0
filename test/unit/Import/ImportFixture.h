//===- ImportFixture.h - A model that is written, read and run ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_IMPORT_IMPORTFIXTURE_H
#define FUSE_TEST_UNIT_IMPORT_IMPORTFIXTURE_H

#include "ModelText.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace fuse_test {
using namespace mlir;
using namespace mlir::fuse;

inline std::string tensorOf(const std::string &name, int type, const std::string &dims) {
  return " name: '" + name + "' type { tensor_type { elem_type: " + std::to_string(type) +
         " shape { " + dims + " } } } ";
}
inline std::string inputOf(const std::string &name, const std::string &dims, int type = 1) {
  return "input {" + tensorOf(name, type, dims) + "}";
}

class Import : public testing::Test {
protected:
  Import()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
          return success();
        }) {}

  bool load(const std::string &graph, const std::string &rest = "",
            const OnnxImportOptions &options = {}) {
    auto found = importOnnx(folder.write("m.onnx", parseModel(graph, rest).SerializeAsString()),
                            &context, options);
    if (failed(found))
      return false;
    model = std::move(*found);
    function = model.module->lookupSymbol<func::FuncOp>("main");
    return true;
  }

  /// Of a model with fields that the schema does not have.
  bool loadNewer(const ::onnx::ModelProto &proto) {
    auto found = importOnnx(folder.write("m.onnx", proto.SerializeAsString()), &context);
    if (failed(found))
      return false;
    model = std::move(*found);
    function = model.module->lookupSymbol<func::FuncOp>("main");
    return true;
  }

  std::vector<double> run(ArrayRef<HostArray> inputs = {}) {
    SmallVector<HostArray> all(inputs);
    for (const NamedArray &parameter : model.parameters)
      all.push_back(parameter.array);
    auto results = interpret(function, all);
    std::vector<double> values;
    for (int64_t i = 0; succeeded(results) && i < (*results)[0].getNumElements(); ++i)
      values.push_back((*results)[0].getFloat(i));
    return values;
  }

  template <typename Op>
  int count() {
    int found = 0;
    function.walk([&](Op) { ++found; });
    return found;
  }

  bool says(StringRef text) const { return StringRef(messages).contains(text); }

  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;
  Folder folder;
  OnnxModel model;
  func::FuncOp function;
};

} // namespace fuse_test

#endif // FUSE_TEST_UNIT_IMPORT_IMPORTFIXTURE_H
