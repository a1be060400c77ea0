//===- Bounds.cpp - Memory that a launch may touch ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Bounds.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace mlir::fuse::emulator;

const char *Region::name(char (&space)[48]) const {
  if (argument < 0)
    return what;
  snprintf(space, sizeof space, "argument %d", argument);
  return space;
}

void Regions::addArgument(const fuse_buffer &buffer, int32_t number, int64_t granule) {
  int64_t element = fuse_dtype_size(buffer.dtype), low = 0, high = 0;
  for (int32_t d = 0; d < buffer.rank; ++d) {
    if (buffer.sizes[d] <= 0)
      return; // no element, so nothing that may be touched
    int64_t reach = (buffer.sizes[d] - 1) * buffer.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  auto data = reinterpret_cast<uintptr_t>(buffer.data);
  regions.push_back({data + low * element, data + (high + 1) * element, number, nullptr,
                     std::min(element, granule), nullptr});
}

void Regions::add(const void *memory, int64_t bytes, int64_t granule, const char *what) {
  if (bytes <= 0)
    return;
  auto begin = reinterpret_cast<uintptr_t>(memory);
  regions.push_back({begin, begin + bytes, -1, what, granule, nullptr});
}

bool Regions::finish(bool withHistory) {
  std::sort(regions.begin(), regions.end(), [](const Region &a, const Region &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  size_t kept = 0;
  for (size_t i = 1; i < regions.size(); ++i) {
    Region &last = regions[kept];
    if (regions[i].begin >= last.end) {
      regions[++kept] = std::move(regions[i]);
      continue;
    }
    last.granule = std::gcd(std::gcd(last.granule, regions[i].granule),
                            static_cast<int64_t>(regions[i].begin - last.begin));
    last.end = std::max(last.end, regions[i].end);
  }
  if (!regions.empty())
    regions.resize(kept + 1);
  for (Region &region : regions) {
    if (!withHistory)
      continue;
    region.history.reset(
        History::create((region.end - region.begin + region.granule - 1) / region.granule));
    if (!region.history)
      return false;
  }
  return true;
}

const Region *Regions::find(uintptr_t address, int64_t bytes) const {
  // The last one that begins at or before the address.
  size_t low = 0, high = regions.size();
  while (low < high) {
    size_t middle = (low + high) / 2;
    (regions[middle].begin <= address ? low : high) =
        regions[middle].begin <= address ? middle + 1 : middle;
  }
  return low > 0 && regions[low - 1].contains(address, bytes) ? &regions[low - 1] : nullptr;
}

void Regions::describe(uintptr_t address, char *text, size_t capacity) const {
  const Region *nearest = nullptr;
  uintptr_t distance = UINTPTR_MAX;
  for (const Region &region : regions) {
    uintptr_t away = address < region.begin  ? region.begin - address
                     : address >= region.end ? address - region.end
                                             : 0;
    if (away < distance) {
      nearest = &region;
      distance = away;
    }
  }
  // Beyond this it says nothing about what went wrong.
  constexpr uintptr_t kNear = uintptr_t(1) << 32;
  if (!nearest || distance > kNear) {
    snprintf(text, capacity, "at %p, near no argument", reinterpret_cast<void *>(address));
    return;
  }
  char space[48];
  const char *name = nearest->name(space);
  auto size = static_cast<unsigned long long>(nearest->end - nearest->begin);
  if (address >= nearest->begin && address < nearest->end)
    snprintf(text, capacity, "from byte %llu of %s on, which has %llu bytes",
             static_cast<unsigned long long>(address - nearest->begin), name, size);
  else
    snprintf(text, capacity, "%llu bytes %s %s, which has %llu bytes",
             static_cast<unsigned long long>(distance),
             address < nearest->begin ? "before" : "behind the end of", name, size);
}
