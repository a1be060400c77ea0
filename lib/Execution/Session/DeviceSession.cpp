//===- DeviceSession.cpp - A session's part on a device --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeviceSession.h"

#include "fuse/Execution/Backend.h"
#include "fuse/Runtime/Context.h"

using namespace mlir;
using namespace mlir::fuse;

llvm::Expected<std::unique_ptr<DeviceSession>>
DeviceSession::create(fuse_context *context, const Backend &backend,
                      const SessionOptions &options) {
  auto device = backend.openDevice(options);
  if (!device)
    return device.takeError();
  std::unique_ptr<DeviceSession> session(new DeviceSession(context, backend));
  session->device = std::move(*device);
  session->countsRequests = options.countsRequests && backend.countsRequests();
  if (llvm::Error error = session->check(fuse_context_set_device(context, session->device.get())))
    return error;
  return session;
}

DeviceSession::~DeviceSession() {
  fuse_device_run_destroy(run);
  fuse_context_set_device(context, nullptr);
}

llvm::Error DeviceSession::check(int32_t status) const {
  if (status == 0)
    return llvm::Error::success();
  return llvm::createStringError(fuse_context_error(context));
}

llvm::Error DeviceSession::start(const ProgramEntry &entry) {
  const Signature &signature = entry.signature;
  return check(fuse_device_run_create(
      context, entry.query, entry.run,
      static_cast<int64_t>(signature.inputs.size() + signature.prepared.size()),
      static_cast<int64_t>(signature.results.size()), &run));
}

llvm::Error DeviceSession::upload(size_t index, const fuse_buffer &host) {
  return check(fuse_device_run_upload(run, static_cast<int64_t>(index), &host));
}

llvm::Error DeviceSession::download(size_t index, const fuse_buffer &host) {
  return check(fuse_device_run_download(run, static_cast<int64_t>(index), &host));
}

llvm::Error DeviceSession::prepare(const ProgramEntry &entry, ArrayRef<fuse_buffer> ins) {
  size_t numInputs = entry.signature.inputs.size();
  for (size_t i = numInputs; i < ins.size(); ++i)
    if (llvm::Error error = check(fuse_device_run_reserve(run, static_cast<int64_t>(i), &ins[i])))
      return error;
  fuse_buffer *onDevice = fuse_device_run_ins(run);
  std::vector<fuse_buffer> params;
  for (auto [i, info] : llvm::enumerate(entry.signature.inputs))
    if (info.isParam)
      params.push_back(onDevice[i]);
  std::vector<fuse_buffer> prepared = params;
  prepared.insert(prepared.end(), onDevice + numInputs, onDevice + ins.size());
  return check(entry.prepare(context, params.data(), prepared.data()));
}

llvm::Error DeviceSession::bind(const ProgramEntry &entry, ArrayRef<fuse_buffer> ins,
                                MutableArrayRef<fuse_buffer> outs) {
  for (size_t i = 0; i < entry.signature.inputs.size(); ++i)
    if (llvm::Error error = upload(i, ins[i]))
      return error;
  if (!entry.signature.prepared.empty())
    if (llvm::Error error = prepare(entry, ins))
      return error;
  return check(fuse_device_run_size(run, outs.data()));
}

llvm::Error DeviceSession::execute(ArrayRef<fuse_buffer> outs) {
  return check(fuse_device_run_execute(run, outs.data()));
}

llvm::Expected<int64_t> DeviceSession::time(int64_t times) {
  int64_t ns = 0;
  if (llvm::Error error = check(fuse_device_run_time(run, times, &ns)))
    return std::move(error);
  return ns;
}

std::vector<MemoryRequests> DeviceSession::takeRequests() {
  return countsRequests ? backend.takeRequests(*device) : std::vector<MemoryRequests>();
}
