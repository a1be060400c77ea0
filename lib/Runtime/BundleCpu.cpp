//===- BundleCpu.cpp - Whether this CPU has what a bundle was compiled for -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleInternal.h"

#include "fuse/Runtime/Cpu.h"

#include <cstdlib>
#include <cstring>

using namespace mlir::fuse::runtime;

#if defined(__x86_64__)
#include <cpuid.h>

namespace {

enum Register { EAX, EBX, ECX, EDX };

/// Instructions that code may use because its compiler saw them; by LLVM's names.
struct Feature {
  const char *name;
  unsigned leaf, subleaf;
  Register where;
  unsigned bit;
};

constexpr Feature kFeatures[] = {
    {"cx16", 1, 0, ECX, 13},          {"sahf", 0x80000001, 0, ECX, 0},
    {"sse3", 1, 0, ECX, 0},           {"ssse3", 1, 0, ECX, 9},
    {"fma", 1, 0, ECX, 12},           {"sse4.1", 1, 0, ECX, 19},
    {"sse4.2", 1, 0, ECX, 20},        {"movbe", 1, 0, ECX, 22},
    {"popcnt", 1, 0, ECX, 23},        {"avx", 1, 0, ECX, 28},
    {"f16c", 1, 0, ECX, 29},          {"bmi", 7, 0, EBX, 3},
    {"avx2", 7, 0, EBX, 5},           {"bmi2", 7, 0, EBX, 8},
    {"avx512f", 7, 0, EBX, 16},       {"avx512dq", 7, 0, EBX, 17},
    {"avx512ifma", 7, 0, EBX, 21},    {"avx512cd", 7, 0, EBX, 28},
    {"avx512bw", 7, 0, EBX, 30},      {"avx512vl", 7, 0, EBX, 31},
    {"avx512vbmi", 7, 0, ECX, 1},     {"avx512vbmi2", 7, 0, ECX, 6},
    {"gfni", 7, 0, ECX, 8},           {"avx512vnni", 7, 0, ECX, 11},
    {"avx512bitalg", 7, 0, ECX, 12},  {"avx512vpopcntdq", 7, 0, ECX, 14},
    {"avx512fp16", 7, 0, EDX, 23},    {"avxvnni", 7, 1, EAX, 4},
    {"avx512bf16", 7, 1, EAX, 5},     {"lzcnt", 0x80000001, 0, ECX, 5},
    {"sse4a", 0x80000001, 0, ECX, 6}, {"xop", 0x80000001, 0, ECX, 11},
    {"fma4", 0x80000001, 0, ECX, 16}, {"amx-bf16", 7, 0, EDX, 22},
    {"amx-tile", 7, 0, EDX, 24},      {"amx-int8", 7, 0, EDX, 25},
};

/// Which registers the operating system saves: bits 1 and 2 for 256 bits, 5 to 7 for 512, 17 and 18 for tiles.
unsigned getSavedRegisters() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
    return 0;
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool isThere(const Feature &feature) {
  unsigned words[4] = {};
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &words[EAX], &words[EBX], &words[ECX],
                         &words[EDX]) ||
      !(words[feature.where] >> feature.bit & 1))
    return false;
  bool isTile = !std::strncmp(feature.name, "amx", 3);
  unsigned needed = !std::strncmp(feature.name, "avx512", 6) ? 0xe6
                    : !std::strncmp(feature.name, "avx", 3)  ? 0x06
                    : isTile                                 ? 0x60000
                                                             : 0;
  return (getSavedRegisters() & needed) == needed && (!isTile || fuse_cpu_allow_tiles());
}

/// Whether a list like "+avx,-xop,+fma" has "+name".
bool isUsed(const char *list, const char *name) {
  size_t length = std::strlen(name);
  for (const char *next = list; next; next = std::strchr(next, ',')) {
    next += *next == ',';
    char end = *next == '+' && !std::strncmp(next + 1, name, length) ? next[1 + length] : 'x';
    if (end == '\0' || end == ',')
      return true;
  }
  return false;
}

/// What the program may use and this CPU lacks; null: nothing.
const char *findMissing(const fuse_bundle_program &program) {
  for (const Feature &feature : kFeatures)
    if (isUsed(program.cpu_features, feature.name) && !isThere(feature))
      return feature.name;
  return nullptr;
}

} // namespace

#else

static const char *findMissing(const fuse_bundle_program &) { return nullptr; }

#endif

/// The variant that the environment asks for.
static const fuse_bundle_program *findNamed(const fuse_bundle_program &program, const char *name,
                                            const ErrorText &error) {
  for (const fuse_bundle_program *each = &program; each; each = each->next) {
    if (std::strcmp(each->cpu, name) != 0)
      continue;
    const char *missing = findMissing(*each);
    if (!missing)
      return each;
    error.fail("FUSE_BUNDLE_CPU: %s has %s, which this CPU, %s, lacks", name, missing,
               fuse_cpu_name());
    return nullptr;
  }
  error.fail("FUSE_BUNDLE_CPU: expected one of %s, which the bundle was compiled for, found '%s'",
             program.cpus, name);
  return nullptr;
}

const fuse_bundle_program *mlir::fuse::runtime::chooseProgram(const fuse_bundle_program &program,
                                                              const ErrorText &error) {
  // Code of a GPU runs where the host's is that of its only variant.
  const char *wanted = program.device ? nullptr : std::getenv("FUSE_BUNDLE_CPU");
  if (wanted && *wanted)
    return findNamed(program, wanted, error);
  const char *missing = nullptr; // of the last, which needs least
  for (const fuse_bundle_program *each = &program; each; each = each->next)
    if (missing = findMissing(*each); !missing)
      return each;
  if (program.next)
    error.fail("compiled for %s, of which this CPU, %s, is none: it lacks %s; compile it here",
               program.cpus, fuse_cpu_name(), missing);
  else
    error.fail("compiled for a CPU with %s, which this one, %s, lacks; compile it here", missing,
               fuse_cpu_name());
  return nullptr;
}
