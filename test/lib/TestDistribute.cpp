//===- TestDistribute.cpp - Runs all ranks of a partitioned program -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Partitions a copy of each function, evaluates all ranks in this process, and compares with the
// function as it is, on numbers made up from a seed. Prints the collectives of the copy and the
// largest error, relative to the results' size.
//
//===----------------------------------------------------------------------------------------===//

#include "TestPasses.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/Distribute/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Interpreter/Ranks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <map>
#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct TestDistribute : PassWrapper<TestDistribute, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDistribute)

  TestDistribute() = default;
  TestDistribute(const TestDistribute &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-fuse-distribute"; }
  StringRef getDescription() const override {
    return "Compare all ranks of a partitioned program with the program as it is";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, FuseDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    PassManager pm(&getContext());
    FuseDistributeOptions options;
    options.shard = shard;
    pm.addPass(createFuseDistribute(options));
    pm.addNestedPass<func::FuncOp>(createFuseFoldCollectives());
    if (failed(pm.run(*copy)))
      return signalPassFailure();
    getOperation().walk([](shard::ShardOp op) {
      op.getResult().replaceAllUsesWith(op.getSrc());
      op.erase();
    });
    getOperation().walk([](shard::ShardingOp op) { op.erase(); });
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          failed(compare(function, copy->lookupSymbol<func::FuncOp>(function.getName()))))
        return signalPassFailure();
  }

private:
  HostArray makeArray(RankedTensorType type, std::mt19937 &random) {
    HostArray array(*toElementType(type.getElementType()), type.getShape());
    bool isFloat = isFloatElement(array.getElementType());
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      if (isFloat)
        array.setFloat(i, static_cast<double>(random() % 2001) / 1000 - 1);
      else
        array.setInt(i, random() % 2);
    return array;
  }

  LogicalResult compare(func::FuncOp function, func::FuncOp local) {
    std::mt19937 random(7);
    SmallVector<HostArray> args;
    for (Type type : function.getArgumentTypes())
      args.push_back(makeArray(cast<RankedTensorType>(type), random));
    if (function.getNumArguments() == 0 || !local.getArgAttr(0, attr::kSharding))
      return success();
    FailureOr<SmallVector<HostArray>> want = interpret(function, args);
    FailureOr<SmallVector<HostArray>> got = interpretRanks(local, args);
    if (failed(want) || failed(got))
      return failure();
    std::map<std::string, int> collectives;
    local.walk([&](Operation *op) {
      if (getProcessGroup(op))
        ++collectives[op->getName().stripDialect().str()];
    });
    llvm::outs() << function.getName() << ":";
    for (auto [name, count] : collectives)
      llvm::outs() << " " << count << " " << name;
    double error = 0;
    for (auto [one, other] : llvm::zip_equal(*got, *want)) {
      double largest = 1e-30, difference = 0;
      for (int64_t i = 0, e = one.getNumElements(); i < e; ++i) {
        double a = one.getFloat(i), b = other.getFloat(i);
        if (std::isfinite(b))
          largest = std::max(largest, std::abs(b));
        if (!(a == b) && !(std::isnan(a) && std::isnan(b)))
          difference = std::max(difference, std::isfinite(a - b) ? std::abs(a - b) : 1e30);
      }
      error = std::max(error, difference / largest);
    }
    constexpr double kTolerance = 1e-5;
    if (error <= kTolerance) {
      llvm::outs() << " equal within 1e-5\n";
      return success();
    }
    llvm::outs() << " differs by " << error << "\n";
    return function.emitError() << "ranks and the whole program differ by " << error;
  }

  Option<std::string> shard{*this, "shard", llvm::cl::desc("as of fuse-distribute")};
};

} // namespace

void mlir::fuse::registerTestDistributePass() { PassRegistration<TestDistribute>(); }
