//===- Graph.cpp - Work that is submitted as a whole ---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaDevice.h"

using namespace mlir::fuse::runtime;
using namespace mlir::fuse::runtime::cuda;

int32_t cuda::beginCapture(fuse_device *self, fuse_context *context) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  return check(device, context, device.api.beginCapture(getStream(context), kCaptureThreadLocal),
               "cuStreamBeginCapture");
}

int32_t cuda::endCapture(fuse_device *self, fuse_context *context, void **result) {
  CudaDevice &device = getDevice(self);
  *result = nullptr;
  Graph graph = nullptr;
  GraphExec exec = nullptr;
  // The recording ends whatever else fails: a stream that is recorded can do nothing else.
  int32_t status = makeCurrent(device, context);
  Result ended = device.api.endCapture(getStream(context), &graph);
  if (status == 0)
    status = check(device, context, ended, "cuStreamEndCapture");
  if (status != 0) {
    if (graph)
      device.api.graphDestroy(graph);
    return status;
  }
  status = check(device, context, device.api.graphInstantiate(&exec, graph, 0),
                 "cuGraphInstantiateWithFlags");
  // What can be launched stands on its own.
  device.api.graphDestroy(graph);
  *result = exec;
  return status;
}

int32_t cuda::replay(fuse_device *self, fuse_context *context, void *graph) {
  CudaDevice &device = getDevice(self);
  if (makeCurrent(device, context))
    return 1;
  return check(device, context,
               device.api.graphLaunch(static_cast<GraphExec>(graph), getStream(context)),
               "cuGraphLaunch");
}

void cuda::releaseGraph(fuse_device *self, fuse_context *context, void *graph) {
  CudaDevice &device = getDevice(self);
  if (!graph)
    return;
  device.api.setCurrent(device.context);
  device.api.graphExecDestroy(static_cast<GraphExec>(graph));
}
