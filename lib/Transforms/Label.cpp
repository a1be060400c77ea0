//===- Label.cpp - The pass fuse-label -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/Labels.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSELABEL
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct Label : fuse::impl::FuseLabelBase<Label> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      remark::analysis(kernel.getLoc(), remark::RemarkOpts::name("label").category("fuse-label"))
          << remark::add("{0}", getLabel(kernel));
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
