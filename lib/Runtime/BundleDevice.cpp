//===- BundleDevice.cpp - Bundles whose kernels run on a device ------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleInternal.h"
#include "fuse/Runtime/Cuda.h"

#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

static bool isInput(const fuse_bundle_program &program, int64_t index) {
  return program.arguments[index].role == FUSE_ARGUMENT_INPUT;
}

int32_t mlir::fuse::runtime::openDevice(const fuse_bundle_program &program, BundleDevice &opened,
                                        const ErrorText &error) {
  if (std::strcmp(program.device, "cuda") != 0)
    return error.fail("expected kernels for cuda, found some for '%s'", program.device);
  char reason[FUSE_ERROR_CAPACITY];
  if (fuse_cuda_open(0, &opened.device, reason, sizeof(reason)))
    return error.fail("cannot open a GPU: %s", reason);
  opened.owner = fuse_context_create(1);
  if (!opened.owner)
    return error.fail("out of memory: a context");
  if (fuse_context_set_device(opened.owner, opened.device) ||
      fuse_context_set_kernels(opened.owner, program.kernels, program.num_kernels) ||
      fuse_device_run_create(opened.owner, program.query, program.run, program.num_arguments, 0,
                             &opened.weights))
    return error.fail("%s", opened.owner->error);
  return 0;
}

void mlir::fuse::runtime::closeDevice(BundleDevice &opened) {
  fuse_device_run_destroy(opened.weights);
  fuse_context_destroy(opened.owner);
  fuse_cuda_close(opened.device);
  opened = {};
}

int32_t mlir::fuse::runtime::placeWeights(const fuse_bundle_program &program, BundleDevice &opened,
                                          fuse_buffer *arguments, const ErrorText &error) {
  fuse_device *device = opened.device;
  for (int64_t i = 0; i < program.num_arguments; ++i) {
    if (isInput(program, i))
      continue;
    int32_t status = program.arguments[i].role == FUSE_ARGUMENT_WEIGHT
                         ? fuse_device_run_upload(opened.weights, i, &arguments[i])
                         : fuse_device_run_reserve(opened.weights, i, &arguments[i]);
    if (status != 0)
      return error.fail("weights: %s", opened.owner->error);
    arguments[i].data = fuse_device_run_ins(opened.weights)[i].data;
  }
  if (device->wait(device, opened.owner))
    return error.fail("weights: %s", opened.owner->error);
  return 0;
}

int32_t mlir::fuse::runtime::startDeviceRun(const fuse_bundle_program &program,
                                            const BundleDevice &opened,
                                            const fuse_buffer *arguments, fuse_context *context,
                                            fuse_device_run **run) {
  if (fuse_device_run_create(context, program.query, program.run, program.num_arguments,
                             program.num_outputs, run))
    return 1;
  // A run of a network is hundreds of launches of a few microseconds each, which the host would not keep up with.
  const char *graph = std::getenv("FUSE_CUDA_GRAPH");
  fuse_device_run_use_graph(*run, !graph || std::strcmp(graph, "0") != 0);
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (!isInput(program, i))
      fuse_device_run_ins(*run)[i] = arguments[i];
  return 0;
}

int32_t mlir::fuse::runtime::sizeDeviceRun(const fuse_bundle_program &program, fuse_device_run *run,
                                           const fuse_buffer *ins, fuse_buffer *outs) {
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (isInput(program, i) && fuse_device_run_reserve(run, i, &ins[i]))
      return 1;
  return fuse_device_run_size(run, outs);
}

int32_t mlir::fuse::runtime::runOnDevice(const fuse_bundle_program &program, fuse_device_run *run,
                                         const fuse_buffer *ins, const fuse_buffer *outs) {
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (isInput(program, i) && fuse_device_run_upload(run, i, &ins[i]))
      return 1;
  if (fuse_device_run_execute(run, outs))
    return 1;
  for (int64_t i = 0; i < program.num_arguments; ++i)
    if (isInput(program, i) && (program.arguments[i].value.flags & FUSE_VALUE_IN_PLACE) &&
        fuse_device_run_download(run, i, &ins[i]))
      return 1;
  return 0;
}
