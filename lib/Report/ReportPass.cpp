//===- ReportPass.cpp - The pass fuse-report -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Report/Passes.h"
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
    Report report = computeReport(getOperation());
    if (json != "-")
      printReport(report, llvm::outs());
    if (json.empty())
      return;
    std::string message;
    std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(json, &message);
    if (!file) {
      getOperation().emitError() << message;
      return signalPassFailure();
    }
    file->os() << llvm::formatv("{0:2}", toJson(report)) << "\n";
    file->keep();
  }
};

} // namespace
