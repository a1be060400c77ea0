//===- DriverApi.cpp - Opening NVIDIA's driver ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "DriverApi.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>

using namespace mlir::fuse::runtime::cuda;

int32_t mlir::fuse::runtime::cuda::loadDriver(DriverApi &api, const ErrorText &error) {
  const char *path = std::getenv("FUSE_CUDA_DRIVER");
  if (!path || !*path)
    path = "libcuda.so.1";
  // A pipe would never answer.
  struct stat file;
  if (std::strchr(path, '/') && stat(path, &file) == 0 && !S_ISREG(file.st_mode))
    return error.fail("%s: expected a driver's library, found no regular file", path);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return error.fail("%s; a CUDA program needs the NVIDIA driver", dlerror());
  const char *missing = nullptr;
#define FUSE_CUDA_LOOKUP(member, name, parameters)                                                 \
  if (void *address = dlsym(library, #name))                                                       \
    std::memcpy(&api.member, &address, sizeof(address));                                           \
  else if (!missing)                                                                               \
    missing = #name;
  FUSE_CUDA_ENTRIES(FUSE_CUDA_LOOKUP)
#undef FUSE_CUDA_LOOKUP
  if (!missing)
    return 0;
  dlclose(library);
  return error.fail("%s: expected a driver of CUDA 12.0 or later, found one without %s", path,
                    missing);
}

ResultText::ResultText(const DriverApi &api, Result result) {
  const char *name = nullptr, *reason = nullptr;
  if (api.getErrorName(result, &name) != kSuccess || !name)
    name = "unknown error";
  if (api.getErrorString(result, &reason) != kSuccess || !reason)
    snprintf(text, sizeof(text), "%s %d", name, result);
  else
    snprintf(text, sizeof(text), "%s (%s)", name, reason);
}
