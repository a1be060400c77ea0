//===- Requests.cpp - What warps ask of global memory -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Requests.h"

#include <algorithm>

using namespace mlir::fuse::emulator;

static constexpr int32_t kWarp = 32;
static constexpr uintptr_t kSector = 32;

void Requests::prepare(int32_t threads, int64_t numSites) {
  sites = numSites;
  times.assign(threads * sites, 0);
  requests.assign((threads + kWarp - 1) / kWarp * sites, {});
  sums.assign(sites, {});
}

void Requests::note(int32_t thread, int32_t site, uintptr_t address, int64_t bytes, bool writes) {
  uint32_t time = times[thread * sites + site]++;
  if (time >= kMostPerBlock)
    return;
  sums[site].writes = writes;
  std::vector<Request> &ofWarp = requests[thread / kWarp * sites + site];
  if (time >= ofWarp.size())
    ofWarp.resize(time + 1);
  Request &request = ofWarp[time];
  for (uintptr_t end = address + bytes; address < end;) {
    uintptr_t number = address / kSector, first = address % kSector;
    uintptr_t count = std::min(kSector - first, end - address);
    auto mask = static_cast<uint32_t>(((uint64_t(1) << count) - 1) << first);
    // Neighbouring lanes mostly touch what was touched last.
    auto known = std::find_if(request.rbegin(), request.rend(),
                              [&](const Sector &sector) { return sector.number == number; });
    if (known == request.rend())
      request.push_back({number, mask});
    else
      known->bytes |= mask;
    address += count;
  }
}

void Requests::finishBlock() {
  for (size_t i = 0; i < requests.size(); ++i) {
    RequestSums &sum = sums[i % sites];
    for (const Request &request : requests[i]) {
      if (request.empty())
        continue;
      int64_t bytes = 0;
      for (const Sector &sector : request)
        bytes += __builtin_popcount(sector.bytes);
      ++sum.requests;
      sum.sectors += static_cast<int64_t>(request.size());
      sum.idealSectors += (bytes + kSector - 1) / kSector;
      sum.bytes += bytes;
    }
    requests[i].clear();
  }
  std::fill(times.begin(), times.end(), 0);
}
