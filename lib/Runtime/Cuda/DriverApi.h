//===- DriverApi.h - The functions of NVIDIA's driver -----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Declared here, as far as they are used, so that no toolkit is needed to build.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_CUDA_DRIVERAPI_H
#define FUSE_LIB_RUNTIME_CUDA_DRIVERAPI_H

#include "../Internal.h"

#include <cstddef>

namespace mlir::fuse::runtime::cuda {

using Result = int;       // CUresult
using Device = int;       // CUdevice
using Address = uint64_t; // CUdeviceptr
using Context = struct OpaqueContext *;
using Stream = struct OpaqueStream *;
using Module = struct OpaqueModule *;
using Function = struct OpaqueFunction *;
using Graph = struct OpaqueGraph *;
using GraphExec = struct OpaqueGraphExec *;
using Event = struct OpaqueEvent *;

// The results that are told apart.
constexpr Result kSuccess = 0;
constexpr Result kOutOfMemory = 2;
constexpr Result kInvalidImage = 200;
constexpr Result kNoBinaryForGpu = 209;
constexpr Result kInvalidPtx = 218;
constexpr Result kUnsupportedPtxVersion = 222;

// Of CUdevice_attribute.
constexpr int kMultiprocessors = 16;
constexpr int kChipMajor = 75;
constexpr int kChipMinor = 76;
constexpr int kSharedBytesOptIn = 97;

// Of CUfunction_attribute.
constexpr int kDynamicSharedBytes = 8;

// Of CUjit_option.
constexpr int kJitErrorLog = 5;
constexpr int kJitErrorLogBytes = 6;

constexpr unsigned kStreamNonBlocking = 1;
// Other threads go on as they like while one records.
constexpr int kCaptureThreadLocal = 1;

/// ENTRY(name of the member, name in the library, parameters)
#define FUSE_CUDA_ENTRIES(ENTRY)                                                                   \
  ENTRY(init, cuInit, (unsigned flags))                                                            \
  ENTRY(driverGetVersion, cuDriverGetVersion, (int *version))                                      \
  ENTRY(getErrorName, cuGetErrorName, (Result result, const char **text))                          \
  ENTRY(getErrorString, cuGetErrorString, (Result result, const char **text))                      \
  ENTRY(deviceGetCount, cuDeviceGetCount, (int *count))                                            \
  ENTRY(deviceGet, cuDeviceGet, (Device * device, int ordinal))                                    \
  ENTRY(deviceGetName, cuDeviceGetName, (char *name, int capacity, Device device))                 \
  ENTRY(deviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, Device device))                       \
  ENTRY(deviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, Device device))      \
  ENTRY(primaryRetain, cuDevicePrimaryCtxRetain, (Context * context, Device device))               \
  ENTRY(primaryRelease, cuDevicePrimaryCtxRelease_v2, (Device device))                             \
  ENTRY(setCurrent, cuCtxSetCurrent, (Context context))                                            \
  ENTRY(streamCreate, cuStreamCreate, (Stream * stream, unsigned flags))                           \
  ENTRY(streamDestroy, cuStreamDestroy_v2, (Stream stream))                                        \
  ENTRY(streamSynchronize, cuStreamSynchronize, (Stream stream))                                   \
  ENTRY(memGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))                                \
  ENTRY(memAlloc, cuMemAlloc_v2, (Address * memory, size_t bytes))                                 \
  ENTRY(memFree, cuMemFree_v2, (Address memory))                                                   \
  ENTRY(memHostAlloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))               \
  ENTRY(memFreeHost, cuMemFreeHost, (void *memory))                                                \
  ENTRY(copyToDevice, cuMemcpyHtoDAsync_v2,                                                        \
        (Address to, const void *from, size_t bytes, Stream stream))                               \
  ENTRY(copyToHost, cuMemcpyDtoHAsync_v2, (void *to, Address from, size_t bytes, Stream stream))   \
  ENTRY(copyOnDevice, cuMemcpyDtoDAsync_v2,                                                        \
        (Address to, Address from, size_t bytes, Stream stream))                                   \
  ENTRY(fill8, cuMemsetD8Async, (Address to, unsigned char value, size_t count, Stream stream))    \
  ENTRY(fill16, cuMemsetD16Async, (Address to, unsigned short value, size_t count, Stream stream)) \
  ENTRY(fill32, cuMemsetD32Async, (Address to, unsigned value, size_t count, Stream stream))       \
  ENTRY(fillRows32, cuMemsetD2D32Async,                                                            \
        (Address to, size_t pitch, unsigned value, size_t width, size_t height, Stream stream))    \
  ENTRY(moduleLoad, cuModuleLoadDataEx,                                                            \
        (Module * module, const void *image, unsigned count, int *options, void **values))         \
  ENTRY(moduleUnload, cuModuleUnload, (Module module))                                             \
  ENTRY(moduleGetFunction, cuModuleGetFunction,                                                    \
        (Function * function, Module module, const char *name))                                    \
  ENTRY(functionSet, cuFuncSetAttribute, (Function function, int attribute, int value))            \
  ENTRY(launchKernel, cuLaunchKernel,                                                              \
        (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,       \
         unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **params,     \
         void **extra))                                                                            \
  ENTRY(beginCapture, cuStreamBeginCapture_v2, (Stream stream, int mode))                          \
  ENTRY(endCapture, cuStreamEndCapture, (Stream stream, Graph * graph))                            \
  ENTRY(graphInstantiate, cuGraphInstantiateWithFlags,                                             \
        (GraphExec * exec, Graph graph, uint64_t flags))                                           \
  ENTRY(graphLaunch, cuGraphLaunch, (GraphExec exec, Stream stream))                               \
  ENTRY(graphExecDestroy, cuGraphExecDestroy, (GraphExec exec))                                    \
  ENTRY(graphDestroy, cuGraphDestroy, (Graph graph))                                               \
  ENTRY(eventCreate, cuEventCreate, (Event * event, unsigned flags))                               \
  ENTRY(eventDestroy, cuEventDestroy_v2, (Event event))                                            \
  ENTRY(eventRecord, cuEventRecord, (Event event, Stream stream))                                  \
  ENTRY(eventElapsed, cuEventElapsedTime, (float *milliseconds, Event begin, Event end))

struct DriverApi {
#define FUSE_CUDA_MEMBER(member, name, parameters) Result(*member) parameters = nullptr;
  FUSE_CUDA_ENTRIES(FUSE_CUDA_MEMBER)
#undef FUSE_CUDA_MEMBER
};

/// Opens the driver and finds its functions. Returns 0, or 1 with the reason in error.
int32_t loadDriver(DriverApi &api, const ErrorText &error);

/// A result as text, "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
struct ResultText {
  ResultText(const DriverApi &api, Result result);
  char text[256];
};

} // namespace mlir::fuse::runtime::cuda

#endif // FUSE_LIB_RUNTIME_CUDA_DRIVERAPI_H
