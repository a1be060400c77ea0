//===- Matrices.cpp - Products of matrices spread over a warp -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../Floats.h"
#include "Worker.h"

#include <cstring>
#include <utility>

using namespace mlir::fuse::emulator;
using namespace mlir::fuse::runtime;

namespace {

constexpr int kTileRows = 16, kTileColumns = 8, kMostDepth = 32;

/// What a lane's words are: an element is in word `word`, `half` counts elements within it.
struct Shape {
  int depth;
  int32_t left, right, accumulated; // fuse_emulated_element
  int perWord() const {
    return left == FUSE_EMULATED_TF32 ? 1 : accumulated == FUSE_EMULATED_S32 ? 4 : 2;
  }
  int perWordOfResult() const { return accumulated == FUSE_EMULATED_F16 ? 2 : 1; }
  /// A quarter of the lanes' columns: 4 lanes hold so many neighbours along the depth.
  int slice() const { return 4 * perWord(); }
  int wordsOfA() const { return 2 * depth / slice(); }
  int wordsOfB() const { return depth / slice(); }
  int wordsOfC() const { return 4 / perWordOfResult(); }
};

/// All of A, B and C, in double: products of their elements are exact, and sums of integers as well.
struct Matrices {
  double a[kTileRows][kMostDepth], b[kMostDepth][kTileColumns], c[kTileRows][kTileColumns];
};

double widen(int32_t element, uint32_t word, int half) {
  auto getByte = [&] { return static_cast<uint8_t>(word >> 8 * half); };
  auto getBits = [&] { return static_cast<uint16_t>(word >> 16 * half); };
  switch (element) {
  case FUSE_EMULATED_F16:
    return widenF16(getBits());
  case FUSE_EMULATED_BF16:
    return widenBF16(getBits());
  case FUSE_EMULATED_S8:
    return static_cast<int8_t>(getByte());
  case FUSE_EMULATED_U8:
    return getByte();
  case FUSE_EMULATED_S32:
    return static_cast<int32_t>(word);
  case FUSE_EMULATED_TF32:
    word &= ~uint32_t(0x1fff); // the hardware does not look at them
    break;
  }
  return __builtin_bit_cast(float, word);
}

void putResult(int32_t element, uint32_t &word, int half, double value) {
  if (element == FUSE_EMULATED_F16) {
    uint32_t bits = roundToF16(value);
    word = (word & ~(uint32_t(0xffff) << 16 * half)) | bits << 16 * half;
    return;
  }
  word = element == FUSE_EMULATED_S32 ? static_cast<uint32_t>(static_cast<int64_t>(value))
                                      : __builtin_bit_cast(uint32_t, static_cast<float>(value));
}

/// Where the elements of A, B and C are that lane `lane` holds: PTX, "Matrix fragments for mma".
/// visit(matrix, row, column, word, half).
template <class Function>
void forFragment(const Shape &shape, int lane, Function visit) {
  int group = lane / 4, inGroup = lane % 4;
  int wordsOfA = shape.wordsOfA(), wordsOfB = shape.wordsOfB(), per = shape.perWord();
  for (int word = 0; word < wordsOfA; ++word)
    for (int half = 0; half < per; ++half)
      visit(0, group + word % 2 * 8, inGroup * per + half + word / 2 * shape.slice(), word, half);
  for (int word = 0; word < wordsOfB; ++word)
    for (int half = 0; half < per; ++half)
      visit(1, inGroup * per + half + word * shape.slice(), group, wordsOfA + word, half);
  for (int i = 0; i < 4; ++i)
    visit(2, group + i / 2 * 8, inGroup * 2 + i % 2,
          wordsOfA + wordsOfB + i / shape.perWordOfResult(), i % shape.perWordOfResult());
}

struct Call {
  Shape shape;
  uint32_t *words;
};

Call &callOf(Thread &thread) { return *static_cast<Call *>(thread.call.operands); }

void multiplyMatrices(Worker &worker, Thread *lanes, uint32_t mask) {
  Shape shape = callOf(lanes[__builtin_ctz(mask)]).shape;
  if (mask != ~0u)
    worker.fail("the matrix product at %s wants all 32 lanes, found mask 0x%x",
                worker.getLaunch().locate(lanes[__builtin_ctz(mask)].call.site), mask);
  Matrices all;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const uint32_t *words = callOf(lanes[lane]).words;
    forFragment(shape, lane, [&](int matrix, int row, int column, int word, int half) {
      double &element = matrix == 0   ? all.a[row][column]
                        : matrix == 1 ? all.b[row][column]
                                      : all.c[row][column];
      element = widen(matrix == 0   ? shape.left
                      : matrix == 1 ? shape.right
                                    : shape.accumulated,
                      words[word], half);
    });
  }
  // Rounded once, at the end; hardware keeps a few bits less.
  for (auto &row : all.c) {
    const double *left = all.a[&row - all.c];
    for (int k = 0; k < shape.depth; ++k)
      for (int column = 0; column < kTileColumns; ++column)
        row[column] += left[k] * all.b[k][column];
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    uint32_t *words = callOf(lanes[lane]).words;
    forFragment(shape, lane, [&](int matrix, int row, int column, int word, int half) {
      if (matrix == 2)
        putResult(shape.accumulated, words[word + shape.wordsOfC()], half, all.c[row][column]);
    });
  }
}

struct MatrixMove {
  char *row;
  int32_t count;
  bool isTransposed;
  uint32_t *words;
};

MatrixMove &moveOf(Thread &thread) { return *static_cast<MatrixMove *>(thread.call.operands); }

template <bool loads>
void move(Worker &worker, Thread *lanes, uint32_t mask) {
  if (mask != ~0u)
    worker.fail("%s at %s wants all 32 lanes, found mask 0x%x", lanes->call.what,
                worker.getLaunch().locate(lanes[__builtin_ctz(mask)].call.site), mask);
  bool isTransposed = moveOf(lanes[0]).isTransposed;
  for (int lane = 0; lane < kWarpSize; ++lane)
    for (int matrix = 0; matrix < moveOf(lanes[0]).count; ++matrix)
      for (int half = 0; half < 2; ++half) {
        int row = lane / 4, column = lane % 4 * 2 + half;
        if (isTransposed)
          std::swap(row, column);
        char *place = moveOf(lanes[matrix * 8 + row]).row + column * 2;
        char *word = reinterpret_cast<char *>(&moveOf(lanes[lane]).words[matrix]) + half * 2;
        std::memcpy(loads ? word : place, loads ? place : word, 2);
      }
}

template <bool loads>
void moveMatrix(fuse_emulated_thread *thread, void *row, int32_t count, int32_t transposed,
                uint32_t *words, int32_t site) {
  auto *self = static_cast<Thread *>(thread);
  if (self->worker->getLaunch().isChecked && self->lane < count * 8)
    self->worker->access(*self, row, 16, /*writes=*/!loads, /*isAtomic=*/false, site);
  MatrixMove operands = {static_cast<char *>(row), count, transposed != 0, words};
  self->worker->together(*self, {move<loads>, loads ? "load of matrices" : "store of matrices",
                                 count * 2 + transposed, ~0u, site, &operands});
}

} // namespace

extern "C" {

void fuse_emulated_matrix_multiply(fuse_emulated_thread *thread, int32_t depth, int32_t left,
                                   int32_t right, int32_t accumulated, uint32_t *words, int32_t site) {
  auto *self = static_cast<Thread *>(thread);
  Call operands = {{depth, left, right, accumulated}, words};
  self->worker->together(*self, {multiplyMatrices, "matrix product",
                                 ((depth * 8 + left) * 8 + right) * 8 + accumulated, ~0u, site, &operands});
}

void fuse_emulated_load_matrix(fuse_emulated_thread *thread, const void *row, int32_t count,
                               int32_t transposed, uint32_t *words, int32_t site) {
  moveMatrix<true>(thread, const_cast<void *>(row), count, transposed, words, site);
}

void fuse_emulated_store_matrix(fuse_emulated_thread *thread, void *row, int32_t count,
                                int32_t transposed, uint32_t *words, int32_t site) {
  moveMatrix<false>(thread, row, count, transposed, words, site);
}

} // extern "C"
