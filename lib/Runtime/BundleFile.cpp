//===- BundleFile.cpp - Whether a bundle's library can be loaded ----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Internal.h"
#include "fuse/Runtime/BundleFormat.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::fuse::runtime;

static constexpr char kMark[] = "fuse bundle seal ";
static constexpr int64_t kMarkBytes = sizeof kMark - 1;
static_assert(FUSE_BUNDLE_SEAL_BYTES == kMarkBytes + 32 + 1,
              "a mark, a hash of 128 bits, a line break");

void fuse_bundle_seal(const void *library, int64_t bytes, char seal[FUSE_BUNDLE_SEAL_BYTES]) {
  XXH128_hash_t hash = XXH3_128bits(library, static_cast<size_t>(bytes));
  char text[FUSE_BUNDLE_SEAL_BYTES + 1];
  std::snprintf(text, sizeof text, "%s%016llx%016llx\n", kMark,
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  std::memcpy(seal, text, FUSE_BUNDLE_SEAL_BYTES);
}

/// dlopen maps what the headers say, and a page behind the end of the file is death by a signal
/// where it is touched. What is no 64-bit ELF file dlopen itself refuses.
static int32_t checkLength(const char *data, uint64_t size, const ErrorText &error) {
  if (size < SELFMAG || std::memcmp(data, ELFMAG, SELFMAG) != 0 ||
      (size > EI_CLASS && data[EI_CLASS] != ELFCLASS64))
    return 0;
  uint64_t expected = 0;
  auto isThere = [&](uint64_t offset, uint64_t bytes) {
    uint64_t end = 0;
    if (__builtin_add_overflow(offset, bytes, &end))
      end = UINT64_MAX;
    expected = end > expected ? end : expected;
    return expected <= size;
  };
  auto fail = [&] {
    return error.fail("expected at least %llu bytes, as the file's headers say, found %llu",
                      static_cast<unsigned long long>(expected),
                      static_cast<unsigned long long>(size));
  };
  Elf64_Ehdr header;
  if (!isThere(0, sizeof header))
    return fail();
  std::memcpy(&header, data, sizeof header);
  uint64_t programs = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  // The sections' headers are the end of the file, so that they are missed first.
  if (!isThere(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)) ||
      !isThere(header.e_phoff, programs))
    return fail();
  for (uint64_t at = 0; at < programs; at += sizeof(Elf64_Phdr)) {
    Elf64_Phdr segment;
    std::memcpy(&segment, data + header.e_phoff + at, sizeof segment);
    if (segment.p_type == PT_LOAD && !isThere(segment.p_offset, segment.p_filesz))
      return fail();
  }
  return 0;
}

static int32_t checkSeal(const char *data, int64_t size, const ErrorText &error) {
  // Something may be missing at its end, or stand behind it.
  int64_t begin = size - kMarkBytes;
  while (begin >= 0 && std::memcmp(data + begin, kMark, kMarkBytes) != 0)
    --begin;
  if (begin < 0)
    return 0;
  char seal[FUSE_BUNDLE_SEAL_BYTES];
  fuse_bundle_seal(data, begin, seal);
  if (size - begin == FUSE_BUNDLE_SEAL_BYTES && !std::memcmp(data + begin, seal, sizeof seal))
    return 0;
  return error.fail("expected the bytes that were written, as their checksum says, "
                    "found others: the file is damaged");
}

int32_t fuse_bundle_check_file(const char *path, char *error, int64_t capacity) {
  ErrorText text = {error, capacity};
  // A pipe without a writer would be waited for.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return 0;
  struct stat status;
  int32_t result = 0;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    auto size = static_cast<size_t>(status.st_size);
    void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
      auto *bytes = static_cast<const char *>(data);
      result = checkLength(bytes, size, text) || checkSeal(bytes, status.st_size, text);
      munmap(data, size);
    }
  }
  close(file);
  return result;
}
