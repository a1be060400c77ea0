//===- RunBundle.cpp - What fuse-run does with a bundle --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RunBundle.h"

#include "Arrays.h"
#include "Output.h"
#include "fuse/Execution/LoadedBundle.h"

using namespace mlir;
using namespace mlir::fuse;

llvm::Error mlir::fuse::runBundle(const RunOptions &options, std::unique_ptr<Job> &job,
                                  llvm::raw_ostream &os) {
  // First of all: where a rank has no such bundle, the others wait for it in theirs.
  int32_t threads = options.threads;
  if (fuse_job_started_ranks() > 1) {
    if (llvm::Error error = openJob(job))
      return error;
    auto chosen = chooseThreads(*job, threads);
    if (!chosen)
      return chosen.takeError();
    threads = *chosen;
  }
  if (!options.cpu.empty())
    setenv("FUSE_BUNDLE_CPU", options.cpu.c_str(), /*overwrite=*/1);
  auto bundle = LoadedBundle::open(options.program, threads);
  if (!bundle && !options.cpu.empty()) { // in the words of the option that set the variable
    std::string text = llvm::toString(bundle.takeError());
    if (size_t at = text.find("FUSE_BUNDLE_CPU"); at != std::string::npos)
      text.replace(at, StringRef("FUSE_BUNDLE_CPU").size(), "--cpu");
    return llvm::createStringError(text);
  }
  if (!bundle)
    return bundle.takeError();
  LoadedBundle &loaded = **bundle;
  bool onlyExplains = !options.reportJson.empty() && !options.hasInputs() && !options.isTimed() &&
                      options.expect.empty() && options.outputs.empty() &&
                      !loaded.getSignature().inputs.empty();
  std::pair<StringRef, StringRef> report(options.reportJson, loaded.getReport());
  if (onlyExplains)
    return writeFiles(options, {}, report);
  const Signature &signature = loaded.getSignature();
  if (llvm::Error error = openJob(job, signature.grid, loaded.getVersion()))
    return error;
  auto files = readInputFiles(options);
  if (!files)
    return files.takeError();
  auto inputs = gatherInputs(signature, options, *files, /*parameters=*/{},
                             loaded.getIndexExtents(), job.get());
  if (!inputs)
    return inputs.takeError();
  std::vector<NamedArray> expected;
  if (!options.expect.empty()) {
    bool isFull = job && !options.outputsPerRank;
    auto wanted = readExpected(options.expect, isFull ? signature.getFull() : signature);
    if (!wanted)
      return wanted.takeError();
    expected = std::move(*wanted);
  }
  if (llvm::Error error = loaded.bind(*inputs))
    return error;
  std::vector<double> runMs;
  for (RunCounter counter(options); counter.next();) {
    if (llvm::Error error = loaded.run())
      return error;
    runMs.push_back(static_cast<double>(loaded.getLastRunNanoseconds()) * 1e-6);
  }
  std::vector<NamedArray> outputs = loaded.getOutputs().vec();
  if (job && !options.outputsPerRank) {
    auto joined = joinOutputs(signature, outputs, *job);
    if (!joined)
      return joined.takeError();
    outputs = std::move(*joined);
  }
  if (options.outputs.empty())
    for (const NamedArray &output : outputs)
      printSummary(output, os);
  if (options.isTimed() || !options.cpu.empty())
    os << "code: " << loaded.getCpu() << " of " << loaded.getCpus() << "\n";
  if (options.isTimed())
    printTimes(options.threads ? std::optional(options.threads) : std::nullopt, std::nullopt, runMs,
               os);
  if (job && options.isTimed())
    if (llvm::Error error = printRankTimes(*job, runMs, os))
      return error;
  if (!expected.empty())
    if (llvm::Error error = compareOutputs(outputs, expected, options, options.expect, os))
      return error;
  // Not before all ranks have what they were to have.
  if (job)
    if (llvm::Error error = job->wait())
      return error;
  if (job && !job->isFirst() && !options.outputsPerRank)
    return llvm::Error::success();
  return writeFiles(options, outputs, report);
}
