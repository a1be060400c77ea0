//===- CpuLevel.cpp - The CPUs that code can be compiled for ---------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CpuLevel.h"

#include "fuse/Runtime/Cpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <vector>

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringRef kX86Levels[] = {kNativeCpu, "x86-64-v4", "x86-64-v3", "x86-64-v2",
                                           "x86-64"};
static constexpr StringRef kOtherLevels[] = {kNativeCpu, "generic"};

static bool isX86() { return llvm::Triple(llvm::sys::getProcessTriple()).isX86(); }

ArrayRef<StringRef> mlir::fuse::getCpuLevelNames() {
  return isX86() ? ArrayRef(kX86Levels) : ArrayRef(kOtherLevels);
}

static CpuVectors describeVectors(const llvm::StringMap<bool> &features) {
  CpuVectors vectors;
  if (!isX86())
    return vectors;
  vectors.hasFma = features.lookup("fma");
  vectors.hasInt16Dot = true; // pmaddwd, of 64 bytes with avx512bw
  if (features.lookup("avx512f") && features.lookup("avx512dq") && features.lookup("avx512vl")) {
    vectors.bytes = 64;
    vectors.hasScaling = true;
    vectors.permutedLanes = 16;
    vectors.hasInt8Dot = features.lookup("avx512vnni");
    vectors.hasInt16Dot = features.lookup("avx512bw");
    vectors.hasBf16Dot = features.lookup("avx512bf16");
    vectors.hasInt8Tiles = vectors.hasInt8Dot && features.lookup("amx-int8");
    vectors.hasBf16Tiles = vectors.hasBf16Dot && features.lookup("amx-bf16");
    return vectors;
  }
  vectors.bytes = features.lookup("avx2") ? 32 : 16;
  vectors.permutedLanes = features.lookup("avx2") ? 8 : 1;
  vectors.registers = 16;
  vectors.hasInt8Dot = features.lookup("avxvnni");
  return vectors;
}

/// Sorted, so that the same features always give one string.
static std::string listFeatures(const llvm::StringMap<bool> &features) {
  std::vector<std::string> names;
  for (const auto &feature : features)
    names.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(names);
  return llvm::join(names, ",");
}

static llvm::StringMap<bool> getFeatures(StringRef level) {
  if (level == kNativeCpu) {
    llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    // The CPU may have tiles that the operating system does not let this process use.
    if (host.lookup("amx-tile") && !fuse_cpu_allow_tiles())
      for (auto &feature : host)
        if (feature.first().starts_with("amx-"))
          feature.second = false;
    return host;
  }
  llvm::StringMap<bool> features;
  if (!isX86())
    return features;
  SmallVector<StringRef> names;
  llvm::X86::getFeaturesForCPU(level, names);
  // LLVM lists those that no other implies.
  for (StringRef name : names) {
    features[name] = true;
    llvm::X86::updateImpliedFeatures(name, /*Enabled=*/true, features);
  }
  return features;
}

std::optional<CpuLevel> mlir::fuse::findCpuLevel(StringRef name) {
  if (!llvm::is_contained(getCpuLevelNames(), name))
    return std::nullopt;
  CpuLevel level;
  level.name = name.str();
  level.cpu = name == kNativeCpu ? llvm::sys::getHostCPUName().str() : name.str();
  llvm::StringMap<bool> features = getFeatures(name);
  level.features = listFeatures(features);
  level.vectors = describeVectors(features);
  return level;
}

std::string mlir::fuse::findMissingFeature(const CpuLevel &level) {
  if (!isX86() || level.isNative())
    return "";
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  SmallVector<StringRef> needed;
  llvm::StringMap<bool> features = getFeatures(level.name);
  for (const auto &feature : features)
    needed.push_back(feature.first());
  llvm::sort(needed);
  for (StringRef name : needed)
    // What every x86-64 has some hosts do not list.
    if (auto found = host.find(name); found != host.end() && !found->second)
      return name.str();
  return "";
}
