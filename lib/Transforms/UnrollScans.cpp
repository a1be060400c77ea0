//===- UnrollScans.cpp - Scans into their steps, for GPUs -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/TypeOf.h"
#include "fuse/Transforms/Passes.h"
#include "fuse/Transforms/Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEUNROLLSCANS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// More steps than anybody waits for to be compiled.
static constexpr int64_t kMostSteps = 4096;

namespace {

class Unroller {
public:
  explicit Unroller(ScanOp scan) : scan(scan), builder(scan), loc(scan.getLoc()) {}

  void run() {
    int64_t steps = scan.getNumSteps();
    unsigned numStates = scan.getNumStates();
    SmallVector<Value> states(scan.getStates());
    SmallVector<SmallVector<Value>> outputs(scan.getNumResults() - numStates,
                                            SmallVector<Value>(steps));
    for (int64_t step = 0; step < steps; ++step) {
      int64_t index = scan.getReverse() ? steps - 1 - step : step;
      SmallVector<Value> arguments(states);
      for (Value sequence : scan.getSequences())
        arguments.push_back(takeElement(sequence, index));
      llvm::append_range(arguments, scan.getInvariants());
      IRMapping mapping;
      mapping.map(scan.getBody().getArguments(), arguments);
      for (Operation &op : scan.getBlock()->without_terminator())
        builder.clone(op, mapping);
      for (auto [i, value] : llvm::enumerate(scan.getYield().getResults())) {
        Value now = mapping.lookup(value);
        if (i < numStates)
          states[i] = now;
        else
          outputs[i - numStates][index] = addLeadingDim(now);
      }
    }
    for (auto [result, parts] : llvm::zip_equal(scan.getResults().drop_front(numStates), outputs))
      states.push_back(join(parts, cast<RankedTensorType>(result.getType())));
    scan.replaceAllUsesWith(states);
    scan.erase();
  }

private:
  Value takeElement(Value sequence, int64_t index) {
    RankedTensorType type = typeOf(sequence);
    SmallVector<int64_t> offsets(type.getRank(), 0), sizes(type.getShape()),
        strides(type.getRank(), 1);
    offsets[0] = index;
    sizes[0] = 1;
    auto part = type.clone(sizes);
    std::replace(sizes.begin(), sizes.end(), ShapedType::kDynamic, int64_t(-1)); // all of an open dimension
    Value slice = SliceOp::create(builder, loc, part, sequence, offsets, sizes, strides);
    return ReshapeOp::create(builder, loc, type.clone(type.getShape().drop_front()), slice);
  }

  Value addLeadingDim(Value element) {
    SmallVector<int64_t> shape{1};
    llvm::append_range(shape, typeOf(element).getShape());
    return ReshapeOp::create(builder, loc, typeOf(element).clone(shape), element);
  }

  /// What all steps give; of no steps, no elements.
  Value join(ArrayRef<Value> parts, RankedTensorType type) {
    if (parts.size() == 1)
      return parts.front();
    if (parts.empty())
      return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    return ConcatOp::create(builder, loc, type, parts, 0);
  }

  ScanOp scan;
  OpBuilder builder;
  Location loc;
};

struct UnrollScans : fuse::impl::FuseUnrollScansBase<UnrollScans> {
  using FuseUnrollScansBase::FuseUnrollScansBase;

  void runOnOperation() override {
    if (!always && TargetAttr::lookup(getOperation()).getKind() != TargetKind::Gpu)
      return;
    SmallVector<ScanOp> scans;
    getOperation()->walk([&](ScanOp scan) { scans.push_back(scan); });
    for (ScanOp scan : scans) {
      int64_t steps = scan.getNumSteps();
      if (ShapedType::isDynamic(steps) || steps > kMostSteps) {
        scan.emitOpError() << "cannot be unrolled for a GPU: expected between 0 and " << kMostSteps
                           << " steps, found "
                           << (ShapedType::isDynamic(steps) ? std::string("an unknown number")
                                                            : std::to_string(steps));
        return signalPassFailure();
      }
      Unroller(scan).run();
    }
  }
};

} // namespace
