//===- CheckProgram.cpp - What cannot be compiled is refused, with the reason ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupLegality.h"
#include "fuse/Codegen/Program/Passes.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Preparation.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSECHECKPROGRAM
#include "fuse/Codegen/Program/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Whether the elements, where each unknown extent is 1, fill less than 2^63 bytes; also without
/// the extents that are zero, since strides are products of the others.
static bool isAddressable(ShapedType type) {
  int64_t bytes = 8; // the widest element type
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent) && extent > 0 &&
        llvm::MulOverflow(bytes, extent, bytes))
      return false;
  return true;
}

static bool hasOwnStorage(Type type) {
  auto shaped = dyn_cast<TensorType>(type);
  auto element = shaped ? dyn_cast<IntegerType>(shaped.getElementType()) : IntegerType();
  return element && (element.getWidth() == 1 || !element.isSignless());
}

static LogicalResult checkType(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return success();
  if (!shaped.hasRank())
    return op->emitError() << "expected ranked types only, found " << type;
  if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding())
    return op->emitError() << "expected tensors without encoding, found " << type;
  if (!isAddressable(shaped))
    return op->emitError() << "expected a value of less than 2^63 bytes, found " << type;
  return success();
}

static LogicalResult checkCarried(Operation *op, TypeRange types) {
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape())
      return op->emitError() << "expected branches and loops to give tensors of static shape, found "
                             << type;
  return success();
}

/// For kernels that were written by hand, or edited; of planned ones it was asked before.
static LogicalResult checkKernel(KernelOp kernel) {
  bool hasStore = false;
  kernel.walk([&](StoreOp) { hasStore = true; });
  if (!hasStore)
    return success();
  FusionGraph graph(kernel.getBody().front());
  MemberTable table(graph);
  SmallVector<unsigned> nodes;
  for (unsigned node = 0; node < table.size(); ++node)
    if (table[node].isFusable)
      nodes.push_back(node);
  Legality legality = checkInPlace(table, nodes);
  if (legality)
    return success();
  return kernel.emitOpError() << "cannot store to a buffer ("
                              << stringifyBarrier(legality.barrier) << "): " << legality.reason
                              << "; expected " << legality.needs;
}

static LogicalResult checkOp(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op); kernel && failed(checkKernel(kernel)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkType(op, type)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(checkType(op, type)))
          return failure();
  if (auto call = dyn_cast<func::CallOp>(op))
    return op->emitError() << "expected calls that can be inlined, found a call of @"
                           << call.getCallee() << ", which has no body or calls itself";
  if (isa_and_nonnull<FuseDialect>(op->getDialect()) || isa<func::FuncOp, func::ReturnOp>(op))
    return success();
  if (isa<scf::IfOp>(op)) // of unknown shape where that follows from arguments
    return success();
  if (isa<scf::ForOp>(op))
    return checkCarried(op, op->getResultTypes());
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (loop.getInits().getTypes() != loop.getResultTypes())
      return op->emitError() << "expected a loop whose condition passes on what it is given";
    return checkCarried(op, op->getResultTypes());
  }
  if (isa<scf::YieldOp, scf::ConditionOp, cf::AssertOp>(op))
    return success();
  if (!isa_and_nonnull<affine::AffineDialect, arith::ArithDialect, bufferization::BufferizationDialect,
           index::IndexDialect, linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
           tensor::TensorDialect>(op->getDialect()))
    return op->emitError() << "'" << op->getName()
                           << "' cannot be compiled: expected ops of fuse, arith, linalg, math, "
                              "memref, scf or tensor";
  if (isa<arith::ConstantOp, tensor::DimOp, tensor::ExtractOp, tensor::EmptyOp>(op))
    return success();
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getOperandTypes()),
                                            SmallVector<Type>(op->getResultTypes())))
    if (hasOwnStorage(type))
      return op->emitError() << "'" << op->getName() << "' cannot be compiled on " << type
                             << ": only ops of fuse take masks and unsigned integers";
  return success();
}

namespace {
struct CheckProgram : fuse::impl::FuseCheckProgramBase<CheckProgram> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function && !isa<memref::GlobalOp>(op)) {
        op.emitError() << "expected only functions in the program, found '" << op.getName() << "'";
        return signalPassFailure();
      }
      if (function && function.isPublic() && !function.isDeclaration() && failed(check(function)))
        return signalPassFailure();
    }
  }

  LogicalResult check(func::FuncOp function) {
    if (failed(getPreparation(function)))
      return failure();
    if (!function.getBody().hasOneBlock())
      return function.emitError() << "expected a function of one block, found "
                                  << function.getBody().getBlocks().size()
                                  << "; control flow is written with scf";
    WalkResult result = function.walk([](Operation *op) {
      return failed(checkOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};
} // namespace
