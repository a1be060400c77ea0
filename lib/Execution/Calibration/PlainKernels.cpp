//===- PlainKernels.cpp - Kernels that no program compiles to ------------------- ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CalibrationPrograms.h"
#include "fuse/Support/Clock.h"

#include <limits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr int64_t kBlocks = 64;

int64_t countBlocks(const fuse_buffer *) { return kBlocks; }
void doNothing(const fuse_buffer *, int64_t, int64_t, void *) {}

/// The part of an array of floats that some blocks have; borders are multiples of cache lines.
MutableArrayRef<float> getPart(const fuse_buffer &buffer, int64_t begin, int64_t end) {
  int64_t share = buffer.sizes[0] / kBlocks;
  return {static_cast<float *>(buffer.data) + begin * share,
          static_cast<size_t>((end - begin) * share)};
}

void storeUsually(const fuse_buffer *args, int64_t begin, int64_t end, void *) {
  MutableArrayRef<float> part = getPart(args[0], begin, end);
  // As a constant it would become a call of memset, which has thresholds of its own.
  volatile float one = 1.0f;
  float value = one;
#ifdef __SSE2__
  __m128 lanes = _mm_set1_ps(value);
  for (size_t i = 0; i < part.size(); i += 4)
    _mm_store_ps(&part[i], lanes);
#else
  for (float &each : part)
    each = value;
#endif
}

#ifdef __SSE2__
void storePast(const fuse_buffer *args, int64_t begin, int64_t end, void *) {
  MutableArrayRef<float> part = getPart(args[0], begin, end);
  __m128 lanes = _mm_set1_ps(1.0f);
  for (size_t i = 0; i < part.size(); i += 4)
    _mm_stream_ps(&part[i], lanes);
  _mm_sfence();
}
constexpr fuse_blocks_fn kStorePast = storePast;
#else
constexpr fuse_blocks_fn kStorePast = nullptr;
#endif

void readAll(const fuse_buffer *args, int64_t begin, int64_t end, void *) {
  float sums[16] = {};
  MutableArrayRef<float> part = getPart(args[0], begin, end);
  for (size_t i = 0; i < part.size(); i += 16)
    for (size_t lane = 0; lane < 16; ++lane)
      sums[lane] += part[i + lane];
  volatile float sink = 0;
  for (float sum : sums)
    sink = sink + sum;
}

/// A context with a table of kernels.
class Kernels {
public:
  Kernels(int32_t threads, ArrayRef<fuse_kernel> table)
      : context(fuse_context_create(threads)),
        isGood(context && !fuse_context_set_kernels(context, table.data(),
                                                    static_cast<int64_t>(table.size()))) {}
  ~Kernels() { fuse_context_destroy(context); }
  Kernels(const Kernels &) = delete;

  /// The least times of each of some lists of kernels, launched one after the other; the lists take
  /// turns, so that what disturbs one disturbs the others too.
  llvm::Expected<std::vector<double>> measure(ArrayRef<SmallVector<int64_t, 2>> lists,
                                              const fuse_buffer *args, Patience patience) {
    std::vector<double> least(lists.size(), std::numeric_limits<double>::infinity());
    int64_t wanted = patience.leastNs * static_cast<int64_t>(lists.size()), spent = 0;
    for (int64_t i = 0; i < patience.leastRuns || spent < wanted; ++i)
      for (auto [kernels, time] : llvm::zip_equal(lists, least)) {
        int64_t begin = getSteadyNs();
        for (int64_t kernel : kernels)
          if (!isGood || fuse_launch(context, kernel, args, args ? 1 : 0))
            return llvm::createStringError("no memory for a context");
        int64_t ns = getSteadyNs() - begin;
        spent += ns;
        time = std::min(time, static_cast<double>(ns));
      }
    return least;
  }

private:
  fuse_context *context;
  bool isGood;
};

} // namespace

llvm::Expected<double> mlir::fuse::measureFork(int32_t threads, Patience patience) {
  const fuse_kernel table[] = {{"empty", doNothing, countBlocks, 0, nullptr, nullptr}};
  double least[2];
  for (int isAll : {0, 1}) {
    auto times = Kernels(isAll ? threads : 1, table).measure({{0}}, nullptr, patience);
    if (!times)
      return times.takeError();
    least[isAll] = times->front();
  }
  return std::max(0.0, least[1] - least[0]);
}

llvm::Expected<std::optional<StoreTimes>>
mlir::fuse::measureStores(ArrayRef<int64_t> sizes, int32_t threads, Patience patience) {
  if (!kStorePast)
    return std::nullopt;
  const fuse_kernel table[] = {{"usual", storeUsually, countBlocks, 0, nullptr, nullptr},
                               {"past", kStorePast, countBlocks, 0, nullptr, nullptr},
                               {"read", readAll, countBlocks, 0, nullptr, nullptr}};
  StoreTimes result;
  for (int64_t bytes : sizes) {
    auto array = HostArray::create(ElementType::F32, {bytes / 4});
    if (!array)
      return array.takeError();
    SmallVector<int64_t> strides = array->getStrides();
    fuse_buffer buffer = {array->getBytes(), array->getShape().data(), strides.data(), 1, FUSE_F32};
    Kernels kernels(threads, table);
    auto measured = kernels.measure({{0, 2}, {1, 2}}, &buffer, patience);
    if (!measured)
      return measured.takeError();
    result.usual.push_back((*measured)[0]);
    result.nonTemporal.push_back((*measured)[1]);
  }
  return result;
}
