//===- AsyncCopies.cpp - Copies to shared memory that a thread waits for later ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "AsyncCopies.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

static Value createIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// The address of a buffer's memory, `bytes` further.
static Value createAddress(OpBuilder &b, Location loc, Value buffer, Value bytes) {
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  address = arith::AddIOp::create(b, loc, address, bytes);
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
}

static LLVM::LLVMPointerType getPointerType(OpBuilder &b, NVVM::NVVMMemorySpace space) {
  return LLVM::LLVMPointerType::get(b.getContext(), static_cast<unsigned>(space));
}

Value mlir::fuse::createSharedPointer(OpBuilder &b, Location loc, Value buffer, Value bytes) {
  Value address = createAddress(b, loc, buffer, createIndex(b, loc, 0));
  Value generic =
      LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
  Value begin = LLVM::AddrSpaceCastOp::create(b, loc, getPointerType(b, NVVM::NVVMMemorySpace::Shared), generic);
  return createBehind(b, loc, begin, bytes, 1);
}

Value mlir::fuse::createBehind(OpBuilder &b, Location loc, Value address, Value elements, int64_t elementBytes) {
  Value bytes = arith::MulIOp::create(b, loc, elements, createIndex(b, loc, elementBytes));
  bool isShared = address.getType() == getPointerType(b, NVVM::NVVMMemorySpace::Shared);
  bytes = arith::IndexCastOp::create(b, loc, isShared ? b.getI32Type() : b.getI64Type(), bytes);
  return LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address, ArrayRef<LLVM::GEPArg>{bytes});
}

Value mlir::fuse::createElementNumber(OpBuilder &b, Location loc, Value buffer, ValueRange at) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  LogicalResult isStrided = type.getStridesAndOffset(strides, offset);
  assert(succeeded(isStrided) && "all buffers of kernels are strided");
  (void)isStrided;
  bool isStatic = !ShapedType::isDynamic(offset) && llvm::none_of(strides, ShapedType::isDynamic);
  memref::ExtractStridedMetadataOp metadata;
  if (!isStatic)
    metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  Value elements = ShapedType::isDynamic(offset) ? Value(metadata.getOffset())
                                                 : createIndex(b, loc, offset);
  for (auto [dim, index] : llvm::enumerate(at)) {
    Value stride = ShapedType::isDynamic(strides[dim]) ? Value(metadata.getStrides()[dim])
                                                       : createIndex(b, loc, strides[dim]);
    elements = arith::AddIOp::create(b, loc, elements,
                                     arith::MulIOp::create(b, loc, index, stride));
  }
  return elements;
}

static Value countBytes(OpBuilder &b, Location loc, Value buffer, Value elements) {
  int64_t bytes = cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  return arith::MulIOp::create(b, loc, elements, createIndex(b, loc, bytes));
}

Value mlir::fuse::createViewFrom(OpBuilder &b, Location loc, Value buffer, Value element) {
  auto from = cast<MemRefType>(buffer.getType());
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1});
  auto type = MemRefType::get({ShapedType::kDynamic}, from.getElementType(), layout, from.getMemorySpace());
  // Nobody asks how long it is.
  Value size = createIndex(b, loc, std::numeric_limits<int32_t>::max());
  return memref::ReinterpretCastOp::create(b, loc, type, buffer, OpFoldResult(element),
                                           ArrayRef<OpFoldResult>{size}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value mlir::fuse::createElementAddress(OpBuilder &b, Location loc, Value buffer, Value element) {
  return LLVM::IntToPtrOp::create(b, loc, getPointerType(b, NVVM::NVVMMemorySpace::Global),
                                  createAddress(b, loc, buffer, countBytes(b, loc, buffer, element)));
}

/// A pointer that is known to lie in the buffer's memory, so that it is loaded as the buffer's elements are.
Value mlir::fuse::createElementPointer(OpBuilder &b, Location loc, Value buffer, Value element) {
  Type type = LLVMTypeConverter(b.getContext()).convertType(buffer.getType());
  Value descriptor = UnrealizedConversionCastOp::create(b, loc, type, buffer).getResult(0);
  Value memory = LLVM::ExtractValueOp::create(b, loc, descriptor, ArrayRef<int64_t>{1});
  return createBehind(b, loc, memory, element, cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8);
}

Value mlir::fuse::createSharedAddress(OpBuilder &b, Location loc, Value buffer, ValueRange at) {
  return createSharedPointer(b, loc, buffer, countBytes(b, loc, buffer, createElementNumber(b, loc, buffer, at)));
}

Value mlir::fuse::createFurther(OpBuilder &b, Location loc, Value address, int64_t bytes) {
  if (bytes == 0)
    return address;
  return LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(), address,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

void mlir::fuse::createAsyncCopy(OpBuilder &b, Location loc, Value from, Value to, int64_t bytes,
                                 Value valid) {
  Value read;
  if (valid) {
    auto i32 = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
    };
    read = arith::SelectOp::create(b, loc, valid, i32(bytes), i32(0));
  }
  // Only whole lines of 16 bytes may pass by the first cache, which would not see them again.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, loc, to, from, b.getI32IntegerAttr(static_cast<int32_t>(bytes)),
                          NVVM::LoadCacheModifierKindAttr::get(b.getContext(), cache), read);
}

void mlir::fuse::createAsyncCommit(OpBuilder &b, Location loc) {
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

void mlir::fuse::createAsyncWait(OpBuilder &b, Location loc, int64_t left) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(left)));
}
