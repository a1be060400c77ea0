//===- Requests.cpp - What warps ask of memory --------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Requests.h"
#include "Worker.h"

#include <algorithm>

using namespace mlir::fuse::emulator;

static constexpr uintptr_t kSector = 32;
/// Of shared memory: banks of words of 4 bytes, and what all of them give at once.
static constexpr int64_t kBanks = 32, kWord = 4, kRound = kBanks * kWord;
/// And what one lane gets at once.
static constexpr int64_t kMostShared = 16;

void Requests::prepare(int32_t threads, int64_t numSites) {
  sites = numSites;
  times.assign(threads * sites, 0);
  sharedTimes.assign(threads * sites, 0);
  requests.assign((threads + kWarpSize - 1) / kWarpSize * sites, {});
  sharedRequests.assign(requests.size(), {});
  sums.assign(sites, {});
}

void Requests::note(int32_t thread, int32_t site, uintptr_t address, int64_t bytes, bool writes) {
  uint32_t time = times[thread * sites + site]++;
  if (time >= kMostPerBlock)
    return;
  sums[site].writes = writes;
  std::vector<Request> &ofWarp = requests[thread / kWarpSize * sites + site];
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

void Requests::noteShared(int32_t thread, int32_t site, int64_t first, int64_t bytes) {
  // Longer ones are several instructions.
  for (; bytes > kMostShared; first += kMostShared, bytes -= kMostShared)
    noteShared(thread, site, first, kMostShared);
  uint32_t time = sharedTimes[thread * sites + site]++;
  if (time >= kMostPerBlock)
    return;
  std::vector<SharedRequest> &ofWarp = sharedRequests[thread / kWarpSize * sites + site];
  if (time >= ofWarp.size())
    ofWarp.resize(time + 1);
  ofWarp[time].push_back({thread % kWarpSize, first, bytes});
}

/// Lanes whose bytes fill all banks, 32 with one word each or 8 with four, come together. What several of them want of one
/// word, they get at once; other words of a bank come in rounds of their own.
void Requests::finishShared(RequestSums &sum, const SharedRequest &request) {
  int64_t most = kWord;
  for (const Words &words : request)
    most = std::max(most, words.bytes);
  int64_t together = std::max<int64_t>(1, std::min<int64_t>(kWarpSize, kRound / most));
  for (int32_t begin = 0; begin < kWarpSize; begin += static_cast<int32_t>(together)) {
    std::vector<int64_t> touched;
    for (const Words &words : request)
      if (words.lane >= begin && words.lane < begin + together)
        for (int64_t word = words.first / kWord; word <= (words.first + words.bytes - 1) / kWord; ++word)
          touched.push_back(word);
    if (touched.empty())
      continue;
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    int64_t ofBank[kBanks] = {}, rounds = 0;
    for (int64_t word : touched)
      rounds = std::max(rounds, ++ofBank[word % kBanks]);
    sum.rounds += rounds;
    sum.idealRounds += (static_cast<int64_t>(touched.size()) + kBanks - 1) / kBanks;
  }
}

void Requests::finishBlock() {
  for (size_t i = 0; i < sharedRequests.size(); ++i) {
    for (const SharedRequest &request : sharedRequests[i])
      finishShared(sums[i % sites], request);
    sharedRequests[i].clear();
  }
  std::fill(sharedTimes.begin(), sharedTimes.end(), 0);
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
