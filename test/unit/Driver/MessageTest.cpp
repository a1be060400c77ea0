//===- MessageTest.cpp - Diagnostics in words -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Message.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class MessageTest : public testing::Test {
protected:
  /// The place of a node in a model.
  Location getNode(StringRef name) {
    Location model = NameLoc::get(StringAttr::get(&context, "m.onnx"));
    return NameLoc::get(StringAttr::get(&context, name), model);
  }
  /// The messages as lines.
  static std::string print(ArrayRef<Message> messages) {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const Message &message : messages)
      printMessage(message, os);
    return text;
  }

  MLIRContext context;
};
} // namespace

TEST_F(MessageTest, HasPlacesInText) {
  CollectedMessages collected(context);
  Location place = FileLineColLoc::get(&context, "p.mlir", 3, 7);
  InFlightDiagnostic error = emitError(place, "expected one thing");
  error.attachNote(FileLineColLoc::get(&context, "p.mlir", 1, 1)) << "found another here";
  error.report();
  EXPECT_EQ(print(collected.get()), "p.mlir:3:7: error: expected one thing\n"
                                    "p.mlir:1:1: note: found another here\n");
}

TEST_F(MessageTest, HasNodesOfModels) {
  CollectedMessages collected(context);
  emitWarning(getNode("conv1"), "is odd");
  emitRemark(FusedLoc::get(&context, {getNode("conv1"), getNode("relu1")}), "are one kernel");
  emitError(getNode("conv1"), "node 'conv1' (Conv): expected a weight");
  EXPECT_EQ(print(collected.get()), "m.onnx: warning: node 'conv1': is odd\n"
                                    "m.onnx: remark: nodes 'conv1', 'relu1': are one kernel\n"
                                    "m.onnx: error: node 'conv1' (Conv): expected a weight\n");
  EXPECT_EQ(collected.get()[1].nodes, (std::vector<std::string>{"conv1", "relu1"}));
}

TEST_F(MessageTest, IsJson) {
  CollectedMessages collected(context);
  collected.addError("no \xff text");
  std::string text = llvm::formatv("{0}", toJson(collected.get())).str();
  EXPECT_EQ(text, "[{\"column\":0,\"file\":\"\",\"line\":0,\"nodes\":[],\"notes\":[],"
                  "\"severity\":\"error\",\"text\":\"no \xef\xbf\xbd text\"}]");
}
