//===- HostTarget.cpp - What a CPU's facts say of its speed -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/HostTarget.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::fuse;

/// What a clock of today is where nothing tells, in GHz, and how far the highest one lies above the
/// nominal one.
static constexpr double kUnknownGigahertz = 3.0, kBoost = 1.35;
/// Units that multiply and add; a multiplication and an addition count as two. What generated
/// products get of them, and what chains of simple operations get of one instruction a unit and
/// clock.
static constexpr double kFmaUnits = 2, kProductPart = 0.95, kChainPart = 0.85;
/// Products of bytes in the time of one of floats: an instruction of vectors sums four where it sums one of floats, and tile
/// registers, which could sum 32, wait for what they load.
static constexpr double kBytesOfFloat = 4, kTileBytesOfFloat = 12;
/// Bytes of a vector's that come from the second cache in a clock, and from the shared one; what
/// one thread reads from memory, in bytes/ns, and how many threads use up what there is.
static constexpr double kL2Part = 0.5, kL3Part = 0.3, kThreadMemoryBw = 16, kMemoryThreads = 6;
/// What stores get of what reads get: the line is read first.
static constexpr double kStorePart = 0.7;
static constexpr double kDispatchNs = 200, kForkNs = 3000;

static std::string readFile(const Twine &path) {
  auto text = llvm::MemoryBuffer::getFileAsStream(path);
  return text ? (*text)->getBuffer().str() : "";
}

double mlir::fuse::findGigahertz(int64_t maxKilohertz, double megahertz, bool isVirtual) {
  if (maxKilohertz > 0)
    return static_cast<double>(maxKilohertz) * 1e-6;
  if (isVirtual && megahertz > 0)
    return megahertz * 1e-3 * kBoost;
  return 0;
}

CpuFacts mlir::fuse::getCpuFacts(int32_t threads) {
  CpuFacts facts;
  facts.vectors = findCpuLevel(kNativeCpu)->vectors;
  facts.caches = getCacheSizes();
  facts.threads = threads;
  int64_t maxKilohertz = 0;
  StringRef(readFile("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"))
      .trim()
      .getAsInteger(10, maxKilohertz);
  std::string info = readFile("/proc/cpuinfo");
  auto findValue = [&](StringRef key) {
    size_t at = StringRef(info).find("\n" + key.str());
    return at == StringRef::npos
               ? StringRef()
               : StringRef(info).substr(at + 1).split('\n').first.split(':').second.trim();
  };
  double megahertz = 0;
  if (findValue("cpu MHz").getAsDouble(megahertz))
    megahertz = 0;
  SmallVector<StringRef> flags;
  findValue("flags").split(flags, ' ');
  facts.gigahertz = findGigahertz(maxKilohertz, megahertz, llvm::is_contained(flags, "hypervisor"));
  return facts;
}

TargetAttr mlir::fuse::makeHostTarget(MLIRContext *context, const CpuFacts &facts) {
  Builder builder(context);
  SmallVector<NamedAttribute> figures;
  auto add = [&](StringRef key, double value) {
    figures.push_back(builder.getNamedAttr(key, builder.getF64FloatAttr(value)));
  };
  double clock = facts.gigahertz > 0 ? facts.gigahertz : kUnknownGigahertz;
  auto bytes = static_cast<double>(facts.vectors.bytes);
  double lanes = bytes / 4, fused = facts.vectors.hasFma ? 2 : 1;
  double memoryBw = kThreadMemoryBw * std::min<double>(facts.threads, kMemoryThreads);
  add("matmul_flops_per_ns", clock * lanes * kFmaUnits * fused * kProductPart);
  if (facts.vectors.hasInt8Dot)
    add("int8_flops_per_ns", (facts.vectors.hasInt8Tiles ? kTileBytesOfFloat : kBytesOfFloat) * clock * lanes * kFmaUnits * fused * kProductPart);
  add("flops_per_ns", clock * lanes * kFmaUnits * kChainPart);
  add("l2_bw", clock * bytes * kL2Part);
  add("l3_bw", clock * bytes * kL3Part);
  add("thread_memory_bw", kThreadMemoryBw);
  add("memory_bw", memoryBw);
  add("store_bw", memoryBw * kStorePart);
  add("dispatch_ns", kDispatchNs);
  add("fork_ns", facts.threads > 1 ? kForkNs : 0);
  add("max_threads", facts.threads);
  add("vector_bytes", bytes);
  add("registers", static_cast<double>(facts.vectors.registers));
  // What the system does not tell has the documented default.
  for (auto [key, size] : {std::pair("l1_bytes", facts.caches.l1),
                           {"l2_bytes", facts.caches.l2},
                           {"l3_bytes", facts.caches.l3}})
    if (size > 0)
      add(key, static_cast<double>(size));
  return TargetAttr::get(context, "host", TargetKind::Cpu, builder.getDictionaryAttr(figures));
}
