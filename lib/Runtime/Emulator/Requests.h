//===- Requests.h - What warps ask of memory ---------------------------------- -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATOR_REQUESTS_H
#define FUSE_LIB_RUNTIME_EMULATOR_REQUESTS_H

#include <cstdint>
#include <vector>

namespace mlir::fuse::emulator {

/// Sums over the requests of one site.
struct RequestSums {
  /// Of global memory.
  int64_t requests = 0, sectors = 0, idealSectors = 0, bytes = 0;
  bool writes = false;
  /// Of shared memory: how often its banks were read or written, and how often would do if no two words of one round lay in
  /// one bank.
  int64_t rounds = 0, idealRounds = 0;
};

/// Puts the accesses of lanes, which come one after the other, together to the warps' requests.
class Requests {
public:
  void prepare(int32_t threads, int64_t sites);
  void note(int32_t thread, int32_t site, uintptr_t address, int64_t bytes, bool writes);
  /// The same of shared memory, of which `first` is a byte.
  void noteShared(int32_t thread, int32_t site, int64_t first, int64_t bytes);
  /// Adds the block's requests to the sums.
  void finishBlock();
  /// By site.
  const std::vector<RequestSums> &getSums() const { return sums; }

private:
  /// Of each warp and site the first requests only: a loop that takes long asks for the same again
  /// and again.
  static constexpr uint32_t kMostPerBlock = 4096;
  struct Sector {
    uintptr_t number;
    uint32_t bytes; // a bit for each one touched
  };
  using Request = std::vector<Sector>;
  /// What one lane touches of shared memory.
  struct Words {
    int32_t lane;
    int64_t first, bytes;
  };
  using SharedRequest = std::vector<Words>;
  void finishShared(RequestSums &sum, const SharedRequest &request);

  int64_t sites = 0;
  std::vector<uint32_t> times, sharedTimes;   // by thread and site
  std::vector<std::vector<Request>> requests; // by warp and site
  std::vector<std::vector<SharedRequest>> sharedRequests;
  std::vector<RequestSums> sums;
};

} // namespace mlir::fuse::emulator

#endif // FUSE_LIB_RUNTIME_EMULATOR_REQUESTS_H
