//===- Cpu.cpp - Which CPU this is ---------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Runtime/Cpu.h"

#include <pthread.h>

#include <cstdio>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace {

char name[160] = "unknown CPU";
// Not a static local: its guard would come from the C++ library, which bundles do not link.
pthread_once_t once = PTHREAD_ONCE_INIT;

/// Copies text without spaces at its ends; brand strings are padded.
void setName(const char *text) {
  text += std::strspn(text, " \t");
  size_t length = std::strlen(text);
  while (length > 0 && std::strchr(" \t\n", text[length - 1]))
    --length;
  if (length > 0)
    snprintf(name, sizeof(name), "%.*s", static_cast<int>(length), text);
}

#if defined(__x86_64__) || defined(__i386__)

void findName() {
  unsigned highest = 0, words[12] = {}, a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000000u, &highest, &b, &c, &d) && highest >= 0x80000004u)
    for (unsigned leaf = 0; leaf < 3; ++leaf)
      __get_cpuid(0x80000002u + leaf, &words[4 * leaf], &words[4 * leaf + 1], &words[4 * leaf + 2],
                  &words[4 * leaf + 3]);
  char brand[sizeof(words) + 1] = {};
  std::memcpy(brand, words, sizeof(words));
  setName(brand);
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return;
  // Family and model as Linux shows them: the extended fields count for some families only.
  unsigned family = (a >> 8) & 0xf, model = (a >> 4) & 0xf;
  if (family == 6 || family == 15)
    model |= ((a >> 16) & 0xf) << 4;
  if (family == 15)
    family += (a >> 20) & 0xff;
  size_t length = std::strlen(name);
  snprintf(name + length, sizeof(name) - length, " (family %u, model %u)", family, model);
}

#else

void findName() {
  FILE *file = std::fopen("/proc/cpuinfo", "r");
  if (!file)
    return;
  char line[256];
  while (std::fgets(line, sizeof(line), file)) {
    char *colon = std::strchr(line, ':');
    if (colon && (!std::strncmp(line, "model name", 10) || !std::strncmp(line, "CPU part", 8))) {
      setName(colon + 1);
      break;
    }
  }
  std::fclose(file);
}

#endif

} // namespace

extern "C" const char *fuse_cpu_name(void) {
  pthread_once(&once, findName);
  return name;
}

#if defined(__x86_64__) && defined(__linux__)

int32_t fuse_cpu_allow_tiles(void) {
  // Of <asm/prctl.h>, which older systems lack: the state of tiles is component 18 of XSAVE's.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

#else

int32_t fuse_cpu_allow_tiles(void) { return 0; }

#endif
