//===- FakeState.cpp - What the fake driver knows --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "FakeState.h"

#include "FakeCuda.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace fakecuda;

namespace {

/// What a process has not given back when it ends fails its tests.
struct AtExit {
  ~AtExit() {
    State &state = getState();
    if (getSetting("FAKE_CUDA_LOG", 0))
      for (const auto &[entry, count] : state.calls)
        std::fprintf(stderr, "%s: %lld\n", entry.c_str(), static_cast<long long>(count));
    if (state.countLive() == 0 && state.violations.empty())
      return;
    std::fprintf(stderr, "fake driver: %lld objects were not given back\n%s",
                 static_cast<long long>(state.countLive()), state.violations.c_str());
    std::fflush(nullptr);
    _exit(86);
  }
} atExit;

/// Opens the device's memory for as long as it lives.
class OpenMemory {
public:
  explicit OpenMemory(State &state) : state(state) { protect(PROT_READ | PROT_WRITE); }
  ~OpenMemory() { protect(PROT_NONE); }

private:
  void protect(int access) {
    for (auto [memory, bytes] : state.memory)
      mprotect(memory, bytes, access);
  }
  State &state;
};

int run(State &state, const Work &work) {
  auto onDevice = [&](const char *at) { return contains(state.memory, at, work.bytes); };
  bool fits = true;
  state.nanoseconds += work.kind == Work::Mark ? 0 : 1000 + 10 * work.grid;
  switch (work.kind) {
  case Work::Mark:
    work.event->nanoseconds = state.nanoseconds;
    return kSuccess;
  case Work::ToDevice:
    fits = onDevice(work.to);
    break;
  case Work::ToHost:
    fits = onDevice(work.from);
    break;
  case Work::OnDevice:
    fits = onDevice(work.to) && onDevice(work.from);
    break;
  case Work::Fill:
    if (!contains(state.memory, work.to, (work.count - 1) * work.pitch + work.bytes)) {
      fits = false;
      break;
    }
    for (size_t i = 0; i < work.count; ++i)
      std::memcpy(work.to + i * work.pitch, &work.value, work.bytes);
    return kSuccess;
  case Work::Launch:
    for (int64_t block = 0; block < work.grid; ++block)
      if (int code = work.builtin->run(work.params.data(), block, work.grid))
        return code;
    return kSuccess;
  }
  if (!fits) {
    state.violate("a copy or fill beyond the device's memory, or of memory that was freed");
    return kIllegalAddress;
  }
  std::memmove(work.to, work.from, work.bytes);
  return kSuccess;
}

} // namespace

State &fakecuda::getState() {
  // Never destroyed: AtExit looks at it.
  static State &state = *new State();
  return state;
}

int64_t fakecuda::getSetting(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::atoll(text) : otherwise;
}

bool fakecuda::contains(const std::map<char *, size_t> &blocks, const char *at, size_t bytes) {
  auto after = blocks.upper_bound(const_cast<char *>(at));
  if (after == blocks.begin())
    return false;
  auto [begin, size] = *std::prev(after);
  return at + bytes <= begin + size;
}

int fakecuda::drain(State &state, Stream &stream) {
  std::vector<Work> queue;
  queue.swap(stream.queue);
  OpenMemory open(state);
  for (const Work &work : queue) {
    if (!state.fault)
      state.fault = run(state, work);
  }
  return state.fault;
}

extern "C" {

void fake_cuda_reset(void) {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.calls.clear();
  state.violations.clear();
  state.fault = 0;
}

int64_t fake_cuda_calls(const char *entry) {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.calls.find(entry);
  return found == state.calls.end() ? 0 : found->second;
}

int64_t fake_cuda_live(void) {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.mutex);
  return state.countLive();
}

const char *fake_cuda_violations(void) { return getState().violations.c_str(); }

} // extern "C"
