//===- Cluster.cpp - Many devices as one target -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/TargetFigures.h"
#include "fuse/Target/TargetFile.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral kCluster = "cluster:";

bool mlir::fuse::isClusterName(StringRef name) { return name.starts_with(kCluster); }

FailureOr<TargetAttr> mlir::fuse::makeClusterTarget(MLIRContext *context, StringRef name,
                                                    function_ref<InFlightDiagnostic()> emitError) {
  SmallVector<StringRef> entries;
  name.drop_front(kCluster.size()).split(entries, ',');
  auto fail = [&](StringRef found) {
    return emitError() << "expected cluster:device=NAME,nodes=N,ranks=N and figures of #fuse.target as "
                          "KEY=NUMBER, found '"
                       << found << "' in '" << name << "'";
  };
  TargetAttr base = TargetAttr::getDefault(context);
  SmallVector<std::pair<StringRef, double>> figures;
  llvm::SmallDenseSet<StringRef> seen;
  int64_t nodes = 1;
  for (StringRef entry : entries) {
    auto [key, value] = entry.split('=');
    if (!seen.insert(key).second)
      return fail(entry);
    if (key == "device") {
      FailureOr<TargetAttr> device = resolveTarget(context, value, emitError);
      if (failed(device))
        return failure();
      base = *device;
      continue;
    }
    double number;
    if (value.getAsDouble(number) || !(number >= 0) || number > kMostOfAFigure)
      return fail(entry);
    bool isCount = key == "nodes" || key == "ranks";
    if ((isCount || isWholeFigure(key)) && number != static_cast<double>(static_cast<int64_t>(number)))
      return fail(entry);
    if ((isCount || isCountFigure(key)) && number < 1)
      return fail(entry);
    if (key == "nodes") {
      nodes = static_cast<int64_t>(number);
      continue;
    }
    if (key == "ranks")
      key = "ranks_per_node";
    else if (llvm::none_of(TargetAttr::getDefaultFigures(),
                           [&](const auto &figure) { return figure.first == key; }))
      return fail(entry);
    figures.push_back({key, number});
  }
  NamedAttrList all(base.getFigures());
  Builder builder(context);
  for (auto [key, value] : figures)
    all.set(key, builder.getF64FloatAttr(value));
  // One rank for each machine unless it is said.
  if (nodes > 1 && !all.get("ranks_per_node"))
    all.set("ranks_per_node", builder.getF64FloatAttr(1));
  std::string text = "cluster of " + std::to_string(nodes) + " " + base.getName().str();
  return TargetAttr::get(context, text, base.getKind(), all.getDictionary(context));
}
