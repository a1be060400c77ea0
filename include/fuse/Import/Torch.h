//===- Torch.h - Programs that torch.export has written, as programs of the dialect ---*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// An exported program is a graph of ATen ops in JSON (torch/_export/serde/schema.py describes it), alone or in a `.pt2`
// archive beside its weights. It becomes one function @main:
//
// - The user's inputs are arguments in their order, named as the program names them; an integer that is an input is a tensor of
//   rank 0 and type i64. Inputs that are no tensors and no integers are part of the program.
// - Parameters, buffers and constants that the graph reads follow, as parameters (`fuse.param`) with their names in the
//   module (`layer1.0.conv.weight`).
// - Results are the user's outputs in their order; those that are no tensors and no integers are left out. They are named as the
//   values are, those listed again with a number behind. Then comes, for each buffer and each input that the
//   program writes to, what it holds afterwards, named as the buffer or input with `.new` behind.
// - An extent that the program leaves open is a symbol (`s77`): dimensions named so are of one extent. What the program says
//   of its range are the bounds of the arguments (`fuse.dim_bounds`); calls outside of it are errors.
//
// Ops carry the name of the node that they came of as their location (NameLoc).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_H
#define FUSE_IMPORT_TORCH_H

#include "fuse/Import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::fuse {

struct TorchImportOptions : ImportOptions {
  /// Gives the array of a parameter, buffer or constant by its name in the module, and is asked before the archive is; no
  /// array (HostArray()) where it has none. Null: all are in the archive.
  std::function<llvm::Expected<HostArray>(StringRef name)> weights;
};

struct TorchModel {
  OwningOpRef<ModuleOp> module;
  /// What the arguments marked `fuse.param` are, by name: bytes in the archive where they are aligned there and laid out row
  /// by row, else copied once.
  std::vector<NamedArray> parameters;
  /// In the program's order.
  std::vector<ModelNode> nodes;
  /// What the results behind the user's outputs replace: names of buffers in the module, and of inputs.
  std::vector<std::string> mutations;
};

/// Whether a file of this name is taken for an exported program: it ends in `.pt2`.
bool isTorchPath(StringRef path);

/// Reads a `.pt2` archive. Errors are diagnostics that name the node, its op, what was expected and what was found; all ops
/// that are not supported are named at once, with the line of Python that the first of each kind comes from.
FailureOr<TorchModel> importTorch(StringRef path, MLIRContext *context, const TorchImportOptions &options = {});

/// Reads the JSON of an exported program; all weights come from the options. `name` is what messages call it.
FailureOr<TorchModel> importTorchJson(StringRef json, StringRef name, MLIRContext *context,
                                      const TorchImportOptions &options = {});

/// The ops that can be imported, with their overloads (`aten.add.Tensor`), sorted. Forms that write in place (`aten.add_.Tensor`)
/// are not listed, but imported as those that do not.
SmallVector<StringRef> getTorchOps();

} // namespace mlir::fuse

#endif // FUSE_IMPORT_TORCH_H
