//===- mpi-ranks.cpp - What the runtime does under mpirun ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
//   mpirun -n 4 mpi-ranks cases         every collective, type and grid
//   mpirun -n 2 mpi-ranks calls N       N collectives; fails if memory grows
//   mpirun -n 2 mpi-ranks grid 2 2      opens a job for a grid of 2x2
//   mpirun -n 2 mpi-ranks agree         ranks with different programs
//   mpirun -n 2 mpi-ranks killed        rank 1 ends by a signal while rank 0 waits for it
//   mpirun -n 2 mpi-ranks fails         rank 1 fails by itself while rank 0 waits for it
//
// Rank 0 prints; whoever fails prints why, and ends the job.
//
//===----------------------------------------------------------------------------------------===//

#include "CollectiveCases.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>

using namespace fusetest;

namespace {

constexpr int64_t kErrorBytes = 512;

int fail(fuse_job *job, const std::string &text) {
  std::fprintf(stderr, "mpi-ranks: rank %lld: %s\n", static_cast<long long>(fuse_job_rank(job)),
               text.c_str());
  std::fflush(stderr);
  fuse_job_abort(job, 1);
  return 1;
}

int runCases(fuse_job *job) {
  int64_t count = 0;
  for (const Shape &grid : getGrids(fuse_job_size(job)))
    if (std::string wrong = runCollectives(job, grid, count); !wrong.empty())
      return fail(job, wrong);
  if (std::string wrong = runOddNumbers(job); !wrong.empty())
    return fail(job, wrong);
  if (fuse_job_rank(job) == 0)
    std::printf("%s, %lld ranks: %lld cases are right\n", fuse_job_library(job),
                static_cast<long long>(fuse_job_size(job)), static_cast<long long>(count));
  return 0;
}

/// Bytes of memory that this process has resident.
int64_t getResidentBytes() {
  long long pages = 0, resident = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lld %lld", &pages, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return resident * 4096;
}

/// In turn, in groups along each axis of the grid: bf16, whose operands are widened, and f32.
int runCalls(fuse_job *job, int64_t calls) {
  constexpr int64_t kWarm = 1000, kMostGrowth = 4 << 20;
  Context context = makeContext(1);
  fuse_context_set_job(context.get(), job);
  Shape grid = {1, fuse_job_size(job)};
  int64_t before = 0;
  for (int64_t call = 0; call < calls; ++call) {
    if (call == kWarm)
      before = getResidentBytes();
    int64_t sizes[] = {8, 8}, strides[] = {8, 1}, parts[] = {8, 8};
    bool isWide = call % 2 == 0;
    std::vector<float> in(64, 1.0f), out(64);
    fuse_buffer args[] = {{in.data(), sizes, strides, 2, isWide ? FUSE_F32 : FUSE_BF16},
                          {out.data(), parts, strides, 2, isWide ? FUSE_F32 : FUSE_BF16}};
    int64_t attrs[] = {FUSE_REDUCE_SUM, 2, grid[0], grid[1], 1, 0};
    if (fuse_host_call(context.get(), "all_reduce", args, 1, 1, attrs, call % 3 == 0 ? 6 : 5))
      return fail(job, fuse_context_error(context.get()));
  }
  int64_t grown = getResidentBytes() - before;
  if (grown > kMostGrowth)
    return fail(job, "memory grew by " + std::to_string(grown) + " bytes");
  if (fuse_job_rank(job) == 0)
    std::printf("%lld calls in flat memory\n", static_cast<long long>(calls));
  return 0;
}

int openGrid(fuse_job *job, int argc, char **argv) {
  Shape grid;
  for (int i = 2; i < argc; ++i)
    grid.push_back(std::atoll(argv[i]));
  char error[kErrorBytes];
  if (fuse_job_check_grid(job, grid.data(), static_cast<int64_t>(grid.size()), error, kErrorBytes))
    return fail(job, error);
  return 0;
}

int agree(fuse_job *job) {
  char error[kErrorBytes];
  std::string mine = "build " + std::to_string(fuse_job_rank(job));
  if (fuse_job_agree(job, "program", mine.c_str(), error, kErrorBytes))
    return fail(job, error);
  return 0;
}

/// Rank 1 ends, by a signal or by itself, where the others wait for it.
int leave(fuse_job *job, bool isKilled) {
  Context context = makeContext(1);
  for (int call = 0; call < 10; ++call) {
    if (call == 5 && fuse_job_rank(job) == 1) {
      if (isKilled)
        std::raise(SIGKILL);
      return fail(job, "fails");
    }
    if (fuse_barrier(context.get(), fuse_job_all(job)))
      return fail(job, fuse_context_error(context.get()));
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  fuse_job *job;
  char error[kErrorBytes];
  if (fuse_job_open(&job, error, kErrorBytes)) {
    std::fprintf(stderr, "mpi-ranks: %s\n", error);
    return 1;
  }
  if (what == "cases")
    return runCases(job);
  if (what == "calls" && argc == 3)
    return runCalls(job, std::atoll(argv[2]));
  if (what == "grid")
    return openGrid(job, argc, argv);
  if (what == "agree")
    return agree(job);
  if (what == "killed" || what == "fails")
    return leave(job, what == "killed");
  return fail(job, "expected cases, calls N, grid N…, agree, killed or fails, found '" + what + "'");
}
