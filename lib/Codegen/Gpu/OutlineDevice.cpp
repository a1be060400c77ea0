//===- OutlineDevice.cpp - A kernel's block function as one of a device ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Abi/BufferABI.h"
#include "ReadOnly.h"
#include "fuse/Codegen/Gpu/Passes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/KernelMemory.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEOUTLINEDEVICE
#include "fuse/Codegen/Gpu/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What a parameter is, as the runtime's fuse_device_param has it (fuse/Runtime/Device.h).
constexpr int64_t kNoBuffer = -1, kData = -1, kBlocks = 0, kScratch = 1, kScratchBytes = 2;

/// CUDA gives a kernel 4 KB of parameters, which have 8 bytes each.
constexpr int64_t kMostParams = 512;

/// Behind the buffers, a block function takes the range of blocks, shared memory and scratch.
constexpr unsigned kOtherArguments = 4;

/// Whether a block function takes shared memory and scratch, as fuse-place-scratch leaves it.
bool hasMemory(func::FuncOp function) {
  ArrayRef<Type> types = function.getArgumentTypes();
  return types.size() >= kOtherArguments && llvm::all_of(types.take_back(2), [](Type type) {
           auto memory = dyn_cast<MemRefType>(type);
           return memory && memory.getRank() == 1 && memory.getElementType().isInteger(8);
         });
}

class DeviceFunction {
public:
  explicit DeviceFunction(func::FuncOp function)
      : function(function), builder(function.getContext()), loc(function.getLoc()),
        converter(function.getContext()) {}

  /// Returns what the parameters are, in pairs.
  SmallVector<int64_t> outline(ModuleOp kernel) {
    builder.setInsertionPointToEnd(kernel.getBody());
    auto device = gpu::GPUModuleOp::create(builder, loc, "device");
    builder.setInsertionPointToStart(device.getBody());
    unsigned numBuffers = function.getNumArguments() - kOtherArguments;
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    SmallVector<Type> types;
    SmallVector<int64_t> params;
    auto add = [&](Type type, int64_t buffer, int64_t what) {
      types.push_back(type);
      params.append({buffer, what});
    };
    for (unsigned i = 0; i < numBuffers; ++i) {
      auto type = cast<MemRefType>(function.getArgument(i).getType());
      add(pointer, i, kData);
      for (unsigned dim = 0; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          add(builder.getI64Type(), i, dim);
    }
    add(builder.getI64Type(), kNoBuffer, kBlocks);
    BlockArgument scratch = function.getArgument(numBuffers + 3);
    if (!scratch.use_empty()) {
      add(pointer, kNoBuffer, kScratch);
      add(builder.getI64Type(), kNoBuffer, kScratchBytes);
    }

    auto type = builder.getFunctionType(types, {});
    auto outlined = gpu::GPUFuncOp::create(builder, loc, function.getName(), type);
    outlined->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    auto threads = kernel->getAttrOfType<IntegerAttr>(attr::kThreads);
    outlined->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      builder.getI32IntegerAttr(wantsTwoBlocks(kernel) ? 2 : 1));
    outlined.setKnownBlockSizeAttr(
        builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads.getInt()), 1, 1}));
    Block *entry = &outlined.getBody().front();
    builder.setInsertionPointToStart(entry);
    if (!kernel->hasAttr(kWritesOperands))
      markRead(outlined, numBuffers, params);
    unsigned next = 0;
    for (unsigned i = 0; i < numBuffers; ++i)
      function.getArgument(i).replaceAllUsesWith(
          makeBuffer(cast<MemRefType>(function.getArgument(i).getType()), entry, next));
    placeBlocks(numBuffers, entry->getArgument(next++));
    placeShared(function.getArgument(numBuffers + 2));
    if (!scratch.use_empty())
      placeScratch(scratch, entry->getArgument(next), entry->getArgument(next + 1));
    moveBody(entry);
    copyConstants(kernel, device);
    return params;
  }

private:
  /// Whether a multiprocessor shall have registers for two blocks, which hide each other's waits, where all have more than
  /// one to run and shared memory is enough for both. (See compileCuda for what that costs.)
  static bool wantsTwoBlocks(ModuleOp kernel) {
    // Half of what a multiprocessor of sm_90 has.
    constexpr int64_t kBlocksForAll = 256, kSharedBytes = 113 << 10;
    auto blocks = kernel->getAttrOfType<IntegerAttr>(attr::kBlocks);
    auto shared = kernel->getAttrOfType<IntegerAttr>(attr::kSharedBytes);
    return (!blocks || blocks.getInt() >= kBlocksForAll) && (!shared || shared.getInt() <= kSharedBytes);
  }

  /// Memory that nothing writes while the kernel runs is read by loads that need not see what others write
  /// (ld.global.nc): what the function only reads, since its results lie elsewhere.
  void markRead(gpu::GPUFuncOp outlined, unsigned numBuffers, ArrayRef<int64_t> params) {
    for (unsigned i = 0; i < params.size() / 2; ++i) {
      int64_t buffer = params[2 * i];
      if (buffer < 0 || buffer >= numBuffers || params[2 * i + 1] != kData || !isOnlyRead(function.getArgument(buffer)))
        continue;
      outlined.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
      outlined.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
      markInvariant(function.getArgument(buffer));
    }
  }

  Value convert(Value value, Type to) {
    return UnrealizedConversionCastOp::create(builder, loc, to, value).getResult(0);
  }

  Value makeDescriptor(MemRefType type, Value data, ArrayRef<Value> sizes) {
    Value descriptor = BufferABI(builder, loc, converter).makeDescriptor(type, sizes, data);
    return convert(descriptor, type);
  }

  /// A row-major buffer from its data and dynamic sizes, the arguments from `next` on.
  Value makeBuffer(MemRefType type, Block *entry, unsigned &next) {
    Value data = entry->getArgument(next++);
    SmallVector<Value> sizes;
    for (int64_t extent : type.getShape())
      sizes.push_back(ShapedType::isDynamic(extent)
                          ? Value(entry->getArgument(next++))
                          : Value(LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                                           extent)));
    return makeDescriptor(type, data, sizes);
  }

  /// Block b of the grid takes blocks b, b + grid, …
  void placeBlocks(unsigned numBuffers, Value count) {
    Value begin = function.getArgument(numBuffers), end = function.getArgument(numBuffers + 1);
    Value step = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
    for (Operation *user : begin.getUsers())
      if (auto loop = dyn_cast<scf::ForOp>(user); loop && loop.getLowerBound() == begin)
        loop.setStep(step);
    begin.replaceAllUsesWith(gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x));
    Value known;
    if (auto blocks = function->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(attr::kBlocks))
      known = arith::ConstantIndexOp::create(builder, loc, blocks.getInt());
    end.replaceAllUsesWith(
        known ? known : Value(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), count)));
  }

  void placeShared(BlockArgument shared) {
    if (shared.use_empty())
      return;
    auto type = cast<MemRefType>(shared.getType());
    auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                            gpu::GPUDialect::getWorkgroupAddressSpace());
    auto inSpace = MemRefType::get(type.getShape(), type.getElementType(),
                                   MemRefLayoutAttrInterface(), space);
    Value memory = gpu::DynamicSharedMemoryOp::create(builder, loc, inSpace);
    shared.replaceAllUsesWith(memref::MemorySpaceCastOp::create(builder, loc, type, memory));
  }

  void placeScratch(BlockArgument scratch, Value base, Value bytes) {
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    block = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), block);
    Value offset = LLVM::MulOp::create(builder, loc, block, bytes);
    Value data = LLVM::GEPOp::create(builder, loc, base.getType(), builder.getI8Type(), base,
                                     ArrayRef<LLVM::GEPArg>{offset});
    scratch.replaceAllUsesWith(
        makeDescriptor(cast<MemRefType>(scratch.getType()), data, {bytes}));
  }

  void moveBody(Block *entry) {
    Block &body = function.getBody().front();
    Operation *ret = body.getTerminator();
    builder.setInsertionPoint(ret);
    gpu::ReturnOp::create(builder, loc);
    ret->erase();
    entry->getOperations().splice(entry->end(), body.getOperations());
    function.erase();
  }

  /// Constants of the kernel's become the device's.
  void copyConstants(ModuleOp kernel, gpu::GPUModuleOp device) {
    builder.setInsertionPointToStart(device.getBody());
    llvm::StringSet<> copied;
    device.walk([&](memref::GetGlobalOp use) {
      if (!copied.insert(use.getName()).second)
        return;
      if (auto constant = kernel.lookupSymbol<memref::GlobalOp>(use.getName()))
        builder.clone(*constant);
    });
  }

  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  LLVMTypeConverter converter;
};

struct OutlineDevice : fuse::impl::FuseOutlineDeviceBase<OutlineDevice> {
  void runOnOperation() override {
    ModuleOp kernel = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto function : kernel.getOps<func::FuncOp>())
      if (!function.isDeclaration() && function.getNumResults() == 0)
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      if (!kernel->hasAttr(attr::kThreads) || !hasMemory(function)) {
        function.emitError("expected a block function that fuse-distribute-members and "
                           "fuse-place-scratch have run on");
        return signalPassFailure();
      }
      SmallVector<int64_t> params = DeviceFunction(function).outline(kernel);
      if (auto count = static_cast<int64_t>(params.size() / 2); count > kMostParams) {
        function.emitError() << "expected a kernel of at most " << kMostParams
                             << " parameters, which is what a GPU takes, found " << count
                             << ": data and dynamic sizes of "
                             << function.getNumArguments() - kOtherArguments
                             << " operands and results, and what says how many blocks there are";
        return signalPassFailure();
      }
      kernel->setAttr(attr::kDeviceParams, DenseI64ArrayAttr::get(&getContext(), params));
    }
  }
};

} // namespace
