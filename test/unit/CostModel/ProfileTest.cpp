//===- ProfileTest.cpp - What a profile keeps under rewrites -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Profile.h"
#include "../Properties.h"
#include "RandomFunction.h"
#include "fuse/Analysis/FusionGraph.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::test;

namespace mlir::fuse {
/// How RapidCheck prints a profile.
std::ostream &operator<<(std::ostream &os, const Profile &profile) {
  return os << "launches " << profile.kernelLaunches << ", syncs " << profile.syncPoints
            << ", readback " << profile.hostOutputBytes << ", traffic "
            << profile.deviceTrafficBytes << ", unknown " << profile.unknownValues
            << (profile.partial ? ", partial" : "");
}
} // namespace mlir::fuse

namespace {

class ProfileTest : public ::testing::Test {
protected:
  ProfileTest() {
    context.disableMultithreading();
    context.loadDialect<FuseDialect, func::FuncDialect, arith::ArithDialect>();
  }

  static Choices anyChoices() { return Choices(*rc::gen::arbitrary<std::vector<uint8_t>>()); }

  OwningOpRef<ModuleOp> anyModule() {
    Choices choices = anyChoices();
    OwningOpRef<ModuleOp> module = makeRandomModule(context, choices);
    RC_ASSERT(succeeded(verify(*module)));
    log(*module);
    return module;
  }

  /// The program, in the message of a case that fails.
  static void log(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    RC_LOG() << text;
  }

  MLIRContext context;
};

SmallVector<Operation *> getDeviceOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    if (classifyNode(&op) == NodeKind::Device)
      ops.push_back(&op);
  return ops;
}

TEST_F(ProfileTest, WrappingOneOpChangesNothing) {
  int64_t wrapped = 0;
  checkThousand([&] {
    OwningOpRef<ModuleOp> module = anyModule();
    func::FuncOp function = getFunction(*module);
    Profile formed = computeProfile(function);
    Profile written = computeProfile(function, ProfileView::AsWritten);
    RC_ASSERT(formed == written);
    Choices choose = anyChoices();
    for (Operation *op : getDeviceOps(function)) {
      if (choose(4) == 3)
        continue;
      wrapInKernel(op, choose);
      ++wrapped;
      RC_ASSERT(computeProfile(function) == formed);
      RC_ASSERT(computeProfile(function, ProfileView::AsWritten) == written);
    }
    log(*module);
    RC_ASSERT(succeeded(verify(*module)));
  });
  EXPECT_GT(wrapped, 3000);
}

/// Also for kernels of many members: launches, waits and traffic are what they add up to.
TEST_F(ProfileTest, FunctionIsTheSumOfItsLaunches) {
  int64_t merged = 0;
  checkThousand([&] {
    OwningOpRef<ModuleOp> module = anyModule();
    // Dead ops go before planning, so many planned programs are left without a merge.
    if (*rc::gen::inRange(0, 4) != 0) {
      PassManager passes(&context);
      passes.addPass(createFuseDecompose());
      passes.addPass(createFusePlan());
      passes.addPass(createFuseFormKernels());
      RC_ASSERT(succeeded(passes.run(*module)));
      log(*module);
    }
    func::FuncOp function = getFunction(*module);
    Profile sum;
    for (Operation &op : function.getBody().front()) {
      NodeKind kind = classifyNode(&op);
      if (kind != NodeKind::Device && kind != NodeKind::Host && kind != NodeKind::Kernel)
        continue;
      sum.kernelLaunches += 1;
      sum.syncPoints += kind == NodeKind::Host;
      sum.deviceTrafficBytes += computeTrafficBytes(&op);
      if (auto kernel = dyn_cast<KernelOp>(op))
        merged += kernel.getBlock()->getOperations().size() > 2;
    }
    Profile profile = computeProfile(function);
    RC_ASSERT(profile.kernelLaunches == sum.kernelLaunches);
    RC_ASSERT(profile.syncPoints == sum.syncPoints);
    RC_ASSERT(profile.deviceTrafficBytes == sum.deviceTrafficBytes);
  });
  EXPECT_GT(merged, 500);
}

TEST_F(ProfileTest, ReorderingIndependentOpsChangesNothing) {
  int64_t moved = 0;
  checkThousand([&] {
    OwningOpRef<ModuleOp> module = anyModule();
    func::FuncOp function = getFunction(*module);
    Choices choose = anyChoices();
    if (choose(2))
      for (Operation *op : getDeviceOps(function))
        wrapInKernel(op, choose);
    Profile formed = computeProfile(function);
    Profile written = computeProfile(function, ProfileView::AsWritten);
    SmallVector<Operation *> before, after;
    for (Operation &op : function.getBody().front())
      before.push_back(&op);
    reorder(function, choose);
    for (Operation &op : function.getBody().front())
      after.push_back(&op);
    moved += before != after;
    log(*module);
    RC_ASSERT(succeeded(verify(*module)));
    RC_ASSERT(computeProfile(function) == formed);
    RC_ASSERT(computeProfile(function, ProfileView::AsWritten) == written);
  });
  EXPECT_GT(moved, 500);
}

/// Leaves the return the operands in `kept`, the function's type as it is.
void keepResults(func::FuncOp function, ArrayRef<int64_t> kept) {
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<Value> values;
  for (int64_t i : kept)
    values.push_back(end->getOperand(i));
  end->setOperands(values);
}

/// Outputs that are not named count like values that are not returned.
TEST_F(ProfileTest, ChosenOutputs) {
  int64_t fewer = 0;
  checkThousand([&] {
    OwningOpRef<ModuleOp> module = anyModule();
    func::FuncOp function = getFunction(*module);
    Profile all = computeProfile(function);
    SmallVector<int64_t> named;
    int64_t count = function.getNumResults();
    for (int64_t i = 0; i < count; ++i)
      if (*rc::gen::arbitrary<bool>())
        named.push_back(i);
    Profile some = computeProfile(function, ProfileView::AsFormed, ArrayRef<int64_t>(named));
    fewer += some.hostOutputBytes < all.hostOutputBytes;
    if (static_cast<int64_t>(named.size()) == count)
      RC_ASSERT(some == all);
    keepResults(function, named);
    RC_ASSERT(some == computeProfile(function));
  });
  EXPECT_GT(fewer, 300);
}

} // namespace
