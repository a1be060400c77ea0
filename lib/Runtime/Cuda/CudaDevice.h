//===- CudaDevice.h - A GPU, its memory, modules and queues -----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define FUSE_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "../Internal.h"
#include "DriverApi.h"
#include "fuse/Runtime/Cuda.h"

#include <pthread.h>

namespace mlir::fuse::runtime::cuda {

/// Memory of the device; free blocks are kept for the next that asks.
struct Block {
  Address memory;
  int64_t bytes;
  bool isFree;
};

/// An image that is loaded, found by its content: programs come and go at the same addresses.
struct LoadedModule {
  Module module;
  void *image; // a copy
  int64_t bytes;
  int64_t users; // queues; unloaded with the last
};

struct CudaDevice : fuse_device {
  DriverApi api;
  fuse_cuda_facts facts;
  Device ordinal;
  Context context;
  pthread_mutex_t mutex; // guards what follows
  Block *blocks;
  int64_t numBlocks, blockCapacity;
  LoadedModule *modules;
  int64_t numModules, moduleCapacity;
};

/// An image as text, for messages: "a cubin for sm_90", "PTX 8.0 for sm_80".
struct ImageText {
  ImageText(const void *image, int64_t bytes);
  char text[64];
};

/// What a context has of the device: its stream and the functions of its kernel table.
struct Queue {
  bool ownsStream;
  const char *lastKernel; // for the text of errors that show up at a wait
  int64_t table;          // which kernel table the functions are of; see fuse_context
  Function *functions;    // per kernel; null: not looked up yet
  int64_t numFunctions;
  Module *modules; // in use by this queue, each once
  const void **images;
  int64_t numModules;
  void *scratch;
  int64_t scratchBytes;
  Event marks[2]; // where what is timed begins and ends; null until something is
};

inline CudaDevice &getDevice(fuse_device *device) { return *static_cast<CudaDevice *>(device); }
inline const CudaDevice &getDevice(const fuse_device *device) {
  return *static_cast<const CudaDevice *>(device);
}
inline Queue &getQueue(fuse_context *context) {
  return *static_cast<Queue *>(context->device_data);
}
inline Stream getStream(fuse_context *context) { return static_cast<Stream>(context->stream); }

class Lock {
public:
  explicit Lock(CudaDevice &device) : device(device) { pthread_mutex_lock(&device.mutex); }
  ~Lock() { pthread_mutex_unlock(&device.mutex); }
  Lock(const Lock &) = delete;

private:
  CudaDevice &device;
};

/// Makes the device's context the current one of this thread.
int32_t makeCurrent(CudaDevice &device, fuse_context *context);

/// 0 for success; else sets the context's error: "ATTEMPT: NAME (text)".
int32_t check(CudaDevice &device, fuse_context *context, Result result, const char *attempt);

// The functions of fuse_device; see Device.h.
int32_t openQueue(fuse_device *device, fuse_context *context);
void closeQueue(fuse_device *device, fuse_context *context);
int32_t allocate(fuse_device *device, fuse_context *context, int64_t bytes, void **memory);
void release(fuse_device *device, fuse_context *context, void *memory);
int32_t allocateHost(fuse_device *device, fuse_context *context, int64_t bytes, void **memory);
void releaseHost(fuse_device *device, fuse_context *context, void *memory);
int32_t copyToDevice(fuse_device *device, fuse_context *context, void *to, const void *from,
                     int64_t bytes);
int32_t copyToHost(fuse_device *device, fuse_context *context, void *to, const void *from,
                   int64_t bytes);
int32_t copyOnDevice(fuse_device *device, fuse_context *context, void *to, const void *from,
                     int64_t bytes);
int32_t fill(fuse_device *device, fuse_context *context, void *to, const void *element,
             int32_t elementBytes, int64_t count);
int32_t launch(fuse_device *device, fuse_context *context, const fuse_kernel *kernel,
               const fuse_buffer *args, int64_t blocks);
int32_t wait(fuse_device *device, fuse_context *context);
int32_t beginCapture(fuse_device *device, fuse_context *context);
int32_t endCapture(fuse_device *device, fuse_context *context, void **graph);
int32_t replay(fuse_device *device, fuse_context *context, void *graph);
int32_t beginTime(fuse_device *device, fuse_context *context);
int32_t endTime(fuse_device *device, fuse_context *context, int64_t *nanoseconds);
void releaseGraph(fuse_device *device, fuse_context *context, void *graph);

/// Gives all free blocks back to the driver. The lock is held.
void trimMemory(CudaDevice &device);

/// The function of a kernel, whose image is loaded if it is not yet. Null after an error.
Function findFunction(CudaDevice &device, fuse_context *context, const fuse_kernel &kernel);

/// Ends a queue's use of its modules and forgets its functions.
void forgetFunctions(CudaDevice &device, Queue &queue);

} // namespace mlir::fuse::runtime::cuda

#endif // FUSE_LIB_RUNTIME_CUDA_CUDADEVICE_H
