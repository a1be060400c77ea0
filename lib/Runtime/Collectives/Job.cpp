//===- Job.cpp - Ranks, grids and groups ---------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Job.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

namespace {

/// The extents of a grid as text, "2x4"; shortened if it does not fit.
struct GridText {
  GridText(const int64_t *grid, int64_t axes) {
    int length = 0;
    for (int64_t i = 0; i < axes && length < static_cast<int>(sizeof(text)) - 24; ++i)
      length += snprintf(text + length, sizeof(text) - static_cast<size_t>(length),
                         i ? "x%lld" : "%lld", toLong(grid[i]));
    text[length] = '\0';
  }
  char text[128];
};

/// The ranks of a grid; 0 if it is none.
int64_t countRanks(const int64_t *grid, int64_t axes) {
  int64_t ranks = 1;
  for (int64_t i = 0; i < axes; ++i)
    if (grid[i] < 1 || __builtin_mul_overflow(ranks, grid[i], &ranks))
      return 0;
  return ranks;
}

bool areEqual(const int64_t *a, const int64_t *b, int64_t count) {
  return count == 0 || std::memcmp(a, b, static_cast<size_t>(count) * sizeof(int64_t)) == 0;
}

int64_t *copyIntegers(const int64_t *from, int64_t count) {
  auto *copy = static_cast<int64_t *>(std::calloc(static_cast<size_t>(count) + 1, sizeof(int64_t)));
  if (copy && count > 0)
    std::memcpy(copy, from, static_cast<size_t>(count) * sizeof(int64_t));
  return copy;
}

void freeGroup(fuse_group *group) {
  std::free(group->grid);
  std::free(group->axes);
  std::free(group);
}

/// Writes the ranks of the group that `rank` is in, in order; returns its place among them.
int64_t findMembers(const fuse_group &group, int64_t rank, int64_t *members) {
  // How far apart in the job neighbours along an axis are.
  auto getStep = [&](int64_t axis) {
    int64_t step = 1;
    for (int64_t i = axis + 1; i < group.grid_axes; ++i)
      step *= group.grid[i];
    return step;
  };
  int64_t first = rank;
  for (int64_t i = 0; i < group.num_axes; ++i) {
    int64_t step = getStep(group.axes[i]);
    first -= rank / step % group.grid[group.axes[i]] * step;
  }
  int64_t place = 0;
  for (int64_t member = 0; member < group.size; ++member) {
    members[member] = first;
    for (int64_t i = group.num_axes, rest = member; i-- > 0;) {
      int64_t extent = group.grid[group.axes[i]];
      members[member] += rest % extent * getStep(group.axes[i]);
      rest /= extent;
    }
    if (members[member] == rank)
      place = member;
  }
  return place;
}

int32_t checkAxes(const fuse_group &group, const ErrorText &error) {
  for (int64_t i = 0; i < group.num_axes; ++i) {
    int64_t axis = group.axes[i];
    bool isNew = true;
    for (int64_t before = 0; before < i; ++before)
      isNew &= group.axes[before] != axis;
    if (axis < 0 || axis >= group.grid_axes || !isNew)
      return error.fail("expected different axes of a grid of %lld axes, found %lld",
                        toLong(group.grid_axes), toLong(axis));
  }
  return 0;
}

int32_t connect(fuse_group &group, const ErrorText &error) {
  auto *members =
      static_cast<int64_t *>(std::malloc(static_cast<size_t>(group.size) * sizeof(int64_t)));
  if (!members)
    return error.fail("out of memory: a group of ranks");
  group.rank = findMembers(group, group.job->rank, members);
  int32_t status =
      group.size > 1 ? group.job->transport->connect(group, members, error) : 0;
  std::free(members);
  return status;
}

/// Connected, with arrays of its own; null after an error.
fuse_group *makeGroup(fuse_job &job, const fuse_group &key, const ErrorText &error) {
  auto *group = static_cast<fuse_group *>(std::calloc(1, sizeof(fuse_group)));
  if (!group) {
    error.fail("out of memory: a group of ranks");
    return nullptr;
  }
  *group = key;
  group->job = &job;
  group->grid = copyIntegers(key.grid, key.grid_axes);
  group->axes = copyIntegers(key.axes, key.num_axes);
  int32_t status = 0;
  if (!group->grid || !group->axes)
    status = error.fail("out of memory: a group of ranks");
  group->size = 1;
  for (int64_t i = 0; status == 0 && i < group->num_axes; ++i)
    group->size *= group->grid[group->axes[i]];
  if (status || connect(*group, error)) {
    freeGroup(group);
    return nullptr;
  }
  group->next = job.groups;
  job.groups = group;
  return group;
}

} // namespace

bool mlir::fuse::runtime::startJob(fuse_job &job) {
  int64_t axis = 0;
  fuse_group key = {};
  key.grid = &job.size;
  key.axes = &axis;
  key.grid_axes = key.num_axes = 1;
  job.all = makeGroup(job, key, ErrorText{nullptr, 0});
  return job.all != nullptr;
}

void mlir::fuse::runtime::endJob(fuse_job &job) {
  while (fuse_group *group = job.groups) {
    job.groups = group->next;
    if (group->size > 1)
      job.transport->disconnect(*group);
    freeGroup(group);
  }
}

extern "C" {

int64_t fuse_job_rank(const fuse_job *job) { return job->rank; }
int64_t fuse_job_size(const fuse_job *job) { return job->size; }
const char *fuse_job_library(const fuse_job *job) { return job->library; }
fuse_group *fuse_job_all(fuse_job *job) { return job->all; }
int64_t fuse_group_rank(const fuse_group *group) { return group->rank; }
int64_t fuse_group_size(const fuse_group *group) { return group->size; }
void fuse_job_abort(fuse_job *job, int32_t status) { job->transport->abort(*job, status); }
void fuse_context_set_job(fuse_context *context, fuse_job *job) { context->job = job; }

int32_t fuse_job_check_grid(const fuse_job *job, const int64_t *grid, int64_t gridAxes, char *error,
                            int64_t capacity) {
  int64_t ranks = countRanks(grid, gridAxes);
  if (ranks == job->size)
    return 0;
  return ErrorText{error, capacity}.fail(
      "the program is for a grid of %s: expected a job of %lld ranks (mpirun -n %lld), found %lld",
      GridText(grid, gridAxes).text, toLong(ranks), toLong(ranks), toLong(job->size));
}

int32_t fuse_job_group(fuse_job *job, const int64_t *grid, int64_t gridAxes, const int64_t *axes,
                       int64_t numAxes, fuse_group **group, char *error, int64_t capacity) {
  *group = nullptr;
  for (fuse_group *each = job->groups; each; each = each->next)
    if (each->grid_axes == gridAxes && each->num_axes == numAxes &&
        areEqual(each->grid, grid, gridAxes) && areEqual(each->axes, axes, numAxes)) {
      *group = each;
      return 0;
    }
  ErrorText text = {error, capacity};
  fuse_group key = {};
  key.grid = const_cast<int64_t *>(grid);
  key.axes = const_cast<int64_t *>(axes);
  key.grid_axes = gridAxes;
  key.num_axes = numAxes;
  if (fuse_job_check_grid(job, grid, gridAxes, error, capacity) || checkAxes(key, text))
    return 1;
  *group = makeGroup(*job, key, text);
  return *group ? 0 : 1;
}

int32_t fuse_job_agree(fuse_job *job, const char *what, const char *given, char *error,
                       int64_t capacity) {
  constexpr int64_t kBytes = 256;
  ErrorText text = {error, capacity};
  if (job->size == 1)
    return 0;
  char mine[kBytes] = {};
  snprintf(mine, sizeof(mine), "%s", given);
  auto *all = static_cast<char *>(std::malloc(static_cast<size_t>(job->size * kBytes)));
  if (!all)
    return text.fail("out of memory: what the ranks of a job have");
  Exchange exchange = {Exchange::AllGather, {}, kBytes, 0, mine, all};
  int32_t status = job->transport->exchange(*job->all, exchange, text);
  for (int64_t rank = 1; status == 0 && rank < job->size; ++rank)
    if (std::strncmp(all, all + rank * kBytes, kBytes) != 0)
      status = text.fail("expected all ranks of the job to have one %s, found '%s' on rank 0 and "
                         "'%s' on rank %lld",
                         what, all, all + rank * kBytes, toLong(rank));
  std::free(all);
  return status;
}

} // extern "C"
