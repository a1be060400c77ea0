//===- BufferABI.h - fuse_buffer in the LLVM dialect -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_ABI_BUFFERABI_H
#define FUSE_LIB_CODEGEN_ABI_BUFFERABI_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fuse {

/// Emits reads and writes of the runtime's `fuse_buffer` (see fuse/Runtime/Runtime.h):
/// {ptr data, ptr sizes, ptr strides, i32 rank, i32 dtype}.
class BufferABI {
public:
  BufferABI(OpBuilder &builder, Location loc, const LLVMTypeConverter &converter)
      : builder(builder), loc(loc), converter(converter) {}

  static Type getBufferType(MLIRContext *context);
  static constexpr int64_t kBufferBytes = 32;
  /// The runtime's number of an element type in memory form (unsigned are signless, i1 is i8).
  static int32_t getDtype(Type elementType);

  /// The memref descriptor, as an LLVM struct, of element `number` of the array of buffers.
  /// Row-major: a static shape is taken from the type, dynamic sizes from the buffer.
  Value loadDescriptor(Value buffers, unsigned number, MemRefType type);
  /// The descriptor of a row-major buffer of these sizes, one for each dimension.
  Value makeDescriptor(MemRefType type, ArrayRef<Value> sizes, Value data);
  /// `memref<?xi8>` over bytes at `data`, of which nobody asks how many there are.
  Value makeBytes(Value data, MemRefType type);
  /// Address of a field of element `number`: 0 data, 1 sizes, 2 strides, 3 rank, 4 dtype.
  Value field(Value buffers, unsigned number, int32_t field);
  Value constant(int64_t value);
  Value constant32(int32_t value);
  Type getPointerType();
  /// What lies at an address.
  Value load(Type type, Value address);
  void store(Value value, Value address);
  /// One of the first three fields of element `number`.
  Value loadField(Value buffers, unsigned number, int32_t at) {
    return load(getPointerType(), field(buffers, number, at));
  }
  Value loadEntry(Value array, unsigned i) { return load(builder.getI64Type(), entry(array, i)); }
  /// A value as what it is converted to, or from.
  Value cast(Value value, Type type);
  /// Address of entry `i` of an array of i64.
  Value entry(Value array, unsigned i);

private:
  OpBuilder &builder;
  Location loc;
  const LLVMTypeConverter &converter;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_ABI_BUFFERABI_H
