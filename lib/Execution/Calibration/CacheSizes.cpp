//===- CacheSizes.cpp - Caches, as told and as measured ------------------------- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Calibration.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <unistd.h>

using namespace mlir;
using namespace mlir::fuse;

/// The first line of a small file of the system's; empty if there is none.
static std::string readLine(const Twine &path) {
  auto text = llvm::MemoryBuffer::getFileAsStream(path);
  return text ? (*text)->getBuffer().split('\n').first.str() : "";
}

static int64_t parseSize(StringRef text) {
  int64_t factor = text.consume_back("K") ? 1024 : text.consume_back("M") ? 1024 * 1024 : 1;
  int64_t value = 0;
  return text.getAsInteger(10, value) ? 0 : value * factor;
}

CacheSizes mlir::fuse::getCacheSizes() {
  CacheSizes sizes;
  for (int index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    std::string level = readLine(folder + "/level");
    if (level.empty())
      break;
    if (readLine(folder + "/type") == "Instruction")
      continue;
    int64_t bytes = parseSize(readLine(folder + "/size"));
    (level == "1" ? sizes.l1 : level == "2" ? sizes.l2 : sizes.l3) = bytes;
  }
#ifdef _SC_LEVEL1_DCACHE_SIZE
  auto fill = [](int64_t &size, int name) {
    if (size == 0)
      size = std::max<int64_t>(0, sysconf(name));
  };
  fill(sizes.l1, _SC_LEVEL1_DCACHE_SIZE);
  fill(sizes.l2, _SC_LEVEL2_CACHE_SIZE);
  fill(sizes.l3, _SC_LEVEL3_CACHE_SIZE);
#endif
  return sizes;
}

const BandwidthPoint &mlir::fuse::findPoint(ArrayRef<BandwidthPoint> curve, int64_t bytes) {
  const BandwidthPoint *found = &curve.front();
  for (const BandwidthPoint &point : curve)
    if (point.bytes <= bytes)
      found = &point;
  return *found;
}

int64_t mlir::fuse::findCacheEnd(ArrayRef<BandwidthPoint> curve, int64_t inside, int64_t outside) {
  constexpr double kLeastRatio = 1.15;
  double fast = findPoint(curve, inside).read[0], slow = findPoint(curve, outside).read[0];
  if (fast < slow * kLeastRatio)
    return 0;
  double middle = std::sqrt(fast * slow);
  int64_t end = 0;
  for (const BandwidthPoint &point : curve)
    if (point.bytes <= outside && point.read[0] > middle)
      end = point.bytes;
  return end;
}

int64_t mlir::fuse::findCrossing(ArrayRef<int64_t> sizes, ArrayRef<double> usual,
                                 ArrayRef<double> other) {
  constexpr double kLeastGain = 1.03;
  int64_t crossing = 0;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (usual[i] < other[i] * kLeastGain)
      break;
    crossing = sizes[i];
  }
  return crossing;
}
