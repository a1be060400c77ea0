//===- LoadProgram.h - Programs and arrays from files -------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_LOADPROGRAM_H
#define FUSE_DRIVER_LOADPROGRAM_H

#include "fuse/Driver/PlanningOptions.h"
#include "fuse/Import/Onnx.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/SourceMgr.h"

#include <mutex>
#include <optional>

namespace mlir::fuse {
/// A file that --inputs or --input names. Arrays of archives are read when they are asked for.
class InputFile {
public:
  /// An error names the file.
  static llvm::Expected<InputFile> openArchive(StringRef path);
  /// One array, named by the option.
  static llvm::Expected<InputFile> openArray(StringRef name, StringRef path);
  /// An array that the caller has.
  static InputFile makeArray(NamedArray array);

  StringRef getPath() const { return path; }
  bool isArchive() const { return archive.has_value(); }
  ArrayRef<std::string> getNames() const { return names; }
  /// The same array each time.
  llvm::Expected<HostArray> read(StringRef name) const;

private:
  InputFile() = default;
  std::string path;
  std::vector<std::string> names;
  std::optional<NpzArchive> archive;
  HostArray array; ///< where there is no archive
};

/// Opens all of them.
llvm::Expected<std::vector<InputFile>> readInputFiles(const PlanningOptions &options);

/// A program as written, with the arrays that come with it.
struct LoadedProgram {
  OwningOpRef<ModuleOp> module;
  /// Of a model: its initializers, by the names of arguments marked `fuse.param`.
  std::vector<NamedArray> parameters;
  /// Of a model: its nodes.
  std::vector<ModelNode> nodes;
  /// Of a model: inputs whose arrays became part of the program.
  std::vector<std::string> fixedInputs;
  /// Of a model: extents of open dimensions that nobody has given.
  std::vector<std::pair<std::string, int64_t>> assumed;
};

/// Whether a file of this name is a model: it ends in .onnx, .pt2, .stablehlo or .stablehlo.mlir.
bool isModelPath(StringRef path);
/// Whether a program of this name can be loaded: it ends in .onnx, .pt2, .stablehlo, .mlir or .mlirbc, or is "-".
bool isProgramName(StringRef path);
/// The same for messages: `.onnx, .pt2, .stablehlo, .mlir or .mlirbc`.
std::string describeProgramNames();

/// An error for options that a program of this name does not have: extents, and arrays in the place of inputs.
llvm::Error checkModelOptions(StringRef path, bool hasDims, bool binds);

/// An error for a name that says of no program, and for options that only a model has.
llvm::Error checkProgram(StringRef path, const PlanningOptions &options);

/// What a model is imported for.
enum class LoadMode {
  AsGiven,
  /// One that cannot be imported without extents that nobody has given is imported for likely ones.
  AssumesExtents,
  /// It is imported for likely extents wherever nobody has given one.
  LikelyExtents,
  /// The program is run with other arrays later: inputs whose values it is specialized on are none.
  FixesInputs,
};

/// Keeps the diagnostics of a context, as long as it lives or until they are shown.
class HeldDiagnostics {
public:
  explicit HeldDiagnostics(MLIRContext &context);
  ~HeldDiagnostics();
  /// As if they were emitted now; later ones are shown at once.
  void show();

private:
  MLIRContext &context;
  std::mutex mutex; // passes run in several threads
  SmallVector<Diagnostic, 0> held;
  std::optional<DiagnosticEngine::HandlerID> handler;
};

/// All dialects that programs may be written in.
DialectRegistry makeProgramRegistry();

/// Loads a model: it is imported for the extents of `files` and with the options' bindings. bytes: the model's
/// own, which stay as long as the program's arrays (of a name that ends in .pt2 the JSON of an exported program, and of
/// StableHLO its text, whose weights are among `files`); else the file's. Diagnostics on failure.
FailureOr<LoadedProgram> loadModel(StringRef path, const PlanningOptions &options,
                                   ArrayRef<InputFile> files, MLIRContext &context,
                                   LoadMode mode = LoadMode::AsGiven,
                                   std::optional<StringRef> bytes = std::nullopt);

/// Parses a program, text or bytecode, and converts it to the dialect as far as that is possible. Diagnostics on failure.
FailureOr<LoadedProgram> parseProgram(const std::shared_ptr<llvm::SourceMgr> &sources,
                                      MLIRContext &context);

/// One of the two, as the name says: `sources` is the text of what is no model.
FailureOr<LoadedProgram> loadProgram(StringRef path, const PlanningOptions &options,
                                     ArrayRef<InputFile> files, MLIRContext &context,
                                     const std::shared_ptr<llvm::SourceMgr> &sources,
                                     LoadMode mode = LoadMode::AsGiven);
/// "batch = 1, seq = 128; other extents: --dim batch=N --dim seq=N".
std::string describeAssumed(ArrayRef<std::pair<std::string, int64_t>> assumed);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_LOADPROGRAM_H
