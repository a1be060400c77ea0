//===- Session.h - One thread's use of a program ------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A session owns a fuse_context, the outputs and the arena. Bind once, run many times: from the
// second run on, running allocates nothing.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_SESSION_H
#define FUSE_EXECUTION_SESSION_H

#include "fuse/Execution/Program.h"
#include "fuse/Runtime/Context.h"

namespace mlir::fuse {

class DeviceSession;

class Session {
public:
  /// For one function of the program. threads: per launch; 0: as many as OpenMP would use. Errors:
  /// no such function; no memory for the context; no device that the program's kernels run on.
  static llvm::Expected<std::unique_ptr<Session>> create(std::shared_ptr<const Program> program,
                                                         StringRef function, int32_t threads = 0);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Takes the inputs, which are shared and not copied (memrefs are copied: they are written),
  /// asks the program for the sizes of its outputs and makes room. Errors: those of
  /// Signature::matchInputs; sizes that do not fit each other; memory.
  llvm::Error bind(ArrayRef<NamedArray> inputs);

  /// Runs the program on the bound inputs; memref arguments start from what was bound. On an error
  /// the outputs are undefined.
  llvm::Error run();

  /// How long the program took in the last run, in nanoseconds.
  int64_t getLastRunNanoseconds() const { return lastRun; }
  /// When it began, in nanoseconds of std::chrono::steady_clock, as the context's events are.
  int64_t getLastRunBegin() const { return lastBegin; }

  /// The results in order, then the memref arguments in order. The next run overwrites them in
  /// place: clone what must stay.
  ArrayRef<NamedArray> getOutputs() const { return outputs; }

  int64_t getArenaBytes() const { return arenaBytes; }
  /// For counters, timing and host functions; see Context.h.
  fuse_context *getContext() const { return context; }
  const ProgramEntry &getEntry() const { return *entry; }

private:
  Session() = default;
  llvm::Error makeError() const;
  /// Says which function it was.
  llvm::Error addName(llvm::Error error) const;
  /// Fills in the sizes of `buffers` from `arrays`, in storage of this session.
  void describe(ArrayRef<ValueInfo> infos, std::vector<fuse_buffer> &buffers,
                std::vector<int64_t> &storage);
  llvm::Error describePrepared();
  llvm::Error prepareParameters();
  llvm::Error reserveArena(int64_t bytes);
  llvm::Error runOnDevice();

  std::shared_ptr<const Program> program;
  const ProgramEntry *entry = nullptr;
  fuse_context *context = nullptr;
  std::unique_ptr<DeviceSession> device; // null on the CPU
  std::vector<HostArray> inputs;   // by argument; memrefs are this session's own
  std::vector<HostArray> originals; // of memrefs, else empty
  std::vector<HostArray> preparedArrays; // what the program computed from the parameters
  std::vector<NamedArray> outputs;
  std::vector<int64_t> inputExtents, outputExtents; // sizes and strides of all buffers
  std::vector<fuse_buffer> ins, outs;
  HostArray arena;
  int64_t arenaBytes = 0;
  int64_t lastRun = 0, lastBegin = 0;
  bool isBound = false;
};

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_SESSION_H
