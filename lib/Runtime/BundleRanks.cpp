//===- BundleRanks.cpp - Bundles of programs for several processes -------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Each process opens the same bundle. A weight that the grid cuts lies in the file part by part, so
// that a process touches its own part of what all of them map.
//
//===----------------------------------------------------------------------------------------===//

#include "BundleInternal.h"
#include "Collectives/Job.h"

#include <cstdio>

using namespace mlir::fuse::runtime;

/// Calls `act` with the extent of each axis that cuts a value, and what of it the rank has, in the
/// order in which parts are counted.
template <typename Act>
static void forEachCut(const fuse_bundle_program &program, const int64_t *axes, int32_t dims,
                       int64_t rank, Act act) {
  for (int32_t d = 0; axes && d < dims; ++d)
    for (int64_t left = *axes++; left > 0; --left) {
      int64_t axis = *axes++, step = 1;
      for (int64_t after = axis + 1; after < program.grid_axes; ++after)
        step *= program.grid[after];
      act(program.grid[axis], rank / step % program.grid[axis]);
    }
}

int64_t mlir::fuse::runtime::countStoredBytes(const fuse_bundle_program &program,
                                              int64_t argument) {
  const fuse_bundle_value &value = program.arguments[argument].value;
  const int64_t *axes = program.argument_axes ? program.argument_axes[argument] : nullptr;
  int64_t bytes = countBytes(value, value.shape), parts = 1;
  forEachCut(program, axes, value.rank, 0, [&](int64_t extent, int64_t) { parts *= extent; });
  return (parts - 1) * alignUp(bytes, FUSE_WEIGHTS_ALIGNMENT) + bytes;
}

int64_t mlir::fuse::runtime::getPartOffset(const fuse_bundle_program &program, int64_t argument,
                                           int64_t rank) {
  const fuse_bundle_value &value = program.arguments[argument].value;
  const int64_t *axes = program.argument_axes ? program.argument_axes[argument] : nullptr;
  int64_t part = 0;
  forEachCut(program, axes, value.rank, rank,
             [&](int64_t extent, int64_t at) { part = part * extent + at; });
  return part * alignUp(countBytes(value, value.shape), FUSE_WEIGHTS_ALIGNMENT);
}

int32_t mlir::fuse::runtime::joinRanks(const fuse_bundle_program &program, int64_t &rank,
                                       const ErrorText &error) {
  rank = 0;
  int64_t ranks = 1;
  for (int64_t axis = 0; axis < program.grid_axes; ++axis)
    ranks *= program.grid[axis];
  if (ranks <= 1)
    return 0;
  fuse_job *job;
  if (fuse_job_open(&job, error.text, error.capacity) ||
      fuse_job_check_grid(job, program.grid, program.grid_axes, error.text, error.capacity))
    return 1;
  // A bundle's build identifies its code and its weights.
  char build[64];
  snprintf(build, sizeof(build), "%016llx%016llx",
           static_cast<unsigned long long>(program.build[0]),
           static_cast<unsigned long long>(program.build[1]));
  rank = fuse_job_rank(job);
  return fuse_job_agree(job, "version of fuse", program.version, error.text, error.capacity) ||
         fuse_job_agree(job, "build of the bundle", build, error.text, error.capacity);
}
