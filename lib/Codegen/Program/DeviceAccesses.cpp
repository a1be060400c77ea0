//===- DeviceAccesses.cpp - What the host does with a device's memory ------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Abi/BufferABI.h"
#include "RuntimeCalls.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the elements lie on the device, once constants that are read in place are told apart.
static bool isOnDevice(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || type.getElementType().isIndex())
    return false;
  return !isa_and_nonnull<memref::GetGlobalOp, memref::AllocaOp>(buffer.getDefiningOp());
}

bool mlir::fuse::isDeviceAccess(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](memref::LoadOp load) { return isOnDevice(load.getMemRef()); })
      .Case([](memref::StoreOp store) { return isOnDevice(store.getMemRef()); })
      .Case([](linalg::FillOp) { return true; })
      .Case([](memref::GetGlobalOp global) {
        return !global.getType().getElementType().isIndex() &&
               !llvm::all_of(global->getUsers(), llvm::IsaPred<memref::LoadOp>);
      })
      .Default(false);
}

LogicalResult mlir::fuse::checkHostAccesses(func::FuncOp function) {
  WalkResult result = function.walk([&](Operation *op) {
    if (isDeviceAccess(op) || isa<LaunchOp, LaunchHostOp, memref::CopyOp>(op))
      return WalkResult::advance();
    auto fail = [&](StringRef does) {
      op->emitError() << "'" << op->getName() << "' runs on the host and would " << does;
      return WalkResult::interrupt();
    };
    bool touches = llvm::any_of(op->getOperands(), isOnDevice);
    if (isa<CallOpInterface>(op))
      return touches ? fail("read what lies on the device") : WalkResult::advance();
    if (auto alloc = dyn_cast<memref::AllocOp>(op); alloc && isOnDevice(alloc))
      return fail("allocate memory of the device within a branch or loop");
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!touches || !interface)
      return WalkResult::advance();
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (effect.getValue() && !isOnDevice(effect.getValue()))
        continue;
      if (isa<MemoryEffects::Write>(effect.getEffect()))
        return fail("write to what lies on the device");
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        return fail("read what lies on the device");
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

Value RuntimeCalls::getElementAddress(OpBuilder &builder, Location loc, Value buffer,
                                      ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  BufferABI abi(builder, loc, converter);
  MemRefDescriptor descriptor(abi.cast(buffer, converter.convertType(type)));
  Value position = descriptor.offset(builder, loc);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value wide = abi.cast(index, builder.getI64Type());
    Value stride = descriptor.stride(builder, loc, dim);
    Value step = LLVM::MulOp::create(builder, loc, wide, stride);
    position = LLVM::AddOp::create(builder, loc, position, step);
  }
  return LLVM::GEPOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                             converter.convertType(type.getElementType()),
                             descriptor.alignedPtr(builder, loc), ArrayRef<LLVM::GEPArg>{position});
}

Value RuntimeCalls::callAccess(OpBuilder &builder, Operation *op, Value context,
                               const Frame &frame) {
  Location loc = op->getLoc();
  BufferABI abi(builder, loc, converter);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    MemRefType type = global.getType();
    Value structure = abi.cast(global, converter.convertType(type));
    Value host = MemRefDescriptor(structure).alignedPtr(builder, loc);
    int64_t bytes = type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    return call(builder, loc, "fuse_constant", {context, host, abi.constant(bytes), frame.element});
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Value from = getElementAddress(builder, loc, load.getMemRef(), load.getIndices());
    int32_t dtype = BufferABI::getDtype(load.getMemRefType().getElementType());
    return call(builder, loc, "fuse_read_element",
                {context, from, abi.constant32(dtype), frame.element});
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    // One element that is filled: what the host has is read at once.
    Value to = getElementAddress(builder, loc, store.getMemRef(), store.getIndices());
    int32_t dtype = BufferABI::getDtype(store.getMemRefType().getElementType());
    abi.store(to, abi.field(frame.buffers, 0, 0));
    abi.store(abi.constant32(0), abi.field(frame.buffers, 0, 3));
    abi.store(abi.constant32(dtype), abi.field(frame.buffers, 0, 4));
    abi.store(store.getValueToStore(), frame.element);
    return call(builder, loc, "fuse_fill", {context, frame.buffers, frame.element});
  }
  auto fill = cast<linalg::FillOp>(op);
  storeBuffers(builder, loc, frame, fill.getOutputs());
  abi.store(fill.getInputs().front(), frame.element);
  return call(builder, loc, "fuse_fill", {context, frame.buffers, frame.element});
}

void RuntimeCalls::finishAccess(OpBuilder &builder, Operation *op, const Frame &frame) {
  Location loc = op->getLoc();
  BufferABI abi(builder, loc, converter);
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    Value place = abi.load(abi.getPointerType(), frame.element);
    MemRefType type = global.getType();
    Value structure = MemRefDescriptor::fromStaticShape(builder, loc, converter, type, place);
    Value onDevice = abi.cast(structure, type);
    global.getResult().replaceUsesWithIf(onDevice, [](OpOperand &use) {
      return !isa<memref::LoadOp, UnrealizedConversionCastOp>(use.getOwner());
    });
    return;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    load.replaceAllUsesWith(abi.load(load.getType(), frame.element));
  }
  op->erase();
}
