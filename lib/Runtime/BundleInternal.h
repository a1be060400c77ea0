//===- BundleInternal.h - Shared by the sources of bundles' runtime -----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_BUNDLEINTERNAL_H
#define FUSE_LIB_RUNTIME_BUNDLEINTERNAL_H

#include "Internal.h"
#include "fuse/Runtime/BundleFormat.h"
#include "fuse/Runtime/DeviceRun.h"

namespace mlir::fuse::runtime {

/// A file's bytes, read-only and shared with other processes.
struct Mapping {
  char *data = nullptr;
  int64_t bytes = 0;
};

/// Maps the weights of a program: `path`, or where that is null the file beside the shared library
/// that holds the program. Fails unless the file is complete and of the program's own build.
int32_t mapWeights(const fuse_bundle_program &program, const char *path, Mapping &mapping,
                   const ErrorText &error);
void unmapWeights(Mapping &mapping);

/// The first of the program and its variants whose instructions this CPU has, or the one that
/// FUSE_BUNDLE_CPU names. Null, with an error, where there is none.
const fuse_bundle_program *chooseProgram(const fuse_bundle_program &program,
                                         const ErrorText &error);

/// Bytes of an array of the value's type and sizes; sizes are not negative. INT64_MAX where that is
/// more than an int64_t holds.
int64_t countBytes(const fuse_bundle_value &value, const int64_t *sizes);

//===- BundleRanks.cpp ----------------------------------------------------------------------===//

/// Joins the other processes that the program is for, whose number is compared, and their programs.
/// `rank`: this one's.
int32_t joinRanks(const fuse_bundle_program &program, int64_t &rank, const ErrorText &error);

/// The bytes of a weight in its file, where it lies part by part if the grid cuts it, and what of it is
/// before a rank's part.
int64_t countStoredBytes(const fuse_bundle_program &program, int64_t argument);
int64_t getPartOffset(const fuse_bundle_program &program, int64_t argument, int64_t rank);

/// What a bundle has of a device: memory for the weights, once for all contexts.
struct BundleDevice {
  fuse_device *device;
  fuse_context *owner; // of the memory
  fuse_device_run *weights;
};

/// Opens the device that a program's kernels are for. After an error it is to be closed, too.
int32_t openDevice(const fuse_bundle_program &program, BundleDevice &opened,
                   const ErrorText &error);
void closeDevice(BundleDevice &opened);

/// Copies the weights among the arguments to the device, makes room for what is prepared, and
/// points the arguments there.
int32_t placeWeights(const fuse_bundle_program &program, BundleDevice &opened,
                     fuse_buffer *arguments, const ErrorText &error);

// What follows fails with the context's error text set.

/// For a context that has the device and the kernels.
int32_t startDeviceRun(const fuse_bundle_program &program, const BundleDevice &opened,
                       const fuse_buffer *arguments, fuse_context *context, fuse_device_run **run);
/// Makes room for inputs and outputs, whose sizes are filled in.
int32_t sizeDeviceRun(const fuse_bundle_program &program, fuse_device_run *run,
                      const fuse_buffer *ins, fuse_buffer *outs);
/// A run from and to the host's memory.
int32_t runOnDevice(const fuse_bundle_program &program, fuse_device_run *run,
                    const fuse_buffer *ins, const fuse_buffer *outs);

//===- Bundle.cpp ---------------------------------------------------------------------------===//

/// Opens the first of the variants that this CPU can run. weights: their file, or null for the one beside the bundle.
/// arrays: if not null, the elements of each weight in place of a file; it stays. Null in *result after an error.
int32_t openBundle(const fuse_bundle_program &first, const char *weights, const void *const *arrays,
                   fuse_bundle **result, const ErrorText &error);

} // namespace mlir::fuse::runtime

#endif // FUSE_LIB_RUNTIME_BUNDLEINTERNAL_H
