//===- BufferABI.cpp - fuse_buffer in the LLVM dialect ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BufferABI.h"
#include "fuse/Support/ElementType.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::fuse;

Type BufferABI::getBufferType(MLIRContext *context) {
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, pointer, i32, i32});
}

int32_t BufferABI::getDtype(Type type) {
  // The ABI numbers element types as the enum does.
  return static_cast<int32_t>(toElementType(type).value_or(ElementType::I64));
}

Value BufferABI::constant(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
}

Value BufferABI::constant32(int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

Type BufferABI::getPointerType() { return LLVM::LLVMPointerType::get(builder.getContext()); }

Value BufferABI::load(Type type, Value address) {
  return LLVM::LoadOp::create(builder, loc, type, address);
}

void BufferABI::store(Value value, Value address) {
  LLVM::StoreOp::create(builder, loc, value, address);
}

Value BufferABI::cast(Value value, Type type) {
  return UnrealizedConversionCastOp::create(builder, loc, type, value).getResult(0);
}

Value BufferABI::field(Value buffers, unsigned number, int32_t field) {
  return LLVM::GEPOp::create(builder, loc, getPointerType(), getBufferType(builder.getContext()),
                             buffers, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(number), field});
}

Value BufferABI::entry(Value array, unsigned i) {
  return LLVM::GEPOp::create(builder, loc, getPointerType(), builder.getI64Type(), array,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
}

Value BufferABI::makeBytes(Value data, MemRefType type) {
  auto descriptor = MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  descriptor.setConstantSize(builder, loc, 0, std::numeric_limits<int64_t>::max());
  descriptor.setConstantStride(builder, loc, 0, 1);
  return descriptor;
}

Value BufferABI::makeDescriptor(MemRefType type, ArrayRef<Value> sizes, Value data) {
  auto descriptor = MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, data);
  descriptor.setAlignedPtr(builder, loc, data);
  descriptor.setConstantOffset(builder, loc, 0);
  Value stride = constant(1);
  for (unsigned dim = type.getRank(); dim-- > 0;) {
    descriptor.setSize(builder, loc, dim, sizes[dim]);
    descriptor.setStride(builder, loc, dim, stride);
    stride = LLVM::MulOp::create(builder, loc, stride, sizes[dim]);
  }
  return descriptor;
}

Value BufferABI::loadDescriptor(Value buffers, unsigned number, MemRefType type) {
  Value data = loadField(buffers, number, 0);
  Value known = type.hasStaticShape() ? Value() : loadField(buffers, number, 1);
  SmallVector<Value> sizes;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    sizes.push_back(ShapedType::isDynamic(extent) ? loadEntry(known, dim) : constant(extent));
  return makeDescriptor(type, sizes, data);
}
