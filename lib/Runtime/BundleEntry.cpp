//===- BundleEntry.cpp - The program that a bundle holds -----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Of the interface of bundles (fuse/Runtime/Bundle.h), what needs fuse_the_program, which fuse-compile writes.
//
//===----------------------------------------------------------------------------------------===//

#include "BundleInternal.h"
#include "Threads.h"

using namespace mlir::fuse::runtime;

extern "C" {

int32_t fuse_bundle_abi_version(void) { return fuse_the_program.abi_version; }
const char *fuse_bundle_version(void) { return fuse_the_program.version; }
const char *fuse_bundle_report(void) { return fuse_the_program.report; }
const char *fuse_bundle_cpus(void) { return fuse_the_program.cpus; }
void fuse_bundle_set_openmp(const char *file) { setOpenMp(file); }

int32_t fuse_bundle_open(int32_t abiVersion, const char *weights, fuse_bundle **result, char *error,
                         int64_t capacity) {
  ErrorText text = {error, capacity};
  *result = nullptr;
  if (abiVersion != fuse_the_program.abi_version)
    return text.fail("expected a caller of ABI version %d, which fuse %s has, found ABI version %d",
                     fuse_the_program.abi_version, fuse_the_program.version, abiVersion);
  return openBundle(fuse_the_program, weights, nullptr, result, text);
}

} // extern "C"
