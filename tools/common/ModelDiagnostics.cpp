//===- ModelDiagnostics.cpp - Messages about nodes of a model --------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "ModelDiagnostics.h"

#include "fuse/Import/Onnx.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

/// The model that a location lies in, and the names of its nodes there; no model for other
/// locations.
static StringRef findNodes(Location loc, SmallVectorImpl<StringRef> &nodes) {
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
    return isOnnxPath(name.getName()) ? name.getName().getValue() : StringRef();
  StringRef model = findNodes(name.getChildLoc(), nodes);
  if (!model.empty() && !llvm::is_contained(nodes, name.getName().getValue()))
    nodes.push_back(name.getName());
  return model;
}

static LogicalResult print(Diagnostic &diagnostic) {
  SmallVector<StringRef> nodes;
  StringRef model = findNodes(diagnostic.getLocation(), nodes);
  if (model.empty() || diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    return failure();
  llvm::raw_ostream &os = llvm::errs();
  auto begin = [&](DiagnosticSeverity severity) {
    os << model << ": ";
    if (severity == DiagnosticSeverity::Error)
      llvm::WithColor::error(os);
    else if (severity == DiagnosticSeverity::Warning)
      llvm::WithColor::warning(os);
    else
      llvm::WithColor::note(os);
  };
  begin(diagnostic.getSeverity());
  std::string text = diagnostic.str();
  // The importer names the node itself.
  if (!nodes.empty() && !StringRef(text).starts_with("node '")) {
    os << (nodes.size() == 1 ? "node '" : "nodes '");
    std::string names = llvm::join(nodes, "', '");
    llvm::printEscapedString(names, os);
    os << "': ";
  }
  os << text << "\n";
  for (Diagnostic &note : diagnostic.getNotes()) {
    begin(DiagnosticSeverity::Note);
    os << note.str() << "\n";
  }
  return success();
}

ModelDiagnosticHandler::ModelDiagnosticHandler(MLIRContext *context)
    : ScopedDiagnosticHandler(context, print) {}
