//===- ObjectCompiler.h - Lowered modules to native objects in memory ---------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A lowered program (LLVM dialect only) is one main module with a nested module per kernel. Each
// becomes an object of its own, compiled in an MLIRContext and LLVMContext of its own, so that
// they compile in parallel; kernels that differ in nothing but their name and locations become one.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_OBJECTCOMPILER_H
#define FUSE_EXECUTION_OBJECTCOMPILER_H

#include "fuse/Execution/DeviceCode.h"
#include "fuse/Runtime/Device.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

class Backend;
class CodeCache;

/// The backend of options that name none: "cpu", code of this CPU (see Backend.h).
const Backend &getDefaultBackend();

/// The CPU that code which runs on a CPU is for, as LLVM names it and its features. Empty: the one
/// this runs on, with all it has.
struct CpuCodeOptions {
  std::string cpu;
  std::string features;
};

/// The CPU must have what kernels were lowered for; compileProgram takes it from LoweringOptions,
/// where that names one.
struct ObjectCompilerOptions : CpuCodeOptions {
  /// What the kernels were lowered for; never null.
  const Backend *backend = &getDefaultBackend();
  /// One of the backend's chips; empty: its default.
  std::string chip;
  /// How many objects to compile at once; 0: one per hardware thread.
  unsigned threads = 0;
  /// Where compileProgram (Compile.h) keeps a CPU's code and looks for it; null: nowhere.
  CodeCache *cache = nullptr;
  /// Called with how many of the objects are compiled, 0 at first; one call at a time, from any
  /// thread.
  std::function<void(size_t done, size_t total)> progress;
};

/// A nested module that is to become an object.
struct KernelUnit {
  std::string name;         // of the kernel
  std::string symbol;       // of its block function: the name of the first kernel that equals it
  size_t object = 0;        // in CompiledObjects::objects
  int64_t scratchBytes = 0; // per thread, a multiple of 64
  std::optional<int64_t> blocks; // where the shapes are static
  bool hasScratch = false;  // whether the module defines <symbol>_scratch

  /// Of a kernel of a device; see fuse_device_kernel (fuse/Runtime/Device.h).
  struct Device {
    int32_t threads = 0;
    int32_t sharedBytes = 0;
    int64_t mostBlocks = 0;
    std::vector<fuse_device_param> params;
  };
  std::optional<Device> device;

  /// What the names of the functions that the host runs start with. Kernels that are equal on a
  /// device may have grids of other sizes.
  const std::string &getHostSymbol() const { return device ? name : symbol; }
};

struct CompiledObjects {
  /// What it was compiled for; never null.
  const Backend *backend = &getDefaultBackend();
  /// The main module's object comes first. Null for code of a device.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  /// That code, at the object's number.
  std::map<size_t, DeviceCode> images;
  /// In launch order: the index is the one that the main module passes to fuse_launch.
  std::vector<KernelUnit> kernels;
  /// How many of the kernels' objects the cache had.
  size_t numCached = 0;
};

/// Compiles a lowered program for the backend of `options`. The launch order is the module's
/// `fuse.kernels`, an array of the kernels' names. Errors: a kernel without a module, a malformed
/// attribute, an op outside the LLVM dialect, whatever LLVM can't compile. Leaves `lowered` as it
/// is.
llvm::Expected<CompiledObjects> compileObjects(ModuleOp lowered,
                                               const ObjectCompilerOptions &options = {});

/// The CPU that objects are compiled for by default, as LLVM names it, and its features.
std::string getHostCpu();
std::string getHostFeatures();

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_OBJECTCOMPILER_H
