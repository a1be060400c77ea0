//===- Session.cpp - One thread's use of a program -------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Session.h"

#include "DeviceSession.h"
#include "fuse/Execution/Backend.h"
#include "fuse/Support/Clock.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

int32_t mlir::fuse::countThreads(int32_t wanted) {
  fuse_context *probe = fuse_context_create(wanted);
  int32_t threads = probe ? probe->threads : 1;
  fuse_context_destroy(probe);
  return threads;
}

static_assert(static_cast<int>(ElementType::F16) == FUSE_F16 &&
                  static_cast<int>(ElementType::I1) == FUSE_I1 &&
                  static_cast<int>(ElementType::I64) == FUSE_I64 &&
                  static_cast<int>(ElementType::U64) == FUSE_U64,
              "element types and dtypes are numbered alike");

Session::~Session() {
  device.reset();
  fuse_context_destroy(context);
}

llvm::Error Session::makeError() const {
  return llvm::createStringError("@" + entry->signature.function + ": " +
                                 fuse_context_error(context));
}

llvm::Error Session::addName(llvm::Error error) const {
  if (!error)
    return error;
  return llvm::createStringError("@" + entry->signature.function + ": " +
                                 llvm::toString(std::move(error)));
}

llvm::Expected<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Program> program,
                                                         StringRef function,
                                                         SessionOptions options) {
  std::unique_ptr<Session> session(new Session());
  session->entry = program->lookup(function);
  if (!session->entry)
    return llvm::createStringError("the program has no function @" + function.str());
  session->context = fuse_context_create(options.threads);
  if (!session->context)
    return llvm::createStringError("no memory for a context of " + std::to_string(options.threads) +
                                   " threads");
  fuse_context_set_job(session->context, options.job);
  if (const Backend &backend = program->getBackend(); backend.hasDevice()) {
    auto device = DeviceSession::create(session->context, backend, options);
    if (!device)
      return session->addName(device.takeError());
    session->device = std::move(*device);
  }
  ArrayRef<fuse_kernel> kernels = program->getKernels();
  if (fuse_context_set_kernels(session->context, kernels.data(),
                               static_cast<int64_t>(kernels.size())))
    return session->makeError();
  if (session->device)
    if (llvm::Error error = session->addName(session->device->start(*session->entry)))
      return error;
  session->program = std::move(program);
  return session;
}

void Session::describe(ArrayRef<ValueInfo> infos, std::vector<fuse_buffer> &buffers,
                       std::vector<int64_t> &storage) {
  size_t total = 0;
  for (const ValueInfo &info : infos)
    total += 2 * info.shape.size();
  storage.assign(total, 0);
  buffers.clear();
  int64_t *next = storage.data();
  for (const ValueInfo &info : infos) {
    size_t rank = info.shape.size();
    buffers.push_back({nullptr, next, next + rank, static_cast<int32_t>(rank),
                       static_cast<int32_t>(info.type)});
    next += 2 * rank;
  }
}

/// Points a buffer at an array; the buffer's sizes lie in storage of the session.
static void setArray(fuse_buffer &buffer, HostArray &array) {
  buffer.data = array.getBytes();
  llvm::copy(array.getShape(), const_cast<int64_t *>(buffer.sizes));
  llvm::copy(array.getStrides(), const_cast<int64_t *>(buffer.strides));
}

/// On a device prepared parameters have no memory of the host's.
llvm::Error Session::describePrepared() {
  for (auto [i, info] : llvm::enumerate(entry->signature.prepared)) {
    fuse_buffer &buffer = ins[entry->signature.inputs.size() + i];
    llvm::copy(info.shape, const_cast<int64_t *>(buffer.sizes));
  }
  return llvm::Error::success();
}

llvm::Error Session::prepareParameters() {
  std::vector<fuse_buffer> params;
  auto given = llvm::MutableArrayRef(ins).take_front(entry->signature.inputs.size());
  for (auto [info, buffer] : llvm::zip_equal(entry->signature.inputs, given))
    if (info.isParam)
      params.push_back(buffer);
  std::vector<fuse_buffer> prepared = params;
  for (auto [info, array] : llvm::zip_equal(entry->signature.prepared, preparedArrays)) {
    auto memory = HostArray::create(info.type, info.shape);
    if (!memory)
      return llvm::createStringError("prepared parameters: " + llvm::toString(memory.takeError()));
    array = std::move(*memory);
    fuse_buffer &buffer = ins[entry->signature.inputs.size() + prepared.size() - params.size()];
    setArray(buffer, array);
    prepared.push_back(buffer);
  }
  if (entry->prepare(context, params.data(), prepared.data()))
    return makeError();
  const fuse_buffer *next = prepared.data();
  for (auto [info, buffer] : llvm::zip_equal(entry->signature.inputs, given))
    if (info.isParam)
      buffer = *next++;
  return llvm::Error::success();
}

llvm::Error Session::bind(ArrayRef<NamedArray> given) {
  const Signature &signature = entry->signature;
  auto matched = signature.matchInputs(given);
  if (!matched)
    return matched.takeError();
  isBound = false;
  inputs = std::move(*matched);
  originals.assign(inputs.size(), HostArray());
  outputs.clear();
  std::vector<ValueInfo> arguments = signature.inputs;
  llvm::append_range(arguments, signature.prepared);
  describe(arguments, ins, inputExtents);
  preparedArrays.assign(signature.prepared.size(), HostArray());
  describe(signature.results, outs, outputExtents);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (signature.inputs[i].isMemref) {
      originals[i] = inputs[i];
      inputs[i] = inputs[i].clone();
    }
    setArray(ins[i], inputs[i]);
  }
  if (llvm::Error error = device ? describePrepared() : prepareParameters())
    return error;

  int64_t bytes = 0;
  if (device) {
    if (llvm::Error error = addName(device->bind(*entry, ins, outs)))
      return error;
  } else if (entry->query(context, ins.data(), outs.data(), &bytes)) {
    return makeError();
  }
  for (auto [info, buffer] : llvm::zip_equal(signature.results, outs)) {
    auto array = HostArray::create(info.type, ArrayRef(buffer.sizes, info.shape.size()));
    if (!array)
      return llvm::createStringError("output '" + info.name +
                                     "': " + llvm::toString(array.takeError()));
    if (llvm::Error error = info.check(*array))
      return llvm::createStringError("output '" + info.name +
                                     "': " + llvm::toString(std::move(error)));
    outputs.push_back({info.name, std::move(*array)});
    setArray(buffer, outputs.back().array);
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (signature.inputs[i].isMemref)
      outputs.push_back({signature.inputs[i].name, inputs[i]});
  if (device)
    arenaBytes = device->getArenaBytes();
  else if (llvm::Error error = reserveArena(bytes))
    return error;
  isBound = true;
  return llvm::Error::success();
}

llvm::Error Session::reserveArena(int64_t bytes) {
  if (!arena || arena.getByteSize() < bytes) {
    auto space = HostArray::create(ElementType::I8, {bytes});
    if (!space)
      return llvm::createStringError("arena: " + llvm::toString(space.takeError()));
    arena = std::move(*space);
  }
  arenaBytes = bytes;
  return llvm::Error::success();
}

/// Memrefs start from what was bound, and come back with what the program wrote.
llvm::Error Session::runOnDevice() {
  for (size_t i = 0; i < originals.size(); ++i)
    if (originals[i])
      if (llvm::Error error = device->upload(i, ins[i]))
        return error;
  lastBegin = getSteadyNs();
  if (llvm::Error error = device->execute(outs))
    return error;
  lastRun = getSteadyNs() - lastBegin;
  for (size_t i = 0; i < originals.size(); ++i)
    if (originals[i])
      if (llvm::Error error = device->download(i, ins[i]))
        return error;
  return llvm::Error::success();
}

llvm::Error Session::run() {
  if (!isBound)
    return llvm::createStringError("@" + entry->signature.function + " runs before it is bound");
  for (size_t i = 0; i < originals.size(); ++i)
    if (originals[i])
      std::memcpy(inputs[i].getBytes(), originals[i].getBytes(),
                  static_cast<size_t>(originals[i].getByteSize()));
  if (device)
    return addName(runOnDevice());
  int64_t begin = getSteadyNs();
  int32_t status = entry->run(context, ins.data(), outs.data(), arena.getBytes());
  lastRun = getSteadyNs() - begin;
  lastBegin = begin;
  return status ? makeError() : llvm::Error::success();
}

llvm::Expected<double> Session::time(int64_t times) {
  int64_t total = 0;
  if (device) {
    auto ns = device->time(times);
    if (!ns)
      return addName(ns.takeError());
    total = *ns;
  }
  for (int64_t i = 0; i < times && !device; ++i) {
    if (llvm::Error error = run())
      return std::move(error);
    total += lastRun;
  }
  return static_cast<double>(total) / static_cast<double>(std::max<int64_t>(1, times));
}

std::vector<MemoryRequests> Session::takeRequests() {
  return device ? device->takeRequests() : std::vector<MemoryRequests>();
}
