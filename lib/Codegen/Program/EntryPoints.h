//===- EntryPoints.h - Functions as entry points of the runtime's ABI -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_PROGRAM_ENTRYPOINTS_H
#define FUSE_LIB_CODEGEN_PROGRAM_ENTRYPOINTS_H

#include "fuse/IR/Variants.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir {
class LLVMTypeConverter;
namespace fuse {

class RuntimeCalls;

/// A function that runs calls of some sizes; by the name that it has outside.
struct EntryVariant {
  std::string name;
  llvm::SmallVector<VariantDim> dims;
};

/// Makes `fuse_run_<name>`, `fuse_query_<name>` and `fuse_prepare_<name>` of `module`, which take the runtime's structs and
/// call `function`, `@<name>` with kShapesSuffix and with kArenaSuffix; those become internal, and take pointers for buffers
/// of known shapes. `function` and the arena's have the context as first argument. `isParameter` says of each argument of the
/// program whether it is given before the first run. Of `variants` the one whose sizes fit a call runs in place of `function`.
void makeEntryPoints(ModuleOp module, func::FuncOp function, llvm::StringRef name, llvm::ArrayRef<EntryVariant> variants,
                     llvm::ArrayRef<bool> isParameter, const LLVMTypeConverter &converter, RuntimeCalls &calls);

} // namespace fuse
} // namespace mlir

#endif // FUSE_LIB_CODEGEN_PROGRAM_ENTRYPOINTS_H
