//===- Message.cpp - Diagnostics in words ----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Message.h"

#include "fuse/Driver/LoadProgram.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::fuse;

/// The model that a location lies in, and the names of its nodes there; no model for other
/// locations.
static StringRef findNodes(Location loc, std::vector<std::string> &nodes) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    StringRef model;
    for (Location part : fused.getLocations())
      if (StringRef found = findNodes(part, nodes); !found.empty())
        model = found;
    return model;
  }
  auto name = dyn_cast<NameLoc>(loc);
  if (!name)
    return {};
  if (isa<UnknownLoc>(name.getChildLoc()))
    return isModelPath(name.getName()) ? name.getName().getValue() : StringRef();
  StringRef model = findNodes(name.getChildLoc(), nodes);
  if (!model.empty() && !llvm::is_contained(nodes, name.getName().getValue()))
    nodes.push_back(name.getName().str());
  return model;
}

Message mlir::fuse::describeDiagnostic(Diagnostic &diagnostic) {
  Message message;
  message.severity = diagnostic.getSeverity();
  message.text = diagnostic.str();
  Location loc = diagnostic.getLocation();
  if (StringRef model = findNodes(loc, message.nodes); !model.empty()) {
    message.file = model.str();
  } else if (auto place = loc->findInstanceOf<FileLineColLoc>()) {
    message.file = place.getFilename().str();
    message.line = place.getLine();
    message.column = place.getColumn();
  }
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(describeDiagnostic(note));
  return message;
}

static void printSeverity(DiagnosticSeverity severity, llvm::raw_ostream &os) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    llvm::WithColor::error(os);
    return;
  case DiagnosticSeverity::Warning:
    llvm::WithColor::warning(os);
    return;
  case DiagnosticSeverity::Remark:
    llvm::WithColor::remark(os);
    return;
  case DiagnosticSeverity::Note:
    llvm::WithColor::note(os);
    return;
  }
}

void mlir::fuse::printMessage(const Message &message, llvm::raw_ostream &os) {
  auto begin = [&](const Message &place, DiagnosticSeverity severity) {
    if (!place.file.empty()) {
      os << place.file << ":";
      if (place.line > 0)
        os << place.line << ":" << place.column << ":";
      os << " ";
    }
    printSeverity(severity, os);
  };
  begin(message, message.severity);
  // The importer names the node itself.
  if (!message.nodes.empty() && !StringRef(message.text).starts_with("node '")) {
    constexpr size_t kMostNamed = 8;
    ArrayRef<std::string> named = ArrayRef(message.nodes).take_front(kMostNamed);
    os << (message.nodes.size() == 1 ? "node '" : "nodes '");
    llvm::printEscapedString(llvm::join(named, "', '"), os);
    os << "'";
    if (named.size() < message.nodes.size())
      os << " and " << message.nodes.size() - named.size() << " more";
    os << ": ";
  }
  os << message.text << "\n";
  for (const Message &note : message.notes) {
    begin(message.isOfModel() ? message : note, DiagnosticSeverity::Note);
    os << note.text << "\n";
  }
}

llvm::json::Value mlir::fuse::toJson(ArrayRef<Message> messages) {
  static constexpr StringLiteral names[] = {"note", "warning", "error", "remark"};
  // JSON holds text, and names come from files.
  auto fix = [](StringRef text) { return llvm::json::fixUTF8(text); };
  llvm::json::Array array;
  for (const Message &message : messages) {
    llvm::json::Array nodes;
    for (const std::string &node : message.nodes)
      nodes.push_back(fix(node));
    array.push_back(llvm::json::Object{{"severity", names[static_cast<int>(message.severity)]},
                                       {"text", fix(message.text)},
                                       {"file", fix(message.file)},
                                       {"line", message.line},
                                       {"column", message.column},
                                       {"nodes", std::move(nodes)},
                                       {"notes", toJson(message.notes)}});
  }
  return array;
}

CollectedMessages::CollectedMessages(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        Message message = describeDiagnostic(diagnostic);
        std::lock_guard<std::mutex> lock(mutex);
        messages.push_back(std::move(message));
        return success();
      }) {}

void CollectedMessages::addError(StringRef text) {
  std::lock_guard<std::mutex> lock(mutex);
  messages.push_back(Message());
  messages.back().text = text.str();
}
