//===- Started.cpp - Collectives beside which kernels run ------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A program starts a collective, launches kernels that need nothing of it, and then waits for it:
//
//   fuse_host_call("start_all_reduce", …)         the operand and the place of the result stay
//   fuse_launch(…)                                moves the collective on, between blocks
//   fuse_host_call("wait_for_collectives", [0])   of those that were started, 0 are left under way
//
// Collectives end in the order in which they are started, which all ranks have in common.
//
//===----------------------------------------------------------------------------------------===//

#include "Call.h"

#include <cstdlib>
#include <cstring>
#include <new>

using namespace mlir::fuse::runtime;

/// One that has been started, or the memory of one that has ended.
struct fuse_started_collective {
  Call call;
  Request request;
  int32_t status; // 1: it failed while kernels ran, with the context's error
  fuse_memory space;
  fuse_started_collective *next;
};

namespace {

/// Memory of one that has ended, or new one; null, with the context's error, where there is none. All but `space` is for the
/// caller to fill.
fuse_started_collective *take(fuse_context *context) {
  if (fuse_started_collective *unused = context->unused_collectives) {
    context->unused_collectives = unused->next;
    return unused;
  }
  void *made = std::calloc(1, sizeof(fuse_started_collective));
  if (!made)
    (void)failWith(context, "out of memory: a collective");
  return static_cast<fuse_started_collective *>(made);
}

void giveBack(fuse_context *context, fuse_started_collective *ended) {
  ended->next = context->unused_collectives;
  context->unused_collectives = ended;
}

void append(fuse_context *context, fuse_started_collective *started) {
  fuse_started_collective **last = &context->started_collectives;
  while (*last)
    last = &(*last)->next;
  *last = started;
  ++context->num_started_collectives;
}

int32_t completeStarted(fuse_started_collective &started) {
  Call &call = started.call;
  if (started.status || started.request.state == Request::Nothing)
    return started.status;
  const Transport &transport = *call.getGroup().job->transport;
  if (started.request.state == Request::NotBegun)
    started.status = transport.exchange(call.getGroup(), call.getExchange(), call.getError());
  else if (started.request.state == Request::UnderWay)
    started.status = transport.finish(started.request, call.getError());
  return started.status || call.end();
}

} // namespace

int32_t mlir::fuse::runtime::startCall(fuse_context *context, const Call &call) {
  fuse_started_collective *started = take(context);
  if (!started)
    return 1;
  new (started) fuse_started_collective{call, {}, 0, started->space, nullptr};
  const Transport &transport = *call.getGroup().job->transport;
  int32_t status = started->call.begin(started->space);
  if (status == 0 && transport.start)
    status = transport.start(call.getGroup(), started->call.getExchange(), started->request, call.getError());
  if (status)
    giveBack(context, started);
  else
    append(context, started);
  return status;
}

int32_t mlir::fuse::runtime::startNothing(fuse_context *context) {
  fuse_started_collective *started = take(context);
  if (!started)
    return 1;
  started->request = {nullptr, Request::Nothing};
  started->status = 0;
  started->next = nullptr;
  append(context, started);
  return 0;
}

void mlir::fuse::runtime::progressStarted(fuse_context *context) {
  for (fuse_started_collective *each = context->started_collectives; each; each = each->next) {
    if (each->status || each->request.state != Request::UnderWay)
      continue;
    // A library moves all of its requests on when it is asked for one.
    each->status = each->call.getGroup().job->transport->test(each->request, each->call.getError());
    return;
  }
}

int32_t mlir::fuse::runtime::finishStarted(fuse_context *context, int64_t left) {
  int32_t status = 0;
  while (context->num_started_collectives > left) {
    fuse_started_collective *first = context->started_collectives;
    status |= completeStarted(*first);
    context->started_collectives = first->next;
    --context->num_started_collectives;
    giveBack(context, first);
  }
  return status;
}

void mlir::fuse::runtime::freeStarted(fuse_context *context) {
  while (fuse_started_collective *unused = context->unused_collectives) {
    context->unused_collectives = unused->next;
    std::free(unused->space.data);
    std::free(unused);
  }
}

extern "C" int32_t fuse_abandon_collectives(fuse_context *context) {
  char error[FUSE_ERROR_CAPACITY];
  std::memcpy(error, context->error, sizeof(error));
  (void)finishStarted(context, 0);
  std::memcpy(context->error, error, sizeof(error));
  return 0;
}
