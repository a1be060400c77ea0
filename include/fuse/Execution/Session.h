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
#include "fuse/Runtime/Collectives.h"

namespace mlir::fuse {

class DeviceSession;

/// What warps asked of memory at one place of a kernel; see fuse_emulator_request_count.
struct MemoryRequests {
  std::string kernel;
  std::string site; ///< where in the source
  bool writes;
  int64_t requests, sectors, idealSectors;
  int64_t rounds = 0, idealRounds = 0; ///< of shared memory
};

/// How many threads a launch has where so many are wanted; 0: as many as OpenMP would use. At
/// least 1.
int32_t countThreads(int32_t wanted);

struct SessionOptions {
  int32_t threads = 0; ///< per launch; 0: as many as OpenMP would use
  /// Whether requests to memory are counted, by devices that can (Backend::countsRequests): the
  /// emulator, which takes several times as long then.
  bool countsRequests = false;
  /// Whose ranks collectives join; null: MPI's, which the first collective opens. It must outlive
  /// the session.
  fuse_job *job = nullptr;
};

class Session {
public:
  /// For one function of the program. Errors: no such function; no memory for the context; no
  /// device that the program's kernels run on.
  static llvm::Expected<std::unique_ptr<Session>>
  create(std::shared_ptr<const Program> program, StringRef function, SessionOptions options);
  static llvm::Expected<std::unique_ptr<Session>> create(std::shared_ptr<const Program> program,
                                                         StringRef function, int32_t threads = 0) {
    return create(std::move(program), function, SessionOptions{threads});
  }
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
  /// How long one of `times` runs took, in nanoseconds. On a device its own clock says so, and neither arguments nor results
  /// are copied; memref arguments go on from what they hold. It has run before.
  llvm::Expected<double> time(int64_t times);
  /// When it began, in nanoseconds of std::chrono::steady_clock, as the context's events are.
  int64_t getLastRunBegin() const { return lastBegin; }

  /// The results in order, then the memref arguments in order. The next run overwrites them in
  /// place: clone what must stay.
  ArrayRef<NamedArray> getOutputs() const { return outputs; }

  /// Counted since the session began or this was last called, in the order of kernels; empty unless
  /// it was asked for.
  std::vector<MemoryRequests> takeRequests();

  int64_t getArenaBytes() const { return arenaBytes; }
  /// For counters, timing and host functions; see Context.h.
  fuse_context *getContext() const { return context; }
  /// Of the program, in launch order.
  ArrayRef<fuse_kernel> getKernels() const { return program->getKernels(); }
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
