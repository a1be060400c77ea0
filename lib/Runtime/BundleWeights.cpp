//===- BundleWeights.cpp - The file of weights beside a bundle -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleInternal.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

int64_t mlir::fuse::runtime::countBytes(const fuse_bundle_value &value, const int64_t *sizes) {
  int64_t bytes = fuse_dtype_size(value.dtype);
  bool overflows = false;
  for (int32_t d = 0; d < value.rank; ++d) {
    if (sizes[d] == 0)
      return 0;
    overflows |= __builtin_mul_overflow(bytes, sizes[d], &bytes);
  }
  return overflows ? INT64_MAX : bytes;
}

/// The file beside the shared library that holds `program`: NAME.weights for NAME.so. To be freed.
static char *findWeights(const fuse_bundle_program &program, const ErrorText &error) {
  Dl_info info;
  if (!dladdr(&program, &info) || !info.dli_fname) {
    error.fail("cannot find the bundle's own file; name the file of weights");
    return nullptr;
  }
  // Where the bundle is reached through a link, the weights lie beside what the link stands for.
  char *library = realpath(info.dli_fname, nullptr);
  if (!library) {
    error.fail("'%s': cannot find the bundle's own file: %s", info.dli_fname, std::strerror(errno));
    return nullptr;
  }
  static const char extension[] = ".weights";
  size_t length = std::strlen(library);
  char *path = static_cast<char *>(std::malloc(length + sizeof extension));
  if (path) {
    std::memcpy(path, library, length + 1);
    if (length > 3 && !std::strcmp(path + length - 3, ".so"))
      length -= 3;
    std::memcpy(path + length, extension, sizeof extension);
  } else {
    error.fail("out of memory: a file's name");
  }
  std::free(library);
  return path;
}

static int32_t checkHeader(const fuse_bundle_program &program, const char *path,
                           const fuse_weights_header &header, int64_t found,
                           const ErrorText &error) {
  if (std::memcmp(header.magic, FUSE_WEIGHTS_MAGIC, sizeof header.magic) != 0)
    return error.fail("'%s': expected a file of weights, which starts with '%s'", path,
                      FUSE_WEIGHTS_MAGIC);
  const uint64_t *want = program.build, *build = header.build;
  if (header.abi_version != program.abi_version || build[0] != want[0] || build[1] != want[1] ||
      std::strncmp(header.version, program.version, sizeof header.version) != 0)
    return error.fail(
        "'%s': expected weights of fuse %s, ABI version %d, build %016llx%016llx, "
        "found fuse %.16s, ABI version %d, build %016llx%016llx",
        path, program.version, program.abi_version, static_cast<unsigned long long>(want[0]),
        static_cast<unsigned long long>(want[1]), header.version, header.abi_version,
        static_cast<unsigned long long>(build[0]), static_cast<unsigned long long>(build[1]));
  if (found != program.weights_bytes || header.bytes != program.weights_bytes)
    return error.fail("'%s': expected %lld bytes, found %lld, of which the header counts %lld",
                      path, toLong(program.weights_bytes), toLong(found), toLong(header.bytes));
  return 0;
}

/// The entries must say what the program was compiled with.
static int32_t checkEntries(const fuse_bundle_program &program, const char *path,
                            const Mapping &mapping, const ErrorText &error) {
  auto *header = reinterpret_cast<const fuse_weights_header *>(mapping.data);
  auto *entries = reinterpret_cast<const fuse_weights_entry *>(header + 1);
  int64_t count = 0;
  for (int64_t i = 0; i < program.num_arguments; ++i)
    count += program.arguments[i].role == FUSE_ARGUMENT_WEIGHT;
  if (header->arrays != count)
    return error.fail("'%s': expected %lld arrays, found %lld", path, toLong(count),
                      toLong(header->arrays));
  for (int64_t i = 0; i < program.num_arguments; ++i) {
    const fuse_bundle_argument &argument = program.arguments[i];
    if (argument.role != FUSE_ARGUMENT_WEIGHT)
      continue;
    int64_t bytes = countStoredBytes(program, i);
    if (entries->offset != argument.offset || entries->bytes != bytes)
      return error.fail("'%s': weight '%s': expected %lld bytes at %lld, found %lld at %lld", path,
                        argument.value.name, toLong(bytes), toLong(argument.offset),
                        toLong(entries->bytes), toLong(entries->offset));
    ++entries;
  }
  return 0;
}

static int32_t mapFile(const fuse_bundle_program &program, const char *path, Mapping &mapping,
                       const ErrorText &error) {
  // A pipe without a writer would be waited for.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return error.fail("'%s': cannot open the bundle's weights: %s", path, std::strerror(errno));
  struct stat status;
  int32_t result = 0;
  fuse_weights_header header;
  if (fstat(file, &status) != 0)
    result = error.fail("'%s': %s", path, std::strerror(errno));
  else if (!S_ISREG(status.st_mode))
    result = error.fail("'%s': expected a file of weights, found no regular file", path);
  else if (status.st_size < static_cast<off_t>(sizeof header) ||
           pread(file, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
    result = error.fail("'%s': expected a file of weights of %lld bytes, found %lld", path,
                        toLong(program.weights_bytes), toLong(status.st_size));
  else
    result = checkHeader(program, path, header, status.st_size, error);
  if (result == 0) {
    void *data = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_SHARED, file, 0);
    if (data == MAP_FAILED)
      result = error.fail("'%s': cannot map %lld bytes: %s", path, toLong(status.st_size),
                          std::strerror(errno));
    else
      mapping = {static_cast<char *>(data), static_cast<int64_t>(status.st_size)};
  }
  close(file);
  return result;
}

int32_t mlir::fuse::runtime::mapWeights(const fuse_bundle_program &program, const char *path,
                                        Mapping &mapping, const ErrorText &error) {
  char *found = path ? nullptr : findWeights(program, error);
  if (!path && !found)
    return 1;
  const char *file = path ? path : found;
  int32_t status = mapFile(program, file, mapping, error);
  if (status == 0 && checkEntries(program, file, mapping, error)) {
    unmapWeights(mapping);
    status = 1;
  }
  std::free(found);
  return status;
}

void mlir::fuse::runtime::unmapWeights(Mapping &mapping) {
  if (mapping.data)
    munmap(mapping.data, static_cast<size_t>(mapping.bytes));
  mapping = {};
}
