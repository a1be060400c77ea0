//===- DistributeTest.cpp - Partitioned programs equal what they were made of -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "fuse/Distribute/Cut.h"
#include "fuse/Distribute/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Interpreter/Ranks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Distribute : public ::testing::Test {
protected:
  Distribute() {
    context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect, tensor::TensorDialect,
                        shard::ShardDialect>();
  }

  enum Outcome { Equal, Refused, Wrong };

  /// `plan`: which of the plans for a request, from the best one on.
  Outcome check(unsigned seed, bool mayNotDivide, StringRef shard, unsigned plan = 0) {
    return check(fuse::test::makeRandomProgram(&context, seed, mayNotDivide), seed, shard, plan);
  }

  /// Of a program with a function @f.
  Outcome check(OwningOpRef<ModuleOp> whole, unsigned seed, StringRef shard, unsigned plan) {
    EXPECT_TRUE(succeeded(verify(*whole))) << seed;
    OwningOpRef<ModuleOp> ranks = whole->clone();
    // Of a request the program says nothing.
    auto dropAnnotations = [](ModuleOp module) {
      module.walk([](shard::ShardOp op) {
        op.getResult().replaceAllUsesWith(op.getSrc());
        op.erase();
      });
      module.walk([](shard::ShardingOp op) { op.erase(); });
    };
    if (!shard.empty())
      dropAnnotations(*ranks);
    dropAnnotations(*whole);
    PassManager pm(&context);
    FuseDistributeOptions options;
    options.shard = shard.str();
    options.plan = plan;
    pm.addPass(createFuseDistribute(options));
    pm.addNestedPass<func::FuncOp>(createFuseFoldCollectives());
    std::string errors;
    {
      ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
        errors += diagnostic.str();
        return success();
      });
      if (failed(pm.run(*ranks)))
        return errors.empty() ? Wrong : Refused;
    }
    auto function = whole->lookupSymbol<func::FuncOp>("f");
    auto local = ranks->lookupSymbol<func::FuncOp>("f");
    if (!local.getArgAttr(0, attr::kSharding))
      return Equal; // no annotation
    SmallVector<HostArray> arguments = fuse::test::makeRandomArguments(function, seed);
    FailureOr<SmallVector<HostArray>> want = interpret(function, arguments);
    FailureOr<SmallVector<HostArray>> got = interpretRanks(local, arguments);
    if (failed(want))
      return Refused; // an index that is none
    if (failed(got))
      return Wrong;
    for (auto [one, other] : llvm::zip_equal(*got, *want)) {
      double largest = 1e-30, difference = 0;
      for (int64_t i = 0, e = one.getNumElements(); i < e; ++i) {
        double a = one.getFloat(i), b = other.getFloat(i);
        if (std::isfinite(b))
          largest = std::max(largest, std::abs(b));
        if (!(a == b) && !(std::isnan(a) && std::isnan(b)))
          difference = std::max(difference, std::isfinite(a - b) ? std::abs(a - b) : 1e30);
      }
      // Sums in another order; what follows from them may be further apart by as much.
      if (difference > 1e-4 * largest) {
        ADD_FAILURE() << "seed " << seed << " differs by " << difference << " of " << largest;
        whole->dump();
        ranks->dump();
        return Wrong;
      }
    }
    return Equal;
  }

  void checkMany(unsigned count, bool mayNotDivide, ArrayRef<StringRef> requests) {
    unsigned equal = 0, refused = 0;
    for (unsigned seed = 0; seed < count; ++seed) {
      Outcome outcome = check(seed, mayNotDivide, requests[seed % requests.size()]);
      ASSERT_NE(outcome, Wrong) << "seed " << seed;
      (outcome == Equal ? equal : refused) += 1;
    }
    RecordProperty("equal", equal);
    RecordProperty("refused", refused);
    EXPECT_GT(equal, count / 10);
  }

  MLIRContext context;
};

TEST_F(Distribute, AnnotatedProgramsEqualOneProcess) { checkMany(1000, false, {""}); }

TEST_F(Distribute, AnnotationsThatDoNotDivideAreRefused) { checkMany(300, true, {""}); }

TEST_F(Distribute, RequestsEqualOneProcess) {
  checkMany(400, false, {"auto=2", "data=2", "tensor=2", "tensor=2,data=2", "auto=4"});
}

/// What is not the cheapest here is the cheapest elsewhere.
TEST_F(Distribute, OtherPlansEqualOneProcess) {
  unsigned equal = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    Outcome outcome = check(seed, false, seed % 3 ? "auto=4" : "auto=8", 1 + 7 * seed % 50);
    ASSERT_NE(outcome, Wrong) << "seed " << seed;
    equal += outcome == Equal;
  }
  EXPECT_GT(equal, 60u);
}

/// Every plan for two products: among them that one axis of the grid adds up and scatters the dimension of which the other axis
/// has a part already, the inner or the outer one.
TEST_F(Distribute, AllPlansOfTwoProducts) {
  constexpr StringLiteral source = R"(
    func.func @f(%x: tensor<4x16xf32>, %v: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<4x16xf32> {
      %0 = fuse.matmul %x, %v : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      %1 = fuse.unary tanh %0 : tensor<4x16xf32>
      %2 = fuse.matmul %1, %w : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
      return %2 : tensor<4x16xf32>
    })";
  unsigned plan = 0;
  for (Outcome outcome = Equal; outcome == Equal; ++plan) {
    outcome = check(parseSourceString<ModuleOp>(source, &context), plan, "auto=4", plan);
    ASSERT_NE(outcome, Wrong) << "plan " << plan;
  }
  EXPECT_GT(plan, 20u);
}

/// The cut that moves lead to, by their meaning.
void applyMoves(Cut &cut, ArrayRef<Move> moves) {
  for (const Move &move : moves)
    for (int64_t axis : move.axes)
      cut.set(axis, move.kind == Move::Gather ? -1 : move.kind == Move::Slice ? move.dim : move.to);
}

TEST_F(Distribute, MovesLeadToTheWantedCut) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Cut from, to;
    for (unsigned axis = 0; axis < 3; ++axis) {
      from.set(axis, static_cast<int64_t>(random() % 4) - 1);
      to.set(axis, static_cast<int64_t>(random() % 4) - 1);
    }
    SmallVector<Move> moves = planMoves(3, from, to);
    Cut reached = from;
    applyMoves(reached, moves);
    EXPECT_TRUE(reached == to);
    if (from == to) {
      EXPECT_TRUE(moves.empty());
    }
  }
}

} // namespace
