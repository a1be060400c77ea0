//===- FakeCall.h - What entry points of the fake driver have in common --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_LIB_FAKECUDA_FAKECALL_H
#define FUSE_TEST_LIB_FAKECUDA_FAKECALL_H

#include "FakeState.h"

#include <cstdlib>
#include <sstream>

namespace fakecuda {

inline thread_local void *current = nullptr; // context
inline char primary;                         // its address is the primary context's handle

/// One call of an entry point: counted, locked, and made to fail if the environment says so.
class Call {
public:
  enum Needs { Nothing, Init, Context };
  Call(const char *entry, Needs needs) : state(getState()), lock(state.mutex), entry(entry) {
    int64_t number = ++state.calls[entry];
    code = getWanted(number);
    if (code)
      return;
    if (needs != Nothing && !state.isInitialized) {
      state.violate(std::string(entry) + " before cuInit");
      code = kNotInitialized;
    } else if (needs == Context && current != &primary) {
      state.violate(std::string(entry) + " without a current context");
      code = kInvalidContext;
    }
  }

  int code = 0; // what to give at once; 0: go on
  State &state;

  int fail(int result, const std::string &what) {
    state.violate(std::string(entry) + ": " + what);
    return result;
  }

private:
  int getWanted(int64_t number) const {
    const char *text = std::getenv("FAKE_CUDA_FAIL");
    std::istringstream list(text ? text : "");
    std::string wanted = std::string(entry) + ":" + std::to_string(number) + ":";
    for (std::string item; std::getline(list, item, ',');)
      if (item.compare(0, wanted.size(), wanted) == 0)
        return std::atoi(item.c_str() + wanted.size());
    return 0;
  }
  std::unique_lock<std::mutex> lock;
  const char *entry;
};

inline bool isCapturing(const State &state) {
  for (const Stream *stream : state.streams)
    if (stream->isCapturing)
      return true;
  return false;
}

inline int put(Call &call, Stream *stream, Work work) {
  if (!call.state.streams.count(stream))
    return call.fail(kInvalidHandle, "no such stream");
  if (call.state.fault)
    return call.state.fault;
  if (!stream->isCapturing) {
    stream->queue.push_back(std::move(work));
    return kSuccess;
  }
  const char *host = work.kind == Work::ToDevice ? work.from
                     : work.kind == Work::ToHost ? work.to
                                                 : nullptr;
  if (host && !contains(call.state.pinned, host, work.bytes))
    return call.fail(kCaptureUnsupported, "a recorded copy of memory that is not pinned");
  stream->captured.push_back(std::move(work));
  return kSuccess;
}

} // namespace fakecuda

#endif // FUSE_TEST_LIB_FAKECUDA_FAKECALL_H
