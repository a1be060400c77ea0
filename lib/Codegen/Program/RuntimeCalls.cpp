//===- RuntimeCalls.cpp - Calls of the runtime from a program ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RuntimeCalls.h"
#include "../Abi/BufferABI.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

RuntimeCalls::RuntimeCalls(ModuleOp module, const LLVMTypeConverter &converter,
                           const llvm::StringMap<int64_t> &kernelNumbers, bool onDevice)
    : module(module), converter(converter), kernelNumbers(kernelNumbers), onDevice(onDevice) {}

Value RuntimeCalls::getConstant(OpBuilder &builder, Location loc, std::string name, bool isNew,
                                Type element, int64_t count, Attribute value) {
  if (isNew) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    LLVM::GlobalOp::create(atEnd, loc, LLVM::LLVMArrayType::get(element, count),
                           /*isConstant=*/true, LLVM::Linkage::Internal, name, value);
  }
  return LLVM::AddressOfOp::create(builder, loc, LLVM::LLVMPointerType::get(module.getContext()),
                                   name);
}

Value RuntimeCalls::getString(OpBuilder &builder, Location loc, StringRef text) {
  auto [slot, isNew] = strings.try_emplace(text, "fuse_text_" + std::to_string(strings.size()));
  std::string terminated = text.str() + '\0';
  return getConstant(builder, loc, slot->second, isNew, builder.getI8Type(), terminated.size(),
                     builder.getStringAttr(terminated));
}

Value RuntimeCalls::getDims(OpBuilder &builder, Location loc, MemRefType type) {
  SmallVector<int64_t> values(type.getShape());
  llvm::append_range(values, type.getStridesAndOffset().first);
  std::string key =
      llvm::join(llvm::map_range(values, [](int64_t v) { return std::to_string(v); }), ",");
  auto [slot, isNew] = dims.try_emplace(key, "fuse_dims_" + std::to_string(dims.size()));
  return getConstant(builder, loc, slot->second, isNew, builder.getI64Type(), values.size(),
                     builder.getI64TensorAttr(values));
}

Value RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name, ValueRange arguments) {
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(),
                                          llvm::to_vector(arguments.getTypes()));
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    function = LLVM::LLVMFuncOp::create(atStart, module.getLoc(), name, type);
  }
  return LLVM::CallOp::create(builder, loc, function, arguments).getResult();
}

/// How many numbers the sizes and strides of an operand are. A number itself is the extent of a buffer without data.
static int64_t countDims(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return 2 * (buffer ? buffer.getRank() : 1);
}

RuntimeCalls::Frame RuntimeCalls::makeFrame(func::FuncOp function, ArrayRef<Operation *> calls) {
  int64_t mostBuffers = 1, mostDims = 1;
  for (Operation *op : calls) {
    int64_t dims = 0;
    for (Type type : op->getOperandTypes())
      dims += countDims(type);
    if (isa<cf::AssertOp>(op))
      continue;
    mostBuffers = std::max<int64_t>(mostBuffers, op->getNumOperands());
    mostDims = std::max(mostDims, dims);
    if (auto host = dyn_cast<LaunchHostOp>(op))
      mostDims = std::max<int64_t>(mostDims, dims + host.getIntegers().size());
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  BufferABI abi(builder, loc, converter);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Frame frame;
  frame.buffers =
      LLVM::AllocaOp::create(builder, loc, pointer, BufferABI::getBufferType(builder.getContext()),
                             abi.constant(mostBuffers));
  frame.dims = LLVM::AllocaOp::create(builder, loc, pointer, builder.getI64Type(),
                                      abi.constant(mostDims));
  if (onDevice)
    frame.element =
        LLVM::AllocaOp::create(builder, loc, pointer, builder.getI64Type(), abi.constant(1));
  return frame;
}

void RuntimeCalls::storeBuffers(OpBuilder &builder, Location loc, const Frame &frame,
                                ValueRange values) {
  BufferABI abi(builder, loc, converter);
  unsigned nextDim = 0;
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  for (auto [number, value] : llvm::enumerate(values)) {
    if (value.getType().isIndex()) {
      abi.store(abi.constant32(1), abi.field(frame.buffers, number, 3));
      abi.store(abi.constant32(BufferABI::getDtype(builder.getI8Type())), abi.field(frame.buffers, number, 4));
      abi.store(LLVM::ZeroOp::create(builder, loc, pointer), abi.field(frame.buffers, number, 0));
      abi.store(abi.entry(frame.dims, nextDim), abi.field(frame.buffers, number, 1));
      abi.store(abi.entry(frame.dims, nextDim + 1), abi.field(frame.buffers, number, 2));
      abi.store(abi.cast(value, builder.getI64Type()), abi.entry(frame.dims, nextDim));
      abi.store(abi.constant(1), abi.entry(frame.dims, nextDim + 1));
      nextDim += 2;
      continue;
    }
    auto type = cast<MemRefType>(value.getType());
    MemRefDescriptor descriptor(abi.cast(value, converter.convertType(type)));
    unsigned rank = type.getRank();
    abi.store(abi.constant32(rank), abi.field(frame.buffers, number, 3));
    abi.store(abi.constant32(BufferABI::getDtype(type.getElementType())),
              abi.field(frame.buffers, number, 4));
    if (type.hasStaticShape() && type.getLayout().isIdentity()) {
      abi.store(descriptor.alignedPtr(builder, loc), abi.field(frame.buffers, number, 0));
      if (rank == 0)
        continue;
      Value sizes = getDims(builder, loc, type);
      abi.store(sizes, abi.field(frame.buffers, number, 1));
      abi.store(abi.entry(sizes, rank), abi.field(frame.buffers, number, 2));
      continue;
    }
    Value data = LLVM::GEPOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
        converter.convertType(type.getElementType()), descriptor.alignedPtr(builder, loc),
        ArrayRef<LLVM::GEPArg>{descriptor.offset(builder, loc)});
    abi.store(data, abi.field(frame.buffers, number, 0));
    abi.store(abi.entry(frame.dims, nextDim), abi.field(frame.buffers, number, 1));
    abi.store(abi.entry(frame.dims, nextDim + rank), abi.field(frame.buffers, number, 2));
    for (unsigned dim = 0; dim < rank; ++dim) {
      abi.store(descriptor.size(builder, loc, dim), abi.entry(frame.dims, nextDim + dim));
      abi.store(descriptor.stride(builder, loc, dim), abi.entry(frame.dims, nextDim + rank + dim));
    }
    nextDim += 2 * rank;
  }
}

void RuntimeCalls::checkStatus(OpBuilder &builder, Location loc, Value status) {
  checks.push_back({loc, status, &*std::prev(builder.getInsertionPoint())});
}

void RuntimeCalls::makeBranches(Block *exit) {
  for (const StatusCheck &check : llvm::reverse(checks)) {
    Block *block = check.last->getBlock();
    Block *next = block->splitBlock(std::next(check.last->getIterator()));
    OpBuilder builder = OpBuilder::atBlockEnd(block);
    Value zero = LLVM::ConstantOp::create(builder, check.loc, builder.getI32Type(), 0);
    Value failed =
        LLVM::ICmpOp::create(builder, check.loc, LLVM::ICmpPredicate::ne, check.status, zero);
    cf::CondBranchOp::create(builder, check.loc, failed, exit, ValueRange{check.status}, next,
                             ValueRange{});
  }
  checks.clear();
}

LogicalResult RuntimeCalls::lower(func::FuncOp function) {
  if (onDevice && failed(checkHostAccesses(function)))
    return failure();
  SmallVector<Operation *> calls;
  function.walk([&](Operation *op) {
    if (isa<LaunchOp, LaunchHostOp, memref::CopyOp, cf::AssertOp>(op) || (onDevice && isDeviceAccess(op)))
      calls.push_back(op);
  });
  if (calls.empty())
    return success();
  Frame frame = makeFrame(function, calls);
  Value context = function.getArgument(0);
  OpBuilder builder(function.getContext());
  Block *exit = builder.createBlock(&function.getBody(), function.getBody().end(),
                                    {builder.getI32Type()}, {function.getLoc()});
  bool startsCollectives = llvm::any_of(calls, [](Operation *op) {
    auto host = dyn_cast<LaunchHostOp>(op);
    return host && host.getCallee() == kWaitForCollectives;
  });
  if (startsCollectives)
    call(builder, function.getLoc(), "fuse_abandon_collectives", context);
  func::ReturnOp::create(builder, function.getLoc(), exit->getArgument(0));
  for (Operation *op : calls) {
    Location loc = op->getLoc();
    builder.setInsertionPoint(op);
    BufferABI abi(builder, loc, converter);
    if (onDevice && isDeviceAccess(op)) {
      // A constant's address is known behind the op, other accesses stand in front of it.
      if (isa<memref::GetGlobalOp>(op))
        builder.setInsertionPointAfter(op);
      Value status = callAccess(builder, op, context, frame);
      checkStatus(builder, loc, status);
      finishAccess(builder, op, frame);
      continue;
    }
    if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
      Value holds = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), assertion.getArg());
      checkStatus(builder, loc, call(builder, loc, "fuse_expect_equal",
                                     {context, getString(builder, loc, assertion.getMsg()), holds, abi.constant(1)}));
      op->erase();
      continue;
    }
    if (auto host = dyn_cast<LaunchHostOp>(op); host && host.getCallee() == kWaitForCollectives) {
      // Its operands say what lives until then; there is nothing that the host would read or write.
      abi.store(abi.constant(host.getIntegers().front()), abi.entry(frame.dims, 0));
      checkStatus(builder, loc, call(builder, loc, "fuse_host_call",
                                     {context, getString(builder, loc, host.getCallee()), frame.buffers, abi.constant(0),
                                      abi.constant(0), abi.entry(frame.dims, 0), abi.constant(1)}));
      op->erase();
      continue;
    }
    storeBuffers(builder, loc, frame, op->getOperands());
    Value status;
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      status = call(builder, loc, "fuse_launch",
                    {context, abi.constant(kernelNumbers.lookup(launch.getKernel())),
                     frame.buffers, abi.constant(op->getNumOperands())});
    } else if (auto host = dyn_cast<LaunchHostOp>(op)) {
      // The host reads what the device has computed: copies of the operands, and one wait for all.
      Value fetched = call(builder, loc, "fuse_fetch",
                           {context, frame.buffers, abi.constant(host.getIns().size())});
      checkStatus(builder, loc, fetched);
      Value waited = call(builder, loc, "fuse_wait", context);
      checkStatus(builder, loc, waited);
      // The integers stand behind the dims.
      unsigned first = 0;
      for (Type type : op->getOperandTypes())
        first += countDims(type);
      for (auto [i, value] : llvm::enumerate(host.getIntegers()))
        abi.store(abi.constant(value), abi.entry(frame.dims, first + i));
      status = call(builder, loc, "fuse_host_call",
                    {context, getString(builder, loc, host.getCallee()), frame.buffers,
                     abi.constant(host.getIns().size()), abi.constant(host.getOuts().size()),
                     abi.entry(frame.dims, first), abi.constant(host.getIntegers().size())});
    } else {
      status = call(builder, loc, "fuse_copy",
                    {context, frame.buffers, abi.field(frame.buffers, 1, 0)});
    }
    checkStatus(builder, loc, status);
    op->erase();
  }
  makeBranches(exit);
  return success();
}
