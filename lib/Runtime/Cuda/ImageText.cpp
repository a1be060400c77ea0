//===- ImageText.cpp - What an image was made for ------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <cstdio>
#include <cstring>
#include <elf.h>

using namespace mlir::fuse::runtime::cuda;

namespace {

/// ptxas of CUDA 12 puts the chip into the lowest byte of the flags, that of CUDA 13 into the next.
unsigned getChip(const Elf64_Ehdr &header) {
  unsigned shift = header.e_ident[EI_ABIVERSION] < 8 ? 0 : 8;
  return (header.e_flags >> shift) & 0xff;
}

/// The word behind a directive of PTX, up to `capacity` - 1 characters of it; empty if there is
/// none.
void readDirective(const char *ptx, int64_t bytes, const char *directive, char *word,
                   size_t capacity) {
  size_t length = std::strlen(directive), count = 0;
  const char *end = ptx + bytes;
  for (const char *at = ptx; at + length < end && *at; ++at)
    if (std::memcmp(at, directive, length) == 0) {
      for (at += length; at < end && *at == ' ';)
        ++at;
      while (at < end && count + 1 < capacity && std::strchr(" ,\r\n", *at) == nullptr)
        word[count++] = *at++;
      break;
    }
  word[count] = '\0';
}

} // namespace

ImageText::ImageText(const void *image, int64_t bytes) {
  Elf64_Ehdr header;
  if (bytes >= static_cast<int64_t>(sizeof(header)) && std::memcmp(image, ELFMAG, SELFMAG) == 0) {
    std::memcpy(&header, image, sizeof(header));
    snprintf(text, sizeof(text), "a cubin for sm_%u", getChip(header));
    return;
  }
  char version[16], chip[16];
  readDirective(static_cast<const char *>(image), bytes, ".version", version, sizeof(version));
  readDirective(static_cast<const char *>(image), bytes, ".target", chip, sizeof(chip));
  if (*version && *chip)
    snprintf(text, sizeof(text), "PTX %s for %s", version, chip);
  else
    snprintf(text, sizeof(text), "an image of %lld bytes", toLong(bytes));
}
