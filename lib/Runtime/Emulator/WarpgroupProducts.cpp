//===- WarpgroupProducts.cpp - Products of a warpgroup that are under way -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "WarpgroupProducts.h"
#include "../Floats.h"

#include <cstring>
#include <new>

using namespace mlir::fuse::emulator;
using namespace mlir::fuse::runtime;

namespace {

constexpr int32_t kRows = 64, kRowsOfWarp = 16, kSteps = 16, kMostColumns = 256, kWarpsOfGroup = 4;
/// Of a line of a matrix, of lines that the pattern of its pieces begins again after, and of an element.
constexpr int64_t kLineBytes = 128, kLines = 8, kElementBytes = 2;
constexpr int32_t kPieceElements = kPieceBytes / kElementBytes;

/// Numbers of sums that stand-ins may have: neither the canonical NaN of CPUs nor that of GPUs is one.
constexpr uint32_t kNumbers = 32766, kNaN = 0x7fc00000, kNaNMask = 0xffc00000, kPositionBits = 7;

uint32_t makeStandIn(uint32_t number, int32_t position) {
  return kNaN | number << kPositionBits | static_cast<uint32_t>(position);
}

/// The sums that a word stands for, if it does, and the position in a lane's.
WarpgroupSums *findSums(WarpgroupProducts &products, uint32_t word, int32_t &position) {
  if ((word & kNaNMask) != kNaN)
    return nullptr;
  position = static_cast<int32_t>(word & ((1u << kPositionBits) - 1));
  for (WarpgroupSums &sums : products.sums)
    if (sums.number == (word & ~kNaNMask) >> kPositionBits && position < sums.count)
      return &sums;
  return nullptr;
}

/// What one lane asks for.
struct Request {
  int32_t columns, left, right, turned;
  uint64_t places[2];
  uint32_t *words;
  int64_t groups; // that may be left, of a wait
};

Request &requestOf(Thread &thread) { return *static_cast<Request *>(thread.call.operands); }

int64_t readField(uint64_t place, int first) { return static_cast<int64_t>(place >> first & 0x3fff) << 4; }

SharedMatrix readDescriptor(Worker &worker, uint64_t place, bool isTurned, int32_t site) {
  constexpr int kPatternBit = 62, kOffsetBit = 49;
  if (place >> kPatternBit != 1 || (place >> kOffsetBit & 7) != 0)
    worker.fail("the matrix product at %s: expected a descriptor of a matrix whose pieces are permuted within 128 bytes, "
                "without a base offset, found 0x%llx",
                worker.getLaunch().locate(site), static_cast<unsigned long long>(place));
  // The address has 18 bits.
  constexpr int64_t kAddresses = int64_t(1) << 18;
  auto shared = static_cast<int64_t>(reinterpret_cast<uintptr_t>(worker.getShared()) % kAddresses);
  SharedMatrix matrix;
  matrix.begin = (readField(place, 0) - shared) & (kAddresses - 1);
  matrix.apart = readField(place, 16);
  matrix.linesApart = readField(place, 32);
  matrix.isTurned = isTurned;
  return matrix;
}

/// Calls visit(place) for all pieces of 16 bytes that products read of a matrix.
template <class Function>
void forPieces(const SharedMatrix &matrix, int32_t rows, Function visit) {
  if (matrix.isTurned) {
    for (int32_t step = 0; step < kSteps; ++step)
      for (int32_t row = 0; row < rows; row += kPieceElements)
        visit(matrix.place(row, step));
    return;
  }
  for (int32_t row = 0; row < rows; ++row)
    for (int32_t step = 0; step < kSteps; step += kPieceElements)
      visit(matrix.place(row, step));
}

template <class Function>
void forPieces(const WarpgroupProduct &product, Function visit) {
  forPieces(product.a, kRows, visit);
  forPieces(product.b, product.columns, visit);
}

double load(const char *shared, int64_t place, int32_t element) {
  uint16_t bits = 0;
  std::memcpy(&bits, shared + place, sizeof bits);
  return element == FUSE_EMULATED_F16 ? widenF16(bits) : widenBF16(bits);
}

/// Rounded once, at the end, as products of a warp are.
void compute(Worker &worker, int32_t warp, WarpgroupProduct &product, WarpgroupSums &sums) {
  product.isDone = true;
  static thread_local double b[kSteps][kMostColumns];
  double a[kRowsOfWarp][kSteps];
  const char *shared = worker.getShared();
  int32_t firstRow = warp % kWarpsOfGroup * kRowsOfWarp;
  for (int32_t step = 0; step < kSteps; ++step) {
    for (int32_t row = 0; row < kRowsOfWarp; ++row)
      a[row][step] = load(shared, product.a.place(firstRow + row, step), product.left);
    for (int32_t column = 0; column < product.columns; ++column)
      b[step][column] = load(shared, product.b.place(column, step), product.right);
  }
  for (int32_t row = 0; row < kRowsOfWarp; ++row) {
    double all[kMostColumns] = {};
    for (int32_t step = 0; step < kSteps; ++step)
      for (int32_t column = 0; column < product.columns; ++column)
        all[column] += a[row][step] * b[step][column];
    // Lane 4g + t has rows g and g + 8, and columns 2t and 2t + 1 of each eight.
    for (int32_t column = 0; column < product.columns; ++column) {
      int32_t lane = row % 8 * 4 + column % 8 / 2, position = column / 8 * 4 + row / 8 * 2 + column % 2;
      uint32_t &word = sums.values[lane * sums.count + position];
      word = __builtin_bit_cast(uint32_t, static_cast<float>(all[column] + __builtin_bit_cast(float, word)));
    }
  }
}

WarpgroupSums &lookupSums(WarpgroupProducts &products, int64_t id) {
  size_t i = 0;
  while (products.sums[i].id != id)
    ++i;
  return products.sums[i];
}

/// Computes what is not yet, up to a group.
void computeUntil(Worker &worker, int32_t warp, WarpgroupProducts &products, int64_t group) {
  for (WarpgroupProduct &product : products.underWay)
    if (product.group < group && !product.isDone)
      compute(worker, warp, product, lookupSums(products, product.sums));
}

void computeEarly(Worker &worker, int32_t warp, WarpgroupProducts &products) {
  if (worker.draw() % 4 == 0)
    computeUntil(worker, warp, products, INT64_MAX);
}

void checkWhole(Worker &worker, const Thread &first, uint32_t mask) {
  if (mask != ~0u)
    worker.fail("the %s at %s wants all 32 lanes, found mask 0x%x", first.call.what,
                worker.getLaunch().locate(first.call.site), mask);
}

uint32_t takeSum(Worker &worker, const Thread &thread, uint32_t word, int32_t site) {
  int32_t position = 0;
  const WarpgroupSums *sums = findSums(worker.getProducts(thread.warp), word, position);
  if (!sums)
    return word;
  if (sums->products > 0)
    worker.fail("product under way: thread %d takes sums at %s that the product at %s adds to, without having waited for it",
                thread.index, worker.getLaunch().locate(site), worker.getLaunch().locate(sums->site));
  return sums->values[thread.lane * sums->count + position];
}

/// The sums that all lanes' words stand for, if they are those of one product as it gave them.
WarpgroupSums *findChained(WarpgroupProducts &products, Thread *lanes, int32_t count) {
  int32_t position = 0;
  WarpgroupSums *sums = findSums(products, requestOf(lanes[0]).words[0], position);
  if (!sums || sums->count != count)
    return nullptr;
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t i = 0; i < count; ++i)
      if (requestOf(lanes[lane]).words[i] != makeStandIn(sums->number, i))
        return nullptr;
  return sums;
}

WarpgroupSums &makeSums(Worker &worker, WarpgroupProducts &products, Thread *lanes, int32_t count, int32_t site) {
  // What has been waited for long ago nobody takes any more.
  constexpr size_t kMostKept = 64;
  for (size_t i = 0; products.sums.size() >= kMostKept && i < products.sums.size();)
    if (products.sums[i].products == 0)
      products.sums.erase(products.sums.begin() + static_cast<int64_t>(i));
    else
      ++i;
  WarpgroupSums sums;
  sums.id = products.numSums++;
  sums.count = count;
  products.sums.push_back(std::move(sums));
  WarpgroupSums &made = products.sums.back();
  made.values.resize(static_cast<size_t>(kWarpSize) * count);
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t i = 0; i < count; ++i)
      made.values[lane * count + i] = takeSum(worker, lanes[lane], requestOf(lanes[lane]).words[i], site);
  return made;
}

/// All warps of a group ask for the same products.
void checkGroup(Worker &worker, const Thread &first, const Request &request) {
  const Launch &launch = worker.getLaunch();
  int32_t leader = first.warp / kWarpsOfGroup * kWarpsOfGroup, site = first.call.site;
  if ((leader + kWarpsOfGroup) * kWarpSize > launch.threads)
    worker.fail("the matrix product at %s wants four warps, of which the first is a multiple of four, found warp %d of %d "
                "threads",
                launch.locate(site), first.warp, launch.threads);
  std::vector<WarpgroupAsked> &asked = worker.getProducts(leader).asked;
  size_t number = worker.getProducts(first.warp).numAsked++;
  if (number == asked.size())
    asked.push_back({request.places[0], request.places[1], site, first.warp});
  const WarpgroupAsked &other = asked[number];
  if (other.left != request.places[0] || other.right != request.places[1] || other.site != site)
    worker.fail("warps of a warpgroup disagree: warp %d at the product at %s, warp %d at that at %s, or of other matrices",
                first.warp, launch.locate(site), other.warp, launch.locate(other.site));
}

void addProduct(Worker &worker, Thread *lanes) {
  Thread &first = lanes[0];
  const Request &request = requestOf(first);
  int32_t site = first.call.site, count = request.columns / 2;
  WarpgroupProducts &products = worker.getProducts(first.warp);
  WarpgroupProduct product;
  product.columns = request.columns;
  product.left = request.left;
  product.right = request.right;
  product.a = readDescriptor(worker, request.places[0], request.turned & 1, site);
  product.b = readDescriptor(worker, request.places[1], request.turned & 2, site);
  product.site = site;
  product.group = products.groups;
  checkGroup(worker, first, request);
  WarpgroupSums *sums = findChained(products, lanes, count);
  if (!sums)
    sums = &makeSums(worker, products, lanes, count, site);
  // Words that stand for what they were before stand for nothing from now on.
  sums->number = products.next = products.next % kNumbers + 1;
  ++sums->products;
  sums->site = site;
  product.sums = sums->id;
  products.underWay.push_back(product);
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t i = 0; i < count; ++i)
      requestOf(lanes[lane]).words[count + i] = makeStandIn(sums->number, i);
}

/// Calls fn(), which may need memory. Above it there is compiled code, which no exception passes.
template <class Function>
void withMemory(Worker &worker, int32_t site, Function fn) {
  try {
    fn();
    return;
  } catch (const std::bad_alloc &) {
  }
  worker.fail("out of memory: the matrix product at %s", worker.getLaunch().locate(site));
}

void multiplyTiles(Worker &worker, Thread *lanes, uint32_t mask) {
  Thread &first = lanes[0];
  checkWhole(worker, first, mask);
  int32_t site = first.call.site;
  for (int32_t lane = 1; lane < kWarpSize; ++lane)
    for (int side = 0; side < 2; ++side)
      if (requestOf(lanes[lane]).places[side] != requestOf(first).places[side])
        worker.fail("lanes of a warp disagree: threads %d and %d multiply different matrices at %s", first.index,
                    lanes[lane].index, worker.getLaunch().locate(site));
  WarpgroupProducts &products = worker.getProducts(first.warp);
  if (!products.isFenced)
    worker.fail("missing fence: warp %d comes to the product at %s without a wgmma.fence since it began or last waited",
                first.warp, worker.getLaunch().locate(site));
  withMemory(worker, site, [&] { addProduct(worker, lanes); });
  if (worker.getLaunch().isChecked)
    forPieces(products.underWay.back(), [&](int64_t place) { worker.beginProductRead(first, place, site); });
  computeEarly(worker, first.warp, products);
}

void fence(Worker &worker, Thread *lanes, uint32_t mask) {
  checkWhole(worker, lanes[0], mask);
  worker.getProducts(lanes[0].warp).isFenced = true;
}

void commit(Worker &worker, Thread *lanes, uint32_t mask) {
  checkWhole(worker, lanes[0], mask);
  ++worker.getProducts(lanes[0].warp).groups;
}

void wait(Worker &worker, Thread *lanes, uint32_t mask) {
  Thread &first = lanes[0];
  checkWhole(worker, first, mask);
  WarpgroupProducts &products = worker.getProducts(first.warp);
  int64_t until = products.groups - requestOf(first).groups;
  products.isFenced = false;
  computeUntil(worker, first.warp, products, until);
  size_t done = 0;
  for (; done < products.underWay.size() && products.underWay[done].group < until; ++done) {
    const WarpgroupProduct &product = products.underWay[done];
    --lookupSums(products, product.sums).products;
    if (worker.getLaunch().isChecked)
      forPieces(product, [&](int64_t place) { worker.endProductRead(first, place, product.site); });
  }
  products.underWay.erase(products.underWay.begin(), products.underWay.begin() + static_cast<int64_t>(done));
  computeEarly(worker, first.warp, products);
}

void callForWarp(fuse_emulated_thread *thread, void (*complete)(Worker &, Thread *, uint32_t), const char *what, int32_t kind,
          int32_t site, Request request) {
  auto *self = static_cast<Thread *>(thread);
  self->worker->together(*self, {complete, what, kind, ~0u, site, &request});
}

} // namespace

int64_t SharedMatrix::place(int64_t row, int64_t step) const {
  constexpr int64_t kLineElements = kLineBytes / kElementBytes;
  int64_t slow = isTurned ? step : row, fast = isTurned ? row : step;
  int64_t at = begin + fast / kLineElements * apart + slow / kLines * linesApart + slow % kLines * kLineBytes +
               fast % kLineElements * kElementBytes;
  // A piece's number is permuted by that of its line.
  return at ^ (at / kLineBytes % kLines * kPieceBytes);
}

void WarpgroupProducts::clear() { *this = WarpgroupProducts(); }

void WarpgroupProducts::abandon(Worker &worker) {
  if (worker.getLaunch().isChecked)
    for (const WarpgroupProduct &product : underWay)
      forPieces(product, [&](int64_t place) { worker.forgetProductRead(place); });
  clear();
}

extern "C" {

void fuse_emulated_warpgroup_multiply(fuse_emulated_thread *thread, int32_t columns, int32_t left, int32_t right,
                                      int32_t turned, uint64_t left_place, uint64_t right_place, uint32_t *words,
                                      int32_t site) {
  int32_t kind = ((columns * 8 + left) * 8 + right) * 4 + turned;
  callForWarp(thread, multiplyTiles, "matrix product", kind, site,
              {columns, left, right, turned, {left_place, right_place}, words, 0});
}

void fuse_emulated_warpgroup_fence(fuse_emulated_thread *thread, int32_t site) {
  callForWarp(thread, fence, "fence of products", 0, site, {});
}

void fuse_emulated_warpgroup_commit(fuse_emulated_thread *thread, int32_t site) {
  callForWarp(thread, commit, "end of a group of products", 0, site, {});
}

void fuse_emulated_warpgroup_wait(fuse_emulated_thread *thread, int64_t left, int32_t site) {
  callForWarp(thread, wait, "wait for products", static_cast<int32_t>(left), site, {0, 0, 0, 0, {0, 0}, nullptr, left});
}

uint32_t fuse_emulated_take_sum(fuse_emulated_thread *thread, uint32_t word, int32_t site) {
  auto *self = static_cast<Thread *>(thread);
  return takeSum(*self->worker, *self, word, site);
}

void fuse_emulated_proxy_fence(fuse_emulated_thread *thread) { ++static_cast<Thread *>(thread)->fences; }

} // extern "C"
