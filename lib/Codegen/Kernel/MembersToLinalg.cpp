//===- MembersToLinalg.cpp - The members of a kernel over the factors of their loops ------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/OutlinedKernel.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/Decompose.h"
#include "fuse/IR/ResultDims.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEMEMBERSTOLINALG
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct MembersToLinalg : fuse::impl::FuseMembersToLinalgBase<MembersToLinalg> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    ResultFactors factors;
    if (!function.isExternal()) {
      decomposeAll(function);
      if (failed(OutlinedKernel::verify(function)))
        return signalPassFailure();
      OutlinedKernel kernel(function);
      factors = kernel.getResultFactors();
      if (auto dims = kernel.getScatter() ? std::nullopt : kernel.getResultDims()) {
        Builder builder(function);
        function->setAttr(attr::kResultDims,
                          builder.getArrayAttr(llvm::map_to_vector(*dims, [&](ArrayRef<int64_t> list) {
                            return Attribute(builder.getDenseI64ArrayAttr(list));
                          })));
      }
    }
    if (failed(convertFuseToLinalg(function, factors)))
      signalPassFailure();
  }
};
} // namespace
