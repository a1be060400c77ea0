//===- ReportPass.cpp - The pass fuse-report -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/Report/Graph.h"
#include "fuse/Report/Passes.h"
#include "fuse/Report/Picture.h"
#include "fuse/Report/Report.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEREPORT
#include "fuse/Report/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct ReportPass : fuse::impl::FuseReportBase<ReportPass> {
  using FuseReportBase::FuseReportBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    std::optional<Numerics> allowed = parseNumerics(numerics);
    if (!allowed) {
      getOperation().emitError() << describeUnknownNumerics(numerics);
      return signalPassFailure();
    }
    Report report = computeReport(getOperation(), *allowed);
    if (json != "-")
      printReport(report, llvm::outs());
    if (!json.empty() && failed(write(json, llvm::formatv("{0:2}\n", toJson(report)).str())))
      return signalPassFailure();
    if (!html.empty() &&
        failed(write(html, makePicture(buildGraphs(getOperation(), report), report))))
      signalPassFailure();
  }

  LogicalResult write(StringRef path, StringRef text) {
    std::string message;
    std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &message);
    if (!file)
      return getOperation().emitError() << message;
    file->os() << text;
    file->keep();
    return success();
  }
};

} // namespace
