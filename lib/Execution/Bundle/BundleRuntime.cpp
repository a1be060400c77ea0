//===- BundleRuntime.cpp - What is put into every bundle -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The runtime's archive and headers travel within the programs that write bundles: nothing has to
// be found when one is written. The build names the files.
//
//===----------------------------------------------------------------------------------------===//

#include "BundleParts.h"

using namespace mlir;
using namespace mlir::fuse;

// Defines the symbols fuse_NAME_begin and fuse_NAME_end around a file's bytes.
#define FUSE_EMBED(name, path)                                                                     \
  __asm__(".section .rodata.fuse_embedded,\"a\",@progbits\n"                                       \
          ".balign 16\n"                                                                           \
          ".hidden fuse_" name "_begin\n"                                                          \
          ".globl fuse_" name "_begin\n"                                                           \
          "fuse_" name "_begin:\n"                                                                 \
          ".incbin \"" path "\"\n"                                                                 \
          ".hidden fuse_" name "_end\n"                                                            \
          ".globl fuse_" name "_end\n"                                                             \
          "fuse_" name "_end:\n"                                                                   \
          ".previous\n")

FUSE_EMBED("archive", FUSE_BUNDLE_ARCHIVE);
FUSE_EMBED("device_archive", FUSE_DEVICE_BUNDLE_ARCHIVE);
FUSE_EMBED("runtime_header", FUSE_RUNTIME_HEADERS "/Runtime.h");
FUSE_EMBED("host_calls_header", FUSE_RUNTIME_HEADERS "/HostCalls.h");
FUSE_EMBED("bundle_header", FUSE_RUNTIME_HEADERS "/Bundle.h");

extern "C" {
extern const char fuse_archive_begin[], fuse_archive_end[];
extern const char fuse_device_archive_begin[], fuse_device_archive_end[];
extern const char fuse_runtime_header_begin[], fuse_runtime_header_end[];
extern const char fuse_host_calls_header_begin[], fuse_host_calls_header_end[];
extern const char fuse_bundle_header_begin[], fuse_bundle_header_end[];
}

static StringRef getBytes(const char *begin, const char *end) {
  return {begin, static_cast<size_t>(end - begin)};
}

StringRef mlir::fuse::getBundleRuntimeArchive(bool isForDevice) {
  if (isForDevice)
    return getBytes(fuse_device_archive_begin, fuse_device_archive_end);
  return getBytes(fuse_archive_begin, fuse_archive_end);
}

ArrayRef<StringRef> mlir::fuse::getBundleHeaders() {
  static const StringRef headers[] = {
      getBytes(fuse_runtime_header_begin, fuse_runtime_header_end),
      getBytes(fuse_host_calls_header_begin, fuse_host_calls_header_end),
      getBytes(fuse_bundle_header_begin, fuse_bundle_header_end)};
  return headers;
}

StringRef mlir::fuse::getBundleVersion() { return FUSE_VERSION; }
