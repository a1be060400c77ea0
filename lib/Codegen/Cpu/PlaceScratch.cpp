//===- PlaceScratch.cpp - Temporaries at fixed places ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Codegen/Cpu/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPLACESCRATCH
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// A cache line, and the widest vector register.
static constexpr int64_t kAlignment = 64;

namespace {

struct PlaceScratch : fuse::impl::FusePlaceScratchBase<PlaceScratch> {
  void runOnOperation() override {
    int64_t most = 0;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && !function.getName().ends_with("_count"))
        most = std::max(most, place(function));
    getOperation()->setAttr(attr::kScratchBytes,
                            IntegerAttr::get(IntegerType::get(&getContext(), 64), most));
  }

  int64_t place(func::FuncOp function) {
    OpBuilder builder(function.getBody());
    Location loc = function.getLoc();
    auto bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    (void)function.insertArgument(function.getNumArguments(), bytes, {}, loc);
    Value scratch = function.getArguments().back();
    int64_t offset = 0;
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    for (memref::AllocOp alloc : allocs) {
      MemRefType type = alloc.getType();
      if (!type.hasStaticShape()) {
        OpBuilder atEnd(alloc->getBlock()->getTerminator());
        memref::DeallocOp::create(atEnd, loc, alloc);
        continue;
      }
      builder.setInsertionPointToStart(&function.getBody().front());
      Value start = arith::ConstantIndexOp::create(builder, loc, offset);
      auto plain = MemRefType::get(type.getShape(), type.getElementType());
      Value view = memref::ViewOp::create(builder, loc, plain, scratch, start, ValueRange{});
      alloc.replaceAllUsesWith(view);
      alloc.erase();
      int64_t size = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      offset += llvm::alignTo(size, kAlignment);
    }
    return offset;
  }
};

} // namespace
