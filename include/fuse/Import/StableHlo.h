//===- StableHlo.h - Programs of StableHLO, as programs of the dialect ----------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// JAX lowers functions to StableHLO. MLIR's own parser reads it in the generic form, without the dialect itself:
// `stablehlo-opt --mlir-print-op-generic` writes it, and so does the package `fuse.jax`. The function @main (or the
// only one that is public) becomes one function @main:
//
// - Its arguments keep their order. They are called as their locations name them (loc("params['w']")), else arg0 and so
//   on.
// - An argument marked `fuse.param` is a parameter; its array comes from the options, by its name. So is what
//   `stablehlo.custom_call @fuse.weight() {backend_config = "name"}` stands for: a constant that is not part of the
//   text. Parameters follow the other arguments.
// - Results are called as `jax.result_info` says, else result0 and so on.
// - Calls are built in the place of each. A `stablehlo.while` that counts becomes a `fuse.scan`: what it reads and
//   writes at the counter's place becomes a sequence.
// - Open dimensions have the names of `fuse.dim_names`, where an argument has that.
//
// Ops carry as their location (NameLoc) the name that their location has in the program (`jit(f)/dot_general`), with a
// number where several have one.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_STABLEHLO_H
#define FUSE_IMPORT_STABLEHLO_H

#include "fuse/Import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::fuse {

struct StableHloImportOptions : ImportOptions {
  /// Gives the array of a parameter by its name; no array (HostArray()) where there is none, which is an error. May be
  /// null.
  std::function<llvm::Expected<HostArray>(StringRef name)> weights;
};

struct StableHloModel {
  OwningOpRef<ModuleOp> module;
  /// What the arguments marked `fuse.param` are, by name.
  std::vector<NamedArray> parameters;
  /// In the program's order.
  std::vector<ModelNode> nodes;
};

/// Whether a file of this name is taken for StableHLO: it ends in `.stablehlo` or `.stablehlo.mlir`.
bool isStableHloPath(StringRef path);

/// Reads text. `name` is what messages call it. Errors are diagnostics that name the op, the line of Python that it
/// comes of where its location has one, what was expected and what was found; all ops that are not supported are named
/// at once.
FailureOr<StableHloModel> importStableHlo(StringRef text, StringRef name, MLIRContext *context,
                                          const StableHloImportOptions &options = {});

/// Reads a file.
FailureOr<StableHloModel> importStableHloFile(StringRef path, MLIRContext *context,
                                              const StableHloImportOptions &options = {});

/// The ops that can be imported (`stablehlo.add`, `chlo.erf`), sorted.
SmallVector<StringRef> getStableHloOps();

} // namespace mlir::fuse

#endif // FUSE_IMPORT_STABLEHLO_H
