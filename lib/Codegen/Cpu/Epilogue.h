//===- Epilogue.h - What sums go through before they are stored -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_CPU_EPILOGUE_H
#define FUSE_LIB_CODEGEN_CPU_EPILOGUE_H

#include "VectorBody.h"

namespace mlir::fuse {

/// The member that sums go through before they are stored.
class Epilogue : VectorBody {
public:
  Epilogue(RewriterBase &b, const ContractionPlan &plan, Value sums)
      : VectorBody(b, plan.epilogue, plan.loop, plan.hasFma), sums(sums) {}

  /// Stores what becomes of a vector of sums; the loops stand at `positions`.
  void emit(Value vector, ArrayRef<Value> positions, int64_t lanes, Value mask) {
    current = vector;
    llvm::copy(positions.take_front(ivs.size()), ivs.begin());
    SmallVector<Value> before(op.getNumDpsInits());
    if (op.getNumReductionLoops() > 0)
      before.front() = load(*op.getDpsInitOperand(0), lanes, mask);
    SmallVector<Value> results = body(before, lanes, mask);
    for (auto [result, init] : llvm::zip_equal(results, op.getDpsInitsMutable()))
      store(result, init, mask);
  }

private:
  Value read(OpOperand &operand, int64_t lanes, Value mask) override {
    return operand.get() == sums ? current : load(operand, lanes, mask);
  }

  Value sums, current;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_CPU_EPILOGUE_H
