//===- ToolContext.h - What a tool loads a program with -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_COMMON_TOOLCONTEXT_H
#define FUSE_TOOLS_COMMON_TOOLCONTEXT_H

#include "fuse/Driver/LoadProgram.h"
#include "fuse/Driver/ModelDiagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace mlir::fuse {

/// A context with all dialects, the source of a program, and diagnostics that show the source's line or
/// the model's node.
class ToolContext {
public:
  /// Reads the text or bytecode of a program; a model is mapped later, not read. An error that names
  /// the file.
  static llvm::Expected<std::unique_ptr<ToolContext>> open(llvm::StringRef program);

  MLIRContext &getContext() { return context; }
  const std::shared_ptr<llvm::SourceMgr> &getSources() const { return sources; }
  /// What was read; empty for a model.
  llvm::StringRef getText() const;

private:
  explicit ToolContext(std::unique_ptr<llvm::MemoryBuffer> buffer);

  std::shared_ptr<llvm::SourceMgr> sources;
  MLIRContext context;
  SourceMgrDiagnosticHandler handler;
  ModelDiagnosticHandler modelHandler;
};

/// Loads what the tool has read, or the model.
inline FailureOr<LoadedProgram> loadProgram(llvm::StringRef path, const PlanningOptions &options,
                                            ArrayRef<InputFile> files, ToolContext &tool,
                                            LoadMode mode = LoadMode::AsGiven) {
  return loadProgram(path, options, files, tool.getContext(), tool.getSources(), mode);
}

} // namespace mlir::fuse

#endif // FUSE_TOOLS_COMMON_TOOLCONTEXT_H
