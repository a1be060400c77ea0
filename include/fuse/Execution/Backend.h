//===- Backend.h - What kernels are compiled for and run on --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A backend turns planned kernels into code and says how that code is run. There is one for each
// kind of machine: "cpu", "cuda", "rocm" and "emulator" are always there, others are registered by
// registerBackend. Whoever compiles or runs a program asks the backend and never its name.
//
// A program passes through a backend in four steps, of which the last two are optional:
//
//   fuse.kernel ops  --layouts, lowering-->  LLVM dialect  --code-->  CompiledObjects
//                                                            |--device-->  a Session runs them
//                                                            `--bundle-->  a shared library
//
// All methods may be called by several threads at once.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_BACKEND_H
#define FUSE_EXECUTION_BACKEND_H

#include "fuse/Execution/Compile.h"
#include "fuse/IR/FuseAttributes.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::fuse {

struct MemoryRequests;
struct SessionOptions;

/// A kernel's code. One of the two is there.
struct UnitCode {
  /// What is linked into this process or into a bundle; it defines the kernel's functions.
  std::unique_ptr<llvm::MemoryBuffer> object;
  /// What a device's driver loads.
  DeviceCode image;
};

/// Where the programs of a backend can be run.
enum class RunPlace {
  ThisCpu, ///< in any process: nothing but this CPU is needed
  Device,  ///< where there is such a device; opening it fails elsewhere
  Nowhere, ///< code is built, and nothing here runs it
};

class Backend {
public:
  virtual ~Backend();

  // Names

  /// What options call it, such as --target: letters, digits, - and _. Unique among backends.
  virtual StringRef getName() const = 0;
  /// What is said of it behind its name in a list of backends: a few words, such as "an AMD GPU".
  virtual StringRef getDescription() const = 0;

  // Chips and targets

  /// The chips that code can be built for, as their maker names them, the default first. Empty:
  /// the backend has no chips to choose from, and ignores the `chip` of options.
  virtual ArrayRef<StringRef> getChips() const { return {}; }
  /// `chip`, or the default one where that is empty.
  std::string resolveChip(StringRef chip) const;
  /// The known device (fuse/Target/Targets.h) that kernels for `chip` are planned and scheduled
  /// for. Empty: they are for the host, and the program's own target, or a measured one, decides.
  virtual StringRef getTargetName(StringRef chip) const { return ""; }
  /// Whether LoweringOptions::cpu, a level of CpuLevel.h, chooses the instructions of kernels.
  virtual bool usesCpuLevels() const { return false; }
  /// Whether LoweringOptions::schedules, a file of fuse-tune, applies to its kernels, so that they
  /// can be tuned.
  virtual bool usesSchedules() const { return false; }
  /// What a file of schedules says that it was measured on, for `chip`. Empty: the CPU.
  virtual std::string getMeasuredName(StringRef chip) const { return ""; }

  // From kernels to what code is made of

  /// Whether planning for it chooses how values lie in memory, as `fuse-layout` does for CPUs. By default
  /// they lie as the program's types say.
  virtual bool assignsLayouts() const { return false; }
  /// Adds the passes that lower a module of `fuse.kernel` ops to what compileObjects takes; see
  /// lowerProgram. `target` is the one that the module names, or the default.
  virtual void buildLoweringPipeline(OpPassManager &passes, TargetAttr target,
                                     const LoweringOptions &options) const = 0;

  // Code

  /// Compiles a planned program; see compileProgram of Compile.h, which passes `options` for this
  /// backend. By default lowerProgram and compileObjects, one after the other.
  virtual FailureOr<CompiledObjects> compileProgram(ModuleOp program,
                                                    const LoweringOptions &lowering,
                                                    const ObjectCompilerOptions &options) const;
  /// Whether compileProgram keeps the code of kernels in ObjectCompilerOptions::cache, and lowers
  /// them in its own threads, so that what passes leave of them cannot be seen.
  virtual bool cachesCode() const { return false; }

  /// Compiles a lowered program; see compileObjects of ObjectCompiler.h. By default the main module
  /// becomes code of this CPU, and each kernel is given to compileKernel, by several threads;
  /// kernels that differ in nothing but their name are compiled once.
  virtual llvm::Expected<CompiledObjects>
  compileObjects(ModuleOp lowered, const ObjectCompilerOptions &options) const;
  /// Compiles one kernel: `bytecode` is that of a module with its functions in the LLVM dialect;
  /// of a kernel of a device, those of its gpu.module. Functions whose name starts with `from` get
  /// `name` in its place. Only what is left to the default compileObjects needs it; by default an
  /// error.
  virtual llvm::Expected<UnitCode> compileKernel(StringRef bytecode, StringRef name, StringRef from,
                                                 const ObjectCompilerOptions &options) const;
  /// Whether code says where in the source it is from: `bytecode` then keeps locations, and kernels
  /// from different places are compiled apart.
  virtual bool keepsLocations() const { return false; }
  /// Whether DeviceCode::resources of a kernel say what it takes of a chip. Reports have it.
  virtual bool measuresResources() const { return false; }
  /// What --dump-after calls the text of the kernels' code, DeviceCode::text, as the stage behind
  /// all passes. Empty: there is no such text.
  virtual StringRef getTextStage() const { return ""; }

  // Running

  /// Tools compile programs of a backend that runs nowhere, and then say that they cannot be run.
  virtual RunPlace getRunPlace() const = 0;
  /// Whether kernels run on a device with memory of its own, which openDevice opens, rather than by
  /// the threads of the session's context.
  virtual bool hasDevice() const { return false; }
  /// The device of a new session. Several sessions may share one. Called only if hasDevice(); by
  /// default an error that nothing runs the backend's code.
  virtual llvm::Expected<std::shared_ptr<fuse_device>>
  openDevice(const SessionOptions &options) const;
  /// Whether its devices count requests to memory, where SessionOptions::countsRequests asks for
  /// it.
  virtual bool countsRequests() const { return false; }
  /// What `device`, which openDevice opened with that option, has counted since it was last asked.
  virtual std::vector<MemoryRequests> takeRequests(fuse_device &device) const;

  // Bundles

  /// Whether writeBundle (Bundle.h) writes its programs.
  virtual bool canBundle() const { return false; }
  /// What the runtime in a bundle opens to run it (lib/Runtime/BundleDevice.cpp knows the names);
  /// empty: the CPU.
  virtual StringRef getBundleDevice() const { return ""; }
};

/// Makes a backend known under its name, to all that look it up from now on, for as long as the
/// process lives. Error: the name is empty or taken.
llvm::Error registerBackend(std::unique_ptr<Backend> backend);

/// Null for an unknown name.
const Backend *findBackend(StringRef name);

/// All that are known: this library's, then those that were registered, in that order.
std::vector<const Backend *> getBackends();

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_BACKEND_H
