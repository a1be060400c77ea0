//===- RuntimeCalls.h - Calls of the runtime from a program -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_PROGRAM_RUNTIMECALLS_H
#define FUSE_LIB_CODEGEN_PROGRAM_RUNTIMECALLS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse {

/// Turns the launches and copies of one function, whose first argument is the context and which
/// returns a status, into calls of the runtime.
class RuntimeCalls {
public:
  /// onDevice: buffers lie in a device's memory, which the host reaches through the runtime only.
  RuntimeCalls(ModuleOp module, const LLVMTypeConverter &converter,
               const llvm::StringMap<int64_t> &kernelNumbers, bool onDevice = false);

  /// Fails, with a diagnostic, on an op that would touch a device's memory from the host.
  LogicalResult lower(func::FuncOp function);

  /// A constant string of the module, zero-terminated; gives its address.
  Value getString(OpBuilder &builder, Location loc, StringRef text);
  /// A constant of the module: the sizes of a static shape, behind them its strides in elements.
  Value getDims(OpBuilder &builder, Location loc, MemRefType type);
  /// Calls `name`, which returns an i32; declares it where that is not done yet.
  Value call(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments);

private:
  /// The address of a constant array of the module, which is made if it is new.
  Value getConstant(OpBuilder &builder, Location loc, std::string name, bool isNew, Type element,
                    int64_t count, Attribute value);
  /// Space on the function's stack for the arguments of one call, shared by all calls.
  struct Frame {
    Value buffers, dims;
    Value element; // 8 bytes: of what the host reads, writes or fills with
  };
  Frame makeFrame(func::FuncOp function, ArrayRef<Operation *> calls);
  /// Writes the buffers of `values` into the frame.
  void storeBuffers(OpBuilder &builder, Location loc, const Frame &frame, ValueRange values);
  /// Reads, writes, fills and constants of device memory (DeviceAccesses.cpp). Gives the status of
  /// the runtime's call. finishAccess replaces `op` where it has been looked at.
  Value callAccess(OpBuilder &builder, Operation *op, Value context, const Frame &frame);
  void finishAccess(OpBuilder &builder, Operation *op, const Frame &frame);
  /// The address of the element that a load or store is of.
  Value getElementAddress(OpBuilder &builder, Location loc, Value buffer, ValueRange indices);
  /// Notes that the function is to end with `status` unless that is zero, before what follows the
  /// insertion point.
  void checkStatus(OpBuilder &builder, Location loc, Value status);
  /// Makes the branches that were noted, from the last to the first: each split moves the ops
  /// behind it, which so are those up to the next branch instead of all the rest of the function.
  void makeBranches(Block *exit);

  ModuleOp module;
  const LLVMTypeConverter &converter;
  const llvm::StringMap<int64_t> &kernelNumbers;
  bool onDevice;
  llvm::StringMap<std::string> strings, dims;
  /// A status and the op behind which it is looked at, in the order of the function.
  struct StatusCheck {
    Location loc;
    Value status;
    Operation *last;
  };
  SmallVector<StatusCheck> checks;
};

// On a device all arrays of a program lie in the device's memory but these: memrefs of `index`,
// which are shapes, and constants where they are read in place (DeviceAccesses.cpp).

/// Whether the runtime has to do this for the host: a load, store or fill of device memory, or a
/// constant that something else than a load is given.
bool isDeviceAccess(Operation *op);

/// Fails on other ops that touch device memory, with a diagnostic at the op.
LogicalResult checkHostAccesses(func::FuncOp function);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_PROGRAM_RUNTIMECALLS_H
