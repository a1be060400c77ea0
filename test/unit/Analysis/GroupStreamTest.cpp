//===- GroupStreamTest.cpp - Which groups could stream their rows -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupStream.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct Program {
  const char *name;
  bool streams;
  const char *body; ///< ends in the value that is returned, %r
};

/// Each is one group; %y, computed in it, holds rows of 5000, %v what they are multiplied with.
const Program kPrograms[] = {
    {"softmax, then a product", true, R"(
  %m = fuse.reduce max %y dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %d = fuse.binary sub %y, %m : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %e = fuse.unary exp %d : tensor<64x5000xf32>
  %s = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %p = fuse.binary div %e, %s : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %r = fuse.matmul %p, %v : (tensor<64x5000xf32>, tensor<5000x32xf32>) -> tensor<64x32xf32>)"},
    {"the division behind the product", true, R"(
  %m = fuse.reduce max %y dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %d = fuse.binary sub %y, %m : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %e = fuse.unary exp %d : tensor<64x5000xf32>
  %s = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %o = fuse.matmul %e, %v : (tensor<64x5000xf32>, tensor<5000x32xf32>) -> tensor<64x32xf32>
  %r = fuse.binary div %o, %s : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>)"},
    {"the result runs along the rows", false, R"(
  %m = fuse.reduce max %y dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %d = fuse.binary sub %y, %m : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %e = fuse.unary exp %d : tensor<64x5000xf32>
  %s = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %r = fuse.binary div %e, %s : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>)"},
    {"the exponential of a product with a running sum", false, R"(
  %s = fuse.reduce sum %y dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %d = fuse.binary sub %y, %s : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %e = fuse.unary exp %d : tensor<64x5000xf32>
  %r = fuse.matmul %e, %v : (tensor<64x5000xf32>, tensor<5000x32xf32>) -> tensor<64x32xf32>)"},
    {"what is shifted enters a product", false, R"(
  %m = fuse.reduce max %y dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %d = fuse.binary sub %y, %m : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %r = fuse.matmul %d, %v : (tensor<64x5000xf32>, tensor<5000x32xf32>) -> tensor<64x32xf32>)"},
    {"the maximum of what is scaled", false, R"(
  %m = fuse.reduce max %y dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %d = fuse.binary sub %y, %m : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %e = fuse.unary exp %d : tensor<64x5000xf32>
  %s = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %p = fuse.binary div %e, %s : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %r = fuse.reduce max %p dimensions = [1] : tensor<64x5000xf32> -> tensor<64xf32>)"},
    {"the square of an exponential", false, R"(
  %m = fuse.reduce max %y dimensions = [1] keep_dims : tensor<64x5000xf32> -> tensor<64x1xf32>
  %d = fuse.binary sub %y, %m : (tensor<64x5000xf32>, tensor<64x1xf32>) -> tensor<64x5000xf32>
  %e = fuse.unary exp %d : tensor<64x5000xf32>
  %q = fuse.binary mul %e, %e : tensor<64x5000xf32>
  %r = fuse.matmul %q, %v : (tensor<64x5000xf32>, tensor<5000x32xf32>) -> tensor<64x32xf32>)"},
};

TEST(GroupStreamTest, Programs) {
  MLIRContext context;
  context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect>();
  for (const Program &program : kPrograms) {
    SCOPED_TRACE(program.name);
    std::string body = program.body, type = body.substr(body.rfind("tensor<"));
    std::string text =
        "func.func @f(%x: tensor<64x5000xf32>, %v: tensor<5000x32xf32>) -> " + type +
        " {\n  %y = fuse.unary neg %x : tensor<64x5000xf32>\n" + body + "\n  return %r : " + type + "\n}\n";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    ASSERT_TRUE(module);
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    FusionGraph graph(function.getBody().front());
    MemberTable table(graph);
    SmallVector<unsigned> nodes;
    for (unsigned node = 0; node < table.size(); ++node)
      if (table[node].isFusable)
        nodes.push_back(node);
    std::optional<GroupStream> stream =
        findGroupStream(table, computeGroupDomain(table, nodes));
    EXPECT_EQ(stream.has_value(), program.streams);
    if (stream)
      EXPECT_EQ(stream->extent, 5000);
  }
}

} // namespace
