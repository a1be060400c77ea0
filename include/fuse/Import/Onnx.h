//===- Onnx.h - ONNX models as programs of the dialect ------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A model becomes one function @main: its inputs in order, then the initializers that it reads as
// parameters (`fuse.param`); results are named as in the model, those listed again with a number
// after the name (`y_1`). An input with an initializer is its default; an array given for it takes
// that one's place. What follows from shapes and small constants alone (Shape, Gather of shapes,
// Range, ConstantOfShape, ...) is computed while importing.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_ONNX_H
#define FUSE_IMPORT_ONNX_H

#include "fuse/Import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>

namespace mlir::fuse {

struct OnnxImportOptions : ImportOptions {
  /// Arrays for inputs. Where the model leaves an input's extents open, they are those of its array;
  /// operands that are shapes, axes, pads and the like are specialized on their values, on those of `deferred`, too.
  std::vector<NamedArray> values;
  /// Arrays that take the place of inputs: those are no arguments of the program.
  std::vector<NamedArray> bound;
  /// Whether inputs on whose values the program is specialized are no arguments either: for
  /// programs that are run with other arrays later.
  bool bindsSpecialized = false;
  /// The model, in place of the file's bytes: it must stay as it is as long as the arrays are used. Files beside it are looked for
  /// beside the path all the same.
  std::optional<StringRef> bytes;
};

struct OnnxModel {
  OwningOpRef<ModuleOp> module;
  /// What the arguments marked `fuse.param` are, by name: bytes in the model's file where they are
  /// aligned there, else copied once.
  std::vector<NamedArray> parameters;
  /// In the model's order, those of a function where it is called.
  std::vector<ModelNode> nodes;
  /// Inputs that are no arguments because of `bindsSpecialized`.
  std::vector<std::string> fixedInputs;
};

/// Whether a file of this name is taken for an ONNX model: it ends in `.onnx`.
bool isOnnxPath(StringRef path);

/// Reads a model. Errors are diagnostics that name the node, its operator, what was expected and
/// what was found; all nodes with unsupported operators are named at once.
FailureOr<OnnxModel> importOnnx(StringRef path, MLIRContext *context,
                                const OnnxImportOptions &options = {});

/// What a model's file says of itself, whether or not it can be imported.
struct OnnxDescription {
  struct Dim {
    std::optional<int64_t> extent; ///< none: open
    /// Of an open one: its symbol, and for an input without one INPUT:AXIS; empty for an output
    /// without one. `--dim` takes both.
    std::string name;
    bool hasSymbol = false;
  };
  struct Tensor {
    std::string name;
    std::string type; ///< as the dialect spells it; of others the name in ONNX
    bool hasShape = false;
    std::vector<Dim> dims;
  };
  int64_t opset = 0;
  std::string producer;                ///< of the file, with its version; may be empty
  std::vector<Tensor> inputs, outputs; ///< inputs without those that have defaults
  /// How many nodes there are of an operator (`Conv`, `com.microsoft.Gelu`), those of functions and
  /// of graphs within the graph too; most first.
  std::vector<std::pair<std::string, int64_t>> operators;
  /// Initializers and constants of more than one element.
  int64_t parameters = 0, parameterBytes = 0;
};

llvm::Expected<OnnxDescription> describeOnnx(StringRef path);

/// An extent that open dimension `dim` of an input probably has where nobody says: 1 for what is called like a batch, or is
/// the first without a name; 128 for lengths of sequences; 224 for sides of images; none for others.
std::optional<int64_t> getLikelyExtent(const OnnxDescription::Tensor &input, size_t dim);

/// The same of the inputs' open dimensions that look like one of these, by the names of `--dim`.
std::vector<std::pair<std::string, int64_t>> getLikelyExtents(const OnnxDescription &model);

/// The operators of the default domain that can be imported, sorted.
SmallVector<StringRef> getOnnxOperators();

} // namespace mlir::fuse

#endif // FUSE_IMPORT_ONNX_H
