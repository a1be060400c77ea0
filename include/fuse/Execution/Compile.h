//===- Compile.h - From a program to code ready to load -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_COMPILE_H
#define FUSE_EXECUTION_COMPILE_H

#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/IR/Variants.h"
#include "fuse/Support/Numerics.h"
#include "fuse/Support/Precision.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mlir::fuse {

struct CompileOptions {
  /// How merges are found: "priority" or "chains".
  std::string strategy = "priority";
  /// What may speak against a merge: "roofline" or "io".
  std::string costModel = "roofline";
  /// false: every op becomes a kernel of its own.
  bool fusion = true;
  /// How far numbers may change.
  Numerics numerics = Numerics::Exact;
  /// What products with weights are computed in; anything but `AsWritten` takes `ReducedPrecision`.
  Precision precision = Precision::AsWritten;
  /// Whether the CPU that code will be for multiplies tiles of bf16, which products of class `folds` then use as they are.
  bool bf16Tiles = false;
  /// Labels of patterns that are not to be formed.
  std::vector<std::string> disabledLabels;
  /// Sizes that get code of their own; see Variants.h.
  SmallVector<VariantSizes> variants;
  /// Without any, such sizes are chosen by price.
  bool automaticVariants = false;
  /// What code will be for; never null. It may choose how values lie in memory.
  const Backend *backend = &getDefaultBackend();
};

/// Prints a program once, after the pass whose argument is `stage`. One may serve several
/// pipelines in turn.
struct StageDump {
  std::string stage;
  llvm::raw_ostream *os = nullptr;
  /// Whether the stage has been printed, and the stages there were, in order.
  bool done = false;
  std::vector<std::string> seen;
  bool withLocations = false;
};

/// Converts what is written in TOSA, in linalg on tensors and in the tensor dialect, in place, as
/// far as the dialect has a form for it (docs/conversions.md); a program of the dialect is left
/// alone. What is left of TOSA goes to linalg by upstream's passes. Diagnostics on failure.
LogicalResult convertProgram(ModuleOp module);

/// Plans the kernels of all functions and forms them, in place, of values laid out as the backend wants
/// them. Parameters may become arguments that the program computes itself, once (see
/// Signature::prepared). Diagnostics on failure.
LogicalResult planProgram(ModuleOp module, const CompileOptions &options,
                          StageDump *dump = nullptr);

struct LoweringOptions {
  /// As in CompileOptions: `exact` keeps dims from being streamed (see StreamedDim.h) and products
  /// from tensor cores, `reduced-precision` lets these round f32 to TF32.
  Numerics numerics = Numerics::Exact;
  /// What code is for; never null.
  const Backend *backend = &getDefaultBackend();
  /// The CPU that code is for, a name of CpuLevel.h; empty: this one, with all that it has. Of
  /// backends that use CPU levels.
  std::string cpu;
  /// One of the backend's chips; empty: its default.
  std::string chip;
  /// A file of fuse-tune with schedules for kernels (see fuse-apply-schedules); empty: none. Of
  /// backends that use schedules.
  std::string schedules;
  /// Whether products on GPUs that can copy operands to shared memory asynchronously.
  bool asyncCopies = true;
  /// Whether those of f16 and bf16 are multiplied by warpgroups, on GPUs that can (sm_90a).
  bool warpgroups = true;
  /// How many threads launches will have; 0: not known. The file must have been measured with them.
  int64_t threads = 0;
};

/// Lowers a program of kernels to what the backend's compileObjects takes, in place: the LLVM
/// dialect, see Program::load. Temporaries of a device's kernels take at most the shared memory
/// that the module's target has. Diagnostics on failure.
LogicalResult lowerProgram(ModuleOp module, const LoweringOptions &options = {},
                           StageDump *dump = nullptr);

/// Makes code that was lowered for a CPU other than this one be compiled for it, too. Does nothing
/// for options that name no CPU.
void setCpu(ObjectCompilerOptions &compiler, const LoweringOptions &lowering);

/// Lowers a program of kernels and compiles it for the backend of `lowering`, as lowerProgram and
/// compileObjects do one after the other. Where Backend::cachesCode says so, as of the CPU, each
/// kernel is lowered and compiled at once, by one of several threads, and not at all if the cache
/// has its code, which then is the same to the last bit. `program` is left lowered, with the
/// functions of such kernels missing. Diagnostics on failure.
FailureOr<CompiledObjects> compileProgram(ModuleOp program, const LoweringOptions &lowering,
                                          const ObjectCompilerOptions &options = {});

/// Leaves only the public function `name`, its variants, and what prepares parameters for them, with all calls inlined
/// that can be.
void isolateFunction(ModuleOp module, StringRef name);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_COMPILE_H
