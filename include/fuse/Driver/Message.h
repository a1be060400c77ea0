//===- Message.h - Diagnostics in words -----------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_MESSAGE_H
#define FUSE_DRIVER_MESSAGE_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <string>
#include <vector>

namespace mlir::fuse {

/// A diagnostic that needs no MLIRContext.
struct Message {
  DiagnosticSeverity severity = DiagnosticSeverity::Error;
  std::string file;               ///< of text, or a model; empty where unknown
  unsigned line = 0, column = 0;  ///< from 1; 0 of a model and where unknown
  std::vector<std::string> nodes; ///< of a model: those that it is about
  std::string text;
  std::vector<Message> notes;

  bool isOfModel() const { return !file.empty() && line == 0; }
};

Message describeDiagnostic(Diagnostic &diagnostic);

/// A line, and one for each note, with colors on a terminal: `model.onnx: error: node 'conv1': …`,
/// `program.mlir:3:8: error: …`.
void printMessage(const Message &message, llvm::raw_ostream &os);

/// Objects with severity, text, file, line, column, nodes, notes.
llvm::json::Value toJson(llvm::ArrayRef<Message> messages);

/// Takes all diagnostics of a context, as long as it lives, in place of whoever prints them.
class CollectedMessages {
public:
  explicit CollectedMessages(MLIRContext &context);

  /// In the order in which they came. Not while passes run.
  llvm::ArrayRef<Message> get() const { return messages; }
  /// Adds an error without a location.
  void addError(llvm::StringRef text);
  std::vector<Message> take() { return std::move(messages); }

private:
  std::mutex mutex; // passes run in several threads
  std::vector<Message> messages;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::fuse

#endif // FUSE_DRIVER_MESSAGE_H
