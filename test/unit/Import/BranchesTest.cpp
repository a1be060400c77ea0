//===- BranchesTest.cpp - Ifs, decided while importing or by the program --------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ImportFixture.h"
#include "fuse/IR/ShapeConditions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace fuse_test;

namespace {

std::string branchOf(const std::string &name, const std::string &graph) {
  return "attribute { name: '" + name + "_branch' type: GRAPH g { name: 'g' " + graph + " } }";
}

std::string unaryOf(const std::string &op, const std::string &x, const std::string &y) {
  return "node { op_type: '" + op + "' input: '" + x + "' output: '" + y + "' }";
}

/// `y = c ? -x : |x|`.
std::string choose(const std::string &condition) {
  return "node { name: 'choice' op_type: 'If' input: '" + condition + "' output: 'y' " +
         branchOf("then", unaryOf("Neg", "x", "n") + "output { name: 'n' }") +
         branchOf("else", unaryOf("Abs", "x", "a") + "output { name: 'a' }") +
         "} output { name: 'y' }";
}

const std::string kX = inputOf("x", "dim { dim_value: 2 }");

class Branches : public Import {
protected:
  std::vector<double> runX() { return run(HostArray::fromFloats(ElementType::F32, {2}, {-8, 3})); }
};

TEST_F(Branches, FollowConstants) {
  for (int64_t value : {0, 1}) {
    ASSERT_TRUE(load(kX + "initializer { name: 'c' data_type: 9 int32_data: " +
                     std::to_string(value) + " }" + choose("c")))
        << messages;
    EXPECT_EQ(runX(), value ? std::vector<double>({8, -3}) : std::vector<double>({8, 3}));
    ASSERT_EQ(model.nodes.size(), 2u);
    EXPECT_EQ(model.nodes[1].op, "If");
    EXPECT_TRUE(model.nodes[1].isFolded);
  }
}

TEST_F(Branches, FollowShapes) {
  std::string graph = "initializer { name: 'two' data_type: 7 dims: 1 int64_data: 2 }" +
                      unaryOf("Shape", "x", "s") +
                      "node { op_type: 'Equal' input: 's' input: 'two' output: 'c' }" + choose("c");
  ASSERT_TRUE(load(kX + graph)) << messages;
  EXPECT_EQ(runX(), (std::vector<double>{8, -3}));
  OnnxImportOptions options;
  options.dims["n"] = 2;
  std::string open = inputOf("x", "dim { dim_param: 'n' }") + graph;
  ASSERT_TRUE(load(open, "", options)) << messages;
  EXPECT_EQ(count<mlir::scf::IfOp>(), 0);
  ASSERT_TRUE(load(open)) << messages;
  EXPECT_EQ(count<mlir::scf::IfOp>(), 1);
}

const std::string kRate = inputOf("rate", "", 7) +
                          "initializer { name: 'k' data_type: 7 int64_data: 16000 }"
                          "node { op_type: 'Equal' input: 'rate' input: 'k' output: 'c' }" +
                          choose("c");

TEST_F(Branches, FollowScalarsThatAreGiven) {
  for (int64_t rate : {8000, 16000}) {
    for (bool binds : {false, true}) {
      OnnxImportOptions options;
      (binds ? options.bound : options.values)
          .push_back({"rate", HostArray::fromInts(ElementType::I64, {}, {rate})});
      ASSERT_TRUE(load(kX + kRate, "", options)) << messages;
      EXPECT_EQ(function.getNumArguments(), binds ? 1u : 2u);
      EXPECT_EQ(count<UnaryOp>(), 1);
      function.walk([&](UnaryOp op) {
        EXPECT_EQ(op.getKind(), rate == 16000 ? UnaryKind::Neg : UnaryKind::Abs);
      });
    }
  }
  ASSERT_TRUE(load(kX + kRate)) << messages;
  EXPECT_EQ(count<UnaryOp>(), 2);
}

TEST_F(Branches, OfDataAreBothThere) {
  // One image of many must not decide about the program.
  OnnxImportOptions options;
  options.values.push_back({"x", HostArray::fromFloats(ElementType::F32, {2}, {-8, 3})});
  ASSERT_TRUE(load(kX +
                        "initializer { name: 'z' data_type: 1 float_data: 0 }"
                        "node { op_type: 'ReduceMax' input: 'x' output: 'm' attribute { name: "
                        "'keepdims' type: INT i: 0 } }"
                        "node { op_type: 'Less' input: 'z' input: 'm' output: 'c' }" +
                        choose("c"),
                    "", options))
      << messages;
  EXPECT_EQ(count<mlir::scf::IfOp>(), 1);
  EXPECT_EQ(runX(), (std::vector<double>{8, -3}));
}

// Ranks differ: the extent is taken to be the one that the condition asks for.
TEST_F(Branches, OfOtherRanksAreTakenByExtent) {
  std::string graph = "initializer { name: 'one' data_type: 7 dims: 1 int64_data: 1 }"
                      "initializer { name: 'zero' data_type: 7 dims: 1 int64_data: 0 }" + unaryOf("Shape", "x", "s") +
                      "node { op_type: 'Gather' input: 's' input: 'zero' output: 'd' }"
                      "node { op_type: 'Equal' input: 'd' input: 'one' output: 'c' }"
                      "node { name: 'choice' op_type: 'If' input: 'c' output: 'y' " +
                      branchOf("then", "node { op_type: 'Squeeze' input: 'x' input: 'zero' output: 'n' } output { name: 'n' }") +
                      branchOf("else", unaryOf("Identity", "x", "a") + "output { name: 'a' }") + "}" +
                      "output { name: 'y' }";
  ASSERT_TRUE(load(inputOf("x", "dim { dim_param: 'n' } dim { dim_value: 2 }") + graph)) << messages;
  EXPECT_EQ(count<mlir::scf::IfOp>(), 0);
  EXPECT_EQ(llvm::cast<ShapedType>(function.getResultTypes().front()).getShape(), ArrayRef<int64_t>({2}));
  EXPECT_TRUE(function->hasAttr(kShapeConditions)); // a call with another extent is an error
}

TEST_F(Branches, NestAndSeeWhatIsAround) {
  // The inner branch reads a value of the outer one, and one of the graph.
  std::string inner = "initializer { name: 't' data_type: 9 int32_data: 1 }" +
                      unaryOf("Neg", "x", "m") + "node { op_type: 'If' input: 't' output: 'r' " +
                      branchOf("then", "node { op_type: 'Add' input: 'm' input: 'x2' output: 'q' }"
                                       "output { name: 'q' }") +
                      branchOf("else", "output { name: 'nothing' }") +
                      "} output { name: 'r' } output { name: 'x2' }";
  ASSERT_TRUE(
      load(kX +
           "initializer { name: 'c' data_type: 9 dims: 1 int32_data: 0 }"
           "node { op_type: 'Add' input: 'x' input: 'x' output: 'x2' }"
           "node { op_type: 'If' input: 'c' output: 'y' " +
           branchOf("then", unaryOf("StringNormalizer", "x", "n") + "output { name: 'n' }") +
           branchOf("else", inner) + "} output { name: 'y' }"))
      << messages;
  EXPECT_EQ(runX(), (std::vector<double>{-8, 3}));
}

TEST_F(Branches, AreInFunctionsToo) {
  std::string functions =
      "opset_import { domain: 'l' version: 1 } functions { domain: 'l' name: 'F' input: 'x' "
      "input: 'c' output: 'y' attribute: 'slope' opset_import { domain: '' version: 17 } "
      "node { op_type: 'If' input: 'c' output: 'y' " +
      branchOf("then", "node { op_type: 'LeakyRelu' input: 'x' output: 'l' attribute { name: "
                       "'alpha' ref_attr_name: 'slope' type: FLOAT } } output { name: 'l' }") +
      branchOf("else", unaryOf("Neg", "x", "n") + "output { name: 'n' }") + "} }";
  ASSERT_TRUE(load(kX + "initializer { name: 't' data_type: 9 int32_data: 1 }"
                        "initializer { name: 'f' data_type: 9 int32_data: 0 }"
                        "node { op_type: 'F' domain: 'l' input: 'x' input: 't' output: 'h' "
                        "attribute { name: 'slope' type: FLOAT f: 0.5 } }"
                        "node { op_type: 'F' domain: 'l' input: 'h' input: 'f' output: 'y' }"
                        "output { name: 'y' }",
                   functions))
      << messages;
  EXPECT_EQ(runX(), (std::vector<double>{4, -3}));
}

TEST_F(Branches, AreRefusedWhereTheyAreWrong) {
  std::string constant = "initializer { name: 'c' data_type: 9 int32_data: 1 }";
  auto refuse = [&](const std::string &text, StringRef message) {
    messages.clear();
    EXPECT_FALSE(load(kX + text));
    EXPECT_TRUE(says(message)) << messages;
  };
  auto make = [&](const std::string &inputs, const std::string &branches) {
    return constant + "node { name: 'i' op_type: 'If' " + inputs + " output: 'y' " + branches +
           " } output { name: 'y' }";
  };
  refuse(make("input: 'x'", ""), "node 'i' (If): expected a condition of booleans");
  refuse(make("", ""), "node 'i' (If): expected 1 operand, found 0");
  refuse(make("input: 'q'", ""), "its operand 'q' is no input");
  refuse(make("input: 'c'", branchOf("else", "")), "'then_branch' to be a graph, found none");
  refuse(make("input: 'c'", branchOf("then", "")), "expected 1 outputs of the branch, found 0");
  refuse(make("input: 'c'", branchOf("then", "output { name: 'q' }")),
         "the branch computes no 'q'");
  refuse(make("input: 'c'", branchOf("then", "input { name: 'q' } output { name: 'q' }")),
         "expected a branch without inputs, found 1");
  refuse(
      make("input: 'c'", branchOf("then", unaryOf("NonZero", "x", "q") + "output { name: 'q' }")),
      "NonZero");
}

} // namespace
