//===- DriverResults.cpp - What fuse-run prints, compares and writes --------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Arrays.h"
#include "Driver.h"
#include "Output.h"
#include "fuse/Report/Picture.h"
#include "fuse/Runtime/Cpu.h"
#include "fuse/Support/Plural.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;

void Driver::printReports() {
  if (options.report)
    printReport(report, os);
  if (options.report && !options.isTimed())
    printCached();
}

void Driver::printCached() {
  if (codeCounts)
    os << "code: " << pluralize(codeCounts->kernels, "kernel") << ", " << codeCounts->cached << " from the cache\n";
}

void Driver::printTimes() {
  double compileMs = 0;
  for (const TracedStage &stage : stages)
    if (stage.name != "import")
      compileMs += static_cast<double>(stage.endNs - stage.beginNs) * 1e-6;
  if (options.isTimed())
    printCached();
  if (options.isTimed() && session)
    fuse::printTimes(session->getContext()->threads, compileMs, runMs, os);
  else if (options.isTimed())
    fuse::printTimes(std::nullopt, std::nullopt, runMs, os);
}

LogicalResult Driver::compare() {
  // Both are compared before either fails.
  LogicalResult result = success();
  if (!expected.empty())
    if (llvm::Error error = compareOutputs(outputs, expected, options, options.expect, os))
      result = fail(std::move(error));
  if (options.check) {
    std::vector<NamedArray> wanted;
    if (failed(interpret(wanted)))
      return failure();
    llvm::Error error = compareOutputs(ownOutputs, wanted, options, "the interpreter", os);
    // Other ranks may agree, and would wait for one that looks for the kernel.
    if (job)
      return error ? fail(std::move(error)) : result;
    bool agrees = !error;
    if (options.locate && failed(locate(wanted, agrees))) {
      llvm::consumeError(std::move(error));
      return failure();
    }
    if (!agrees && failed(excuse(wanted, std::move(error))))
      result = failure();
  }
  return result;
}

PictureOptions Driver::getPictureOptions() const {
  PictureOptions picture;
  picture.model = llvm::sys::path::filename(options.program).str();
  if (session && !options.backend->hasDevice()) {
    picture.cpu = fuse_cpu_name();
    picture.threads = session->getContext()->threads;
  }
  return picture;
}

LogicalResult Driver::writeFiles() {
  // Not before all ranks have what they were to have.
  if (job)
    if (llvm::Error error = job->wait())
      return fail(std::move(error));
  if (job && !job->isFirst() && !options.outputsPerRank)
    return success();
  std::string json, page;
  if (!options.reportJson.empty())
    json = llvm::formatv("{0:2}\n", toJson(report)).str();
  std::string trace;
  if (!options.trace.empty())
    trace = makeTrace({options.program, session->getContext()->threads, stages, getFunctionReport(),
                       launches, runs});
  if (!options.graph.empty())
    page = makePicture(graphs, report, getPictureOptions());
  std::pair<StringRef, StringRef> texts[] = {
      {options.reportJson, json}, {options.trace, trace}, {options.graph, page}};
  if (llvm::Error error = fuse::writeFiles(options, outputs, texts))
    return fail(std::move(error));
  return success();
}
