//===- DeviceSession.cpp - A session's part on a device --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DeviceSession.h"

#include "fuse/Runtime/Context.h"
#include "fuse/Runtime/Cuda.h"
#include "fuse/Runtime/Emulator.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

/// What is not told by the result alone.
static constexpr int32_t kEmulatorChecks =
    FUSE_EMULATOR_DIVERGENCE | FUSE_EMULATOR_BOUNDS | FUSE_EMULATOR_RACES | FUSE_EMULATOR_HOST;

static llvm::Expected<std::shared_ptr<fuse_device>> openEmulator(bool countsRequests) {
  int32_t checks = kEmulatorChecks | (countsRequests ? FUSE_EMULATOR_REQUESTS : 0);
  std::shared_ptr<fuse_device> device(fuse_emulator_create(checks), fuse_emulator_destroy);
  if (!device)
    return llvm::createStringError("no memory for an emulator");
  return device;
}

/// One for all sessions at a time, which share what is loaded.
static llvm::Expected<std::shared_ptr<fuse_device>> openCuda() {
  static std::mutex mutex;
  static std::weak_ptr<fuse_device> known;
  std::lock_guard<std::mutex> lock(mutex);
  if (std::shared_ptr<fuse_device> device = known.lock())
    return device;
  char error[FUSE_ERROR_CAPACITY];
  fuse_device *opened = nullptr;
  if (fuse_cuda_open(0, &opened, error, sizeof(error)))
    return llvm::createStringError(std::string("cannot open a GPU: ") + error);
  std::shared_ptr<fuse_device> device(opened, fuse_cuda_close);
  known = device;
  return device;
}

llvm::Expected<std::unique_ptr<DeviceSession>>
DeviceSession::create(fuse_context *context, Machine machine, bool countsRequests) {
  auto device = machine == Machine::Emulator ? openEmulator(countsRequests) : openCuda();
  if (!device)
    return device.takeError();
  std::unique_ptr<DeviceSession> session(new DeviceSession(context));
  session->device = std::move(*device);
  session->countsRequests = countsRequests && machine == Machine::Emulator;
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

std::vector<MemoryRequests> DeviceSession::takeRequests() {
  std::vector<MemoryRequests> requests;
  if (!countsRequests)
    return requests;
  std::vector<fuse_emulator_request_count> counts(fuse_emulator_requests(device.get(), nullptr, 0));
  fuse_emulator_requests(device.get(), counts.data(), static_cast<int64_t>(counts.size()));
  for (const fuse_emulator_request_count &count : counts)
    requests.push_back({count.kernel, count.site, count.writes != 0, count.requests, count.sectors,
                        count.ideal_sectors});
  fuse_emulator_forget_requests(device.get());
  return requests;
}
