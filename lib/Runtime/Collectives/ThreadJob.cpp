//===- ThreadJob.cpp - Ranks that are threads of one process -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each rank shows the others of its group where its operand lies, meets them, computes its own
// result from all operands, in the order of ranks, and meets them again before its operand may
// change. This is for tests and for programs that are tried without MPI: simple, not fast.
//
//===----------------------------------------------------------------------------------------===//

#include "Job.h"

#include <cstdlib>
#include <cstring>
#include <pthread.h>

using namespace mlir::fuse::runtime;

namespace {

/// Where the members of a group meet.
struct Meeting {
  int64_t size;
  int64_t *members;
  const void **operands; // per member
  int64_t arrived;
  int64_t number; // of the next meeting
  Meeting *next;
};

/// What all ranks of a job share.
struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool failed;
  Meeting *meetings;
  fuse_job *jobs;
};

Shared &getShared(const fuse_group &group) { return *static_cast<Shared *>(group.job->data); }
Meeting &getMeeting(const fuse_group &group) { return *static_cast<Meeting *>(group.connection); }

int32_t meet(fuse_group &group, const ErrorText &error) {
  Shared &shared = getShared(group);
  Meeting &meeting = getMeeting(group);
  pthread_mutex_lock(&shared.mutex);
  int64_t number = meeting.number;
  if (++meeting.arrived == meeting.size) {
    meeting.arrived = 0;
    ++meeting.number;
    pthread_cond_broadcast(&shared.changed);
  }
  while (meeting.number == number && !shared.failed)
    pthread_cond_wait(&shared.changed, &shared.mutex);
  bool failed = meeting.number == number;
  pthread_mutex_unlock(&shared.mutex);
  return failed ? error.fail("another rank of the job has failed") : 0;
}

Meeting *findMeeting(Shared &shared, const int64_t *members, int64_t size) {
  size_t bytes = static_cast<size_t>(size) * sizeof(int64_t);
  for (Meeting *each = shared.meetings; each; each = each->next)
    if (each->size == size && std::memcmp(each->members, members, bytes) == 0)
      return each;
  auto *meeting = static_cast<Meeting *>(std::calloc(1, sizeof(Meeting)));
  auto *copy = static_cast<int64_t *>(std::malloc(bytes));
  auto *operands = static_cast<const void **>(
      std::calloc(static_cast<size_t>(size), sizeof(const void *)));
  if (!meeting || !copy || !operands) {
    std::free(meeting);
    std::free(copy);
    std::free(operands);
    return nullptr;
  }
  std::memcpy(copy, members, bytes);
  *meeting = {size, copy, operands, 0, 0, shared.meetings};
  return shared.meetings = meeting;
}

int32_t connectThreads(fuse_group &group, const int64_t *members, const ErrorText &error) {
  Shared &shared = getShared(group);
  pthread_mutex_lock(&shared.mutex);
  group.connection = findMeeting(shared, members, group.size);
  pthread_mutex_unlock(&shared.mutex);
  return group.connection ? 0 : error.fail("out of memory: a group of ranks");
}

const char *at(const void *array, int64_t bytes) {
  return static_cast<const char *>(array) + bytes;
}

/// The parts of `bytes` at `offset` of each operand, one behind the other.
void gather(const fuse_group &group, const void *const *operands, void *out, int64_t bytes, int64_t offset) {
  for (int64_t rank = 0; rank < group.size; ++rank)
    std::memcpy(static_cast<char *>(out) + rank * bytes, at(operands[rank], offset), static_cast<size_t>(bytes));
}

/// Computes this rank's result from the operands of all.
void computeResult(const fuse_group &group, const Exchange &exchange, const void *const *operands) {
  const Elements &elements = exchange.elements;
  switch (exchange.kind) {
  case Exchange::AllReduce:
    std::memcpy(exchange.out, operands[0],
                static_cast<size_t>(elements.count * fuse_dtype_size(elements.dtype)));
    for (int64_t rank = 1; rank < group.size; ++rank)
      combine(elements, operands[rank], exchange.out);
    return;
  case Exchange::AllGather:
    return gather(group, operands, exchange.out, exchange.bytes, 0);
  case Exchange::AllToAll:
    return gather(group, operands, exchange.out, exchange.bytes, group.rank * exchange.bytes);
  case Exchange::Broadcast:
    if (group.rank != exchange.root)
      std::memcpy(exchange.out, operands[exchange.root], static_cast<size_t>(exchange.bytes));
    return;
  }
}

int32_t exchangeThreads(fuse_group &group, const Exchange &exchange, const ErrorText &error) {
  Meeting &meeting = getMeeting(group);
  meeting.operands[group.rank] = exchange.in;
  if (meet(group, error))
    return 1;
  computeResult(group, exchange, meeting.operands);
  return meet(group, error);
}

void abortThreads(fuse_job &job, int32_t) {
  auto &shared = *static_cast<Shared *>(job.data);
  pthread_mutex_lock(&shared.mutex);
  shared.failed = true;
  pthread_cond_broadcast(&shared.changed);
  pthread_mutex_unlock(&shared.mutex);
}

constexpr Transport kThreads = {"threads",       connectThreads, [](fuse_group &) {}, exchangeThreads, meet,
                                abortThreads, nullptr,        nullptr,             nullptr};

void destroy(Shared *shared, int64_t ranks) {
  for (int64_t rank = 0; rank < ranks; ++rank)
    endJob(shared->jobs[rank]);
  while (Meeting *meeting = shared->meetings) {
    shared->meetings = meeting->next;
    std::free(meeting->members);
    std::free(meeting->operands);
    std::free(meeting);
  }
  pthread_cond_destroy(&shared->changed);
  pthread_mutex_destroy(&shared->mutex);
  std::free(shared->jobs);
  std::free(shared);
}

} // namespace

extern "C" {

int32_t fuse_job_create_threads(int64_t ranks, fuse_job **jobs, char *error, int64_t capacity) {
  ErrorText text = {error, capacity};
  if (ranks < 1)
    return text.fail("expected a job of at least one rank, found %lld", toLong(ranks));
  auto *shared = static_cast<Shared *>(std::calloc(1, sizeof(Shared)));
  auto *all = static_cast<fuse_job *>(std::calloc(static_cast<size_t>(ranks), sizeof(fuse_job)));
  if (!shared || !all) {
    std::free(shared);
    std::free(all);
    return text.fail("out of memory: a job of %lld ranks", toLong(ranks));
  }
  pthread_mutex_init(&shared->mutex, nullptr);
  pthread_cond_init(&shared->changed, nullptr);
  shared->jobs = all;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    all[rank] = {&kThreads, rank, ranks, kThreads.name, shared, nullptr, nullptr};
    jobs[rank] = &all[rank];
    if (!startJob(all[rank])) {
      destroy(shared, rank);
      return text.fail("out of memory: a job of %lld ranks", toLong(ranks));
    }
  }
  return 0;
}

void fuse_job_destroy_threads(fuse_job *job) {
  if (job)
    destroy(static_cast<Shared *>(job->data), job->size);
}

} // extern "C"
