//===- CollectivesTest.cpp - Ranks that are threads ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CollectiveCases.h"
#include "Collectives/Widen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <thread>

using namespace fusetest;

namespace {

/// A job of threads, which is destroyed with it.
class ThreadJob {
public:
  explicit ThreadJob(int64_t ranks) : jobs(static_cast<size_t>(ranks)) {
    char error[256];
    EXPECT_EQ(fuse_job_create_threads(ranks, jobs.data(), error, sizeof(error)), 0) << error;
  }
  ~ThreadJob() { fuse_job_destroy_threads(jobs[0]); }

  /// Calls `body` on a thread for each rank; what they return, in order.
  std::vector<std::string> run(const std::function<std::string(fuse_job *)> &body) {
    std::vector<std::string> results(jobs.size());
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < jobs.size(); ++rank)
      threads.emplace_back([&, rank] { results[rank] = body(jobs[rank]); });
    for (std::thread &thread : threads)
      thread.join();
    return results;
  }
  fuse_job *operator[](size_t rank) { return jobs[rank]; }

private:
  std::vector<fuse_job *> jobs;
};

} // namespace

TEST(Collectives, AllOnAllGridsOfThreads) {
  for (int64_t ranks : {1, 2, 4}) {
    ThreadJob job(ranks);
    for (const Shape &grid : getGrids(ranks))
      for (const std::string &wrong : job.run([&](fuse_job *rank) {
             int64_t count = 0;
             return runCollectives(rank, grid, count);
           }))
        EXPECT_EQ(wrong, "");
  }
}

TEST(Collectives, OddNumbersAreOneOnAllRanks) {
  for (const std::string &wrong : ThreadJob(4).run(runOddNumbers))
    EXPECT_EQ(wrong, "");
}

TEST(Collectives, GroupsAreOrderedByTheirAxes) {
  ThreadJob job(6);
  job.run([](fuse_job *rank) -> std::string {
    int64_t grid[] = {2, 3}, inner[] = {1}, both[] = {1, 0};
    int64_t number = fuse_job_rank(rank);
    fuse_group *row, *turned, *again;
    char error[256];
    EXPECT_EQ(fuse_job_group(rank, grid, 2, inner, 1, &row, error, sizeof(error)), 0) << error;
    EXPECT_EQ(fuse_group_size(row), 3);
    EXPECT_EQ(fuse_group_rank(row), number % 3);
    EXPECT_EQ(fuse_job_group(rank, grid, 2, both, 2, &turned, error, sizeof(error)), 0) << error;
    EXPECT_EQ(fuse_group_rank(turned), number % 3 * 2 + number / 3);
    EXPECT_EQ(fuse_job_group(rank, grid, 2, inner, 1, &again, error, sizeof(error)), 0) << error;
    EXPECT_EQ(again, row);
    return "";
  });
}

TEST(Collectives, Errors) {
  ThreadJob job(2);
  char error[256];
  int64_t grid[] = {2, 2}, pair[] = {2}, axes[] = {0, 2};
  fuse_group *group;
  EXPECT_EQ(fuse_job_check_grid(job[0], grid, 2, error, sizeof(error)), 1);
  EXPECT_STREQ(error, "the program is for a grid of 2x2: expected a job of 4 ranks (mpirun -n 4), "
                      "found 2");
  EXPECT_EQ(fuse_job_group(job[0], pair, 1, axes, 2, &group, error, sizeof(error)), 1);
  EXPECT_STREQ(error, "expected different axes of a grid of 1 axes, found 2");
  fuse_job *none;
  EXPECT_EQ(fuse_job_create_threads(0, &none, error, sizeof(error)), 1);
  EXPECT_STREQ(error, "expected a job of at least one rank, found 0");

  Context context = makeContext(1);
  Array<float> in(FUSE_F32, {4, 6}), out(FUSE_F32, {4, 5});
  Array<int32_t> integers(FUSE_I32, {4, 6});
  fuse_buffer from = in.buffer(), to = out.buffer(), whole = integers.buffer();
  fuse_group *all = fuse_job_all(job[0]);
  auto expectError = [&](int32_t status, const char *text) {
    EXPECT_EQ(status, 1);
    EXPECT_STREQ(fuse_context_error(context.get()), text);
  };
  expectError(fuse_all_gather(context.get(), all, -1, &from, &from),
              "all_gather: expected a dimension of an operand of rank 2, found -1");
  expectError(fuse_all_slice(context.get(), all, -1, &from, &from),
              "all_slice: expected a dimension of an operand of rank 2, found -1");
  expectError(fuse_all_reduce(context.get(), all, FUSE_REDUCE_SUM, &from, &to),
              "all_reduce among 2 ranks: operand [4, 6] of f32 does not fit result [4, 5] of f32");
  expectError(fuse_all_reduce(context.get(), all, FUSE_REDUCE_SUM, &from, &whole),
              "all_reduce among 2 ranks: operand [4, 6] of f32 does not fit result [4, 6] of i32");
  expectError(fuse_all_reduce(context.get(), all, FUSE_REDUCE_ANY, &from, &from),
              "all_reduce: ranks cannot combine f32 by reduction 5");
  expectError(fuse_all_gather(context.get(), all, 2, &from, &to),
              "all_gather: expected a dimension of an operand of rank 2, found 2");
  expectError(fuse_broadcast_from(context.get(), all, 2, &from, &from),
              "broadcast_from: expected one of 2 ranks, found 2");
  fuse_buffer args[] = {from, to};
  int64_t attrs[] = {0, 3, 2};
  expectError(fuse_host_call(context.get(), "all_reduce", args, 1, 1, attrs, 3),
              "all_reduce: expected 1 operand, 1 result, 1 attributes and a group of ranks, found "
              "1, 1 and 3 attributes");
}

TEST(Collectives, ARankThatFailsIsNotWaitedFor) {
  std::vector<std::string> errors = ThreadJob(2).run([](fuse_job *job) -> std::string {
    if (fuse_job_rank(job) == 1) {
      fuse_job_abort(job, 1);
      return "";
    }
    Context context = makeContext(1);
    EXPECT_EQ(fuse_barrier(context.get(), fuse_job_all(job)), 1);
    return fuse_context_error(context.get());
  });
  EXPECT_EQ(errors[0], "another rank of the job has failed");
}

TEST(Collectives, RanksMustAgree) {
  std::vector<std::string> errors = ThreadJob(3).run([](fuse_job *job) -> std::string {
    char error[512] = "";
    EXPECT_EQ(fuse_job_agree(job, "version", "1.0", error, sizeof(error)), 0) << error;
    const char *mine = fuse_job_rank(job) == 2 ? "program b" : "program a";
    EXPECT_EQ(fuse_job_agree(job, "program", mine, error, sizeof(error)), 1);
    return error;
  });
  for (const std::string &error : errors)
    EXPECT_EQ(error, "expected all ranks of the job to have one program, found 'program a' on rank "
                     "0 and 'program b' on rank 2");
}

TEST(Collectives, ShortFloatsAreConvertedAsOneByOne) {
  using namespace mlir::fuse::runtime;
  for (int32_t dtype : {FUSE_F16, FUSE_BF16}) {
    auto widenOne = dtype == FUSE_F16 ? widenF16 : widenBF16;
    auto roundOne = dtype == FUSE_F16 ? roundToF16 : roundToBF16;
    std::vector<uint16_t> bits(1 << 16), back;
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = static_cast<uint16_t>(i);
    std::vector<float> wide(bits.size()), between;
    widen(dtype, bits.data(), static_cast<int64_t>(bits.size()), wide.data());
    for (size_t i = 0; i < bits.size(); ++i) {
      auto want = static_cast<float>(widenOne(bits[i]));
      EXPECT_TRUE(wide[i] == want || (std::isnan(want) && std::isnan(wide[i]))) << i;
      // What lies between two neighbours, at and beside their middle.
      for (float next : {want, std::nextafter(want, INFINITY), std::nextafter(want, -INFINITY)}) {
        auto other = static_cast<float>(widenOne(static_cast<uint16_t>(i + 1)));
        float middle = 0.5f * want + 0.5f * other;
        for (float value : {next, middle, std::nextafter(middle, INFINITY),
                            std::nextafter(middle, -INFINITY)})
          between.push_back(value);
      }
    }
    back.resize(between.size());
    narrow(dtype, between.data(), static_cast<int64_t>(between.size()), back.data());
    for (size_t i = 0; i < between.size(); ++i) {
      uint16_t want = roundOne(between[i]);
      bool isNan = std::isnan(between[i]);
      EXPECT_TRUE(isNan ? std::isnan(widenOne(back[i])) : back[i] == want) << between[i];
    }
  }
}
