//===- PlaceScratch.cpp - Temporaries at fixed places ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferSize.h"
#include "fuse/Codegen/Cpu/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPLACESCRATCH
#include "fuse/Codegen/Cpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct PlaceScratch : fuse::impl::FusePlaceScratchBase<PlaceScratch> {
  void runOnOperation() override {
    int64_t most = 0;
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration() && !function.getName().ends_with("_count"))
        most = std::max(most, place(function));
    getOperation()->setAttr(attr::kScratchBytes,
                            IntegerAttr::get(IntegerType::get(&getContext(), 64), most));
  }

  /// Returns the bytes of the buffers of static size, which come first.
  int64_t place(func::FuncOp function) {
    OpBuilder builder(function.getBody());
    Block *entry = &function.getBody().front();
    auto bytes = MemRefType::get({ShapedType::kDynamic}, builder.getI8Type());
    (void)function.insertArgument(function.getNumArguments(), bytes, {}, function.getLoc());
    SmallVector<memref::AllocOp> allocs, dynamic;
    function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });
    int64_t offset = 0;
    for (memref::AllocOp alloc : allocs) {
      MemRefType type = alloc.getType();
      if (!type.hasStaticShape()) {
        dynamic.push_back(alloc);
        continue;
      }
      builder.setInsertionPointToStart(entry);
      replace(builder, alloc, arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset));
      offset += getAlignedBytes(type);
    }
    Value end;
    for (memref::AllocOp alloc : dynamic) {
      if (!llvm::all_of(alloc.getDynamicSizes(), isKnownBefore)) {
        OpBuilder atEnd(alloc->getBlock()->getTerminator());
        memref::DeallocOp::create(atEnd, alloc.getLoc(), alloc);
        continue;
      }
      builder.setInsertionPoint(entry->findAncestorOpInBlock(*alloc));
      if (!end)
        end = arith::ConstantIndexOp::create(builder, alloc.getLoc(), offset);
      Value next = arith::AddIOp::create(builder, alloc.getLoc(), end,
                                         computeAlignedBytes(builder, alloc));
      replace(builder, alloc, end);
      end = next;
    }
    if (end)
      makeSize(function, end);
    return offset;
  }

  /// Whether a size is computed before the loop over blocks, and from buffers alone.
  static bool isKnownBefore(Value size) {
    if (auto argument = dyn_cast<BlockArgument>(size))
      return isa<MemRefType>(argument.getType());
    Operation *def = size.getDefiningOp();
    return isa<func::FuncOp>(def->getParentOp()) && llvm::all_of(def->getOperands(), isKnownBefore);
  }

  /// Puts a view of the scratch at `offset` in the place of the buffer.
  void replace(OpBuilder &builder, memref::AllocOp alloc, Value offset) {
    MemRefType type = alloc.getType();
    auto plain = MemRefType::get(type.getShape(), type.getElementType());
    Value scratch = alloc->getParentOfType<func::FuncOp>().getArguments().back();
    Value view = memref::ViewOp::create(builder, alloc.getLoc(), plain, scratch, offset,
                                        alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }

  /// `@k_scratch(ins…, outs…) -> index`: a copy of the function that only computes `total`.
  void makeSize(func::FuncOp function, Value total) {
    Operation *ret = function.getBody().front().getTerminator();
    ret->insertOperands(0, total);
    OpBuilder builder(function);
    auto size = cast<func::FuncOp>(builder.clone(*function));
    ret->eraseOperand(0);
    size.setName((function.getName() + "_scratch").str());
    Block &body = size.getBody().front();
    body.getTerminator()->setOperands(body.getTerminator()->getOperand(0));
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
        op.erase();
    for (int i = 0; i < 3; ++i) // the scratch, the range of blocks
      (void)size.eraseArgument(size.getNumArguments() - 1);
    size.setFunctionType(builder.getFunctionType(size.getArgumentTypes(), builder.getIndexType()));
  }
};

} // namespace
