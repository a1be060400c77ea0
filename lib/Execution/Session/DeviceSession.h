//===- DeviceSession.h - A session's part on a device -------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_SESSION_DEVICESESSION_H
#define FUSE_LIB_EXECUTION_SESSION_DEVICESESSION_H

#include "fuse/Execution/Session.h"
#include "fuse/Runtime/DeviceRun.h"

namespace mlir::fuse {

/// The device of a context, and the memory there of one function of a program. Errors are texts of
/// the context or of the driver.
class DeviceSession {
public:
  /// Opens the device of the backend and gives it to the context, which must outlive this.
  static llvm::Expected<std::unique_ptr<DeviceSession>>
  create(fuse_context *context, const Backend &backend, const SessionOptions &options);
  ~DeviceSession();
  DeviceSession(const DeviceSession &) = delete;
  DeviceSession &operator=(const DeviceSession &) = delete;

  /// To be called once, when the context has the kernels.
  llvm::Error start(const ProgramEntry &entry);

  /// Uploads arguments, those of the program's inputs; `ins` has those that are prepared behind
  /// them, which are computed here. Then fills in the sizes of `outs`.
  llvm::Error bind(const ProgramEntry &entry, ArrayRef<fuse_buffer> ins,
                   MutableArrayRef<fuse_buffer> outs);

  /// Uploads one argument anew, or copies it back.
  llvm::Error upload(size_t index, const fuse_buffer &host);
  llvm::Error download(size_t index, const fuse_buffer &host);

  llvm::Error execute(ArrayRef<fuse_buffer> outs);
  /// See Session::time.
  llvm::Expected<int64_t> time(int64_t times);
  /// See Session::takeRequests.
  std::vector<MemoryRequests> takeRequests();
  int64_t getArenaBytes() const { return fuse_device_run_arena_bytes(run); }

private:
  DeviceSession(fuse_context *context, const Backend &backend)
      : context(context), backend(backend) {}
  llvm::Error check(int32_t status) const;
  llvm::Error prepare(const ProgramEntry &entry, ArrayRef<fuse_buffer> ins);

  fuse_context *context;
  const Backend &backend;
  std::shared_ptr<fuse_device> device;
  fuse_device_run *run = nullptr;
  bool countsRequests = false;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_SESSION_DEVICESESSION_H
