//===- Ranks.cpp - fuse-run as one of several processes --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Ranks.h"

#include "fuse/Driver/Recording.h"
#include "fuse/Execution/Bundle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstdio>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;

template <typename Options, typename Act>
static void forEachInput(Options &options, Act act) {
  for (auto &path : options.inputArchives)
    act(path);
  for (auto &file : options.inputFiles)
    act(file.second);
}

template <typename Options, typename Act>
static void forEachOutput(Options &options, Act act) {
  act(options.outputs);
  act(options.expect);
  act(options.reportJson);
  act(options.trace);
  act(options.graph);
}

bool mlir::fuse::namesRanks(const RunOptions &options) {
  bool found = false;
  auto look = [&](const std::string &path) { found |= StringRef(path).contains(kRankInName); };
  forEachInput(options, look);
  forEachOutput(options, look);
  return found;
}

void mlir::fuse::nameFiles(RunOptions &options, int64_t rank) {
  auto name = [&](std::string &path, bool &isPerRank) {
    for (size_t at = 0; (at = path.find(kRankInName.data(), at)) != std::string::npos;) {
      isPerRank = true;
      path.replace(at, kRankInName.size(), std::to_string(rank));
    }
  };
  bool ofOthers = false;
  forEachInput(options, [&](std::string &path) { name(path, options.inputsPerRank); });
  forEachOutput(options, [&](std::string &path) {
    name(path, &path == &options.outputs || &path == &options.expect ? options.outputsPerRank
                                                                     : ofOthers);
  });
}

llvm::Error mlir::fuse::openJob(std::unique_ptr<Job> &job) {
  if (job)
    return llvm::Error::success();
  auto opened = Job::open();
  if (!opened)
    return opened.takeError();
  job = std::move(*opened);
  if (job->isFirst())
    return llvm::Error::success();
  llvm::outs().flush();
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
    return llvm::createStringError("cannot open /dev/null");
  close(null);
  return llvm::Error::success();
}

llvm::Error mlir::fuse::openJob(std::unique_ptr<Job> &job, ArrayRef<int64_t> grid,
                                StringRef program) {
  if (countRanks(grid) > 1)
    if (llvm::Error error = openJob(job))
      return error;
  int64_t started = job ? job->getSize() : fuse_job_started_ranks();
  if (countRanks(grid) == 1 && started > 1)
    return llvm::createStringError("the program is for one process, expected mpirun -n 1, found a "
                                   "job of " +
                                   std::to_string(started) + " ranks");
  if (!job)
    return llvm::Error::success();
  if (llvm::Error error = job->checkGrid(grid))
    return error;
  if (llvm::Error error = job->agree("version of fuse", getBundleVersion()))
    return error;
  return job->agree("program", program);
}

llvm::Expected<int32_t> mlir::fuse::chooseThreads(Job &job, int32_t wanted) {
  if (wanted > 0 || getenv("OMP_NUM_THREADS"))
    return wanted;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0)
    return wanted;
  char host[256] = {};
  (void)gethostname(host, sizeof host - 1);
  std::string place(reinterpret_cast<const char *>(&cpus), sizeof cpus);
  // As much of the hash as a double holds.
  constexpr int kDropped = 12;
  auto mine = static_cast<double>(llvm::xxh3_64bits(place + host) >> kDropped);
  auto all = job.gather(mine);
  if (!all)
    return all.takeError();
  auto sharing = static_cast<int32_t>(llvm::count(*all, mine));
  return std::max(1, CPU_COUNT(&cpus) / std::max(1, sharing));
}

llvm::Error mlir::fuse::printRankTimes(Job &job, ArrayRef<double> runMs, llvm::raw_ostream &os) {
  ArrayRef<double> runs = runMs.drop_front();
  auto medians = job.gather(getMedian(runs.vec()));
  if (!medians)
    return medians.takeError();
  auto least = job.gather(*llvm::min_element(runs));
  if (!least)
    return least.takeError();
  for (auto [rank, median] : llvm::enumerate(*medians))
    os << "rank " << rank
       << llvm::format(": median %.3f ms, least %.3f ms\n", median, (*least)[rank]);
  return llvm::Error::success();
}

int mlir::fuse::finishJob(Job *job, int status) {
  if (status == 0 || !job || job->getSize() == 1)
    return status;
  llvm::outs().flush();
  llvm::errs().flush();
  job->abort(status);
  return status;
}
