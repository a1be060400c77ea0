//===- DeviceState.h - What the runtime keeps for a context with a device ---------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_DEVICE_DEVICESTATE_H
#define FUSE_LIB_RUNTIME_DEVICE_DEVICESTATE_H

#include "../Internal.h"
#include "fuse/Runtime/Device.h"

namespace mlir::fuse::runtime {

/// An operand of a host function that is on its way to the host.
struct Fetched {
  const void *device;
  void *host;
};

/// A check of indices in a run that is recorded.
struct IndexCheck {
  const char *what;
  fuse_buffer indices;
  int64_t extent;
};

/// Bytes of the program's that the device has, too.
struct Constant {
  const void *host; // null: a free entry
  void *device;
  int64_t bytes;
};

/// Memory of the host that copies are fast to and from; it grows and is reused.
struct Pinned {
  void *data;
  int64_t bytes;
};

} // namespace mlir::fuse::runtime

struct fuse_device_state {
  // Host functions use the two in turn. Before one is used anew, the wait before the other's
  // function has ended all copies from it.
  struct Staging {
    mlir::fuse::runtime::Pinned ins, outs;
  } staging[2];
  int32_t slot;
  bool isFetched; // since the last host function
  mlir::fuse::runtime::Fetched *fetched;
  int64_t numFetched, fetchedCapacity;

  fuse_mirror *mirrors;
  int64_t numMirrors;
  int64_t numAtHost; // results among them that are
  bool isReading;    // results are on their way since the last wait

  mlir::fuse::runtime::Pinned strided; // of a copy that the host did

  // A hash table by the host's address; its size is a power of 2.
  mlir::fuse::runtime::Constant *constants;
  int64_t numConstants, constantCapacity;
  int64_t constantsTable; // which kernel table they were uploaded for

  bool isPreparing; // results stay on the device
  bool isCapturing;
  fuse_counters countersBefore; // the recording
  mlir::fuse::runtime::IndexCheck *checks;
  int64_t numChecks, checkCapacity;
};

/// A run that was recorded.
struct fuse_device_graph {
  void *graph; // the device's
  fuse_counters counters;
  mlir::fuse::runtime::IndexCheck *checks;
  int64_t numChecks;
};

namespace mlir::fuse::runtime {

/// The mirror of a result of the program that lies at `data`; null for anything else.
fuse_mirror *findResult(fuse_device_state &state, const void *data, int64_t bytes);

/// The device is given these arrays, and may write them.
void leaveHost(fuse_context *context, const fuse_buffer *args, int64_t nargs);

/// Makes pinned memory at least `bytes` large, keeping nothing of it. Nothing in the queue may use
/// it.
int32_t reservePinned(fuse_context *context, Pinned &memory, int64_t bytes);
void releasePinned(fuse_context *context, Pinned &memory);

/// Waits for what is under way after an error, whose text stays.
void drain(fuse_context *context);

/// Replaces an array on the device by the host's copy of it, for a look at its elements; one that
/// has none is copied and waited for.
int32_t lookAtHost(fuse_context *context, fuse_buffer &buffer);

/// Gives back what fuse_constant has uploaded.
void releaseConstants(fuse_context *context);

/// What a host function is called with on a device: copies of the arguments in the host's memory.
/// Null after an error.
const fuse_buffer *stageHostCall(fuse_context *context, const char *callee, const fuse_buffer *args,
                                 int64_t numIns, int64_t numOuts);
/// Begins the copies of its results to the device.
int32_t sendResults(fuse_context *context, const fuse_buffer *args, const fuse_buffer *staged,
                    int64_t numIns, int64_t numOuts);

/// Copies of two arrays of a device in the host's memory, for a copy that only the host can do.
/// Ends with `sendCopy`.
int32_t stageCopy(fuse_context *context, const fuse_buffer &from, const fuse_buffer &to,
                  fuse_buffer &stagedFrom, fuse_buffer &stagedTo);
int32_t sendCopy(fuse_context *context, const fuse_buffer &to, const fuse_buffer &stagedTo);

/// The distance in bytes from an array's first byte in memory to its element 0, and from there to
/// the end of its last byte.
struct Span {
  explicit Span(const fuse_buffer &buffer);
  int64_t before = 0, after = 0;
};

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_DEVICE_DEVICESTATE_H
