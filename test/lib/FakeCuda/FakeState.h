//===- FakeState.h - What the fake driver knows -------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_LIB_FAKECUDA_FAKESTATE_H
#define FUSE_TEST_LIB_FAKECUDA_FAKESTATE_H

#include "FakeKernels.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fakecuda {

enum Code {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kNotFound = 500,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kCaptureUnsupported = 900
};

/// Something in a stream.
struct Work {
  enum Kind { ToDevice, ToHost, OnDevice, Fill, Launch, Mark };
  explicit Work(Kind kind, char *to = nullptr, const char *from = nullptr, size_t bytes = 0)
      : kind(kind), to(to), from(from), bytes(bytes) {}

  Kind kind;
  char *to;
  const char *from;
  size_t bytes;
  const Builtin *builtin = nullptr;
  struct Event *event = nullptr; // of a mark
  std::vector<uint64_t> params;
  int64_t grid = 0;
  // Of a fill: `bytes` bytes per element, every `pitch` bytes, up to `count` of them.
  uint32_t value = 0;
  size_t pitch = 0, count = 0;
};

/// The time at which a stream came to it, -1 before.
struct Event {
  int64_t nanoseconds = -1;
};

struct Stream {
  std::vector<Work> queue;
  bool isCapturing = false;
  std::vector<Work> captured;
};

struct Function {
  const Builtin *builtin;
  int sharedBytes = 0; // that it may ask for beyond what is free
};

struct Module {
  std::map<std::string, Function> functions;
  bool isReal = false; // has any kernel
};

struct Graph {
  std::vector<Work> work;
};

struct State {
  std::mutex mutex;
  std::map<std::string, int64_t> calls;
  std::string violations;
  bool isInitialized = false;
  int retained = 0;                // of the primary context
  int fault = 0;                   // a result that all further work gives
  std::map<char *, size_t> memory; // of the device
  std::map<char *, size_t> pinned;
  std::set<Stream *> streams;
  std::set<Module *> modules;
  std::set<Graph *> graphs, execs;
  std::set<Event *> events;
  /// What the device's clock shows: work takes 1 us and 10 ns for each block.
  int64_t nanoseconds = 0;

  int64_t countLive() const {
    return retained + static_cast<int64_t>(memory.size() + pinned.size() + streams.size() +
                                           modules.size() + graphs.size() + execs.size() +
                                           events.size());
  }
  void violate(const std::string &text) { violations += text + "\n"; }
};

State &getState();

/// A number of the environment.
int64_t getSetting(const char *name, int64_t otherwise);

/// Whether `bytes` bytes from there lie in one block of `blocks`.
bool contains(const std::map<char *, size_t> &blocks, const char *at, size_t bytes);

/// Does what is in the stream, with the device's memory open for as long as that takes.
int drain(State &state, Stream &stream);

} // namespace fakecuda

#endif // FUSE_TEST_LIB_FAKECUDA_FAKESTATE_H
