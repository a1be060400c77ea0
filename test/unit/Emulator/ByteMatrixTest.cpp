//===- ByteMatrixTest.cpp - Products of matrices of bytes against sums of products --------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace mlir::fuse::test;

namespace {

constexpr int kDepth = 32, kWordsA = 4, kWordsB = 2, kWordsC = 4, kWords = kWordsA + kWordsB + kWordsC;

/// Each lane reads its words of A, B and C, one after the other, and writes those of the result.
std::string textOf(const std::string &left, const std::string &right, const std::string &overflow) {
  std::string text = R"(
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %lane = nvvm.read.ptx.sreg.laneid : i32
      %ten = llvm.mlir.constant(10 : i32) : i32
      %four = llvm.mlir.constant(4 : i32) : i32
      %first = llvm.mul %lane, %ten : i32
      %base = llvm.getelementptr %in[%first] : (!llvm.ptr, i32) -> !llvm.ptr, i32
)";
  std::string operands[3];
  for (int i = 0; i < kWords; ++i) {
    std::string n = std::to_string(i);
    text += "%p" + n + " = llvm.getelementptr %base[" + n + "] : (!llvm.ptr) -> !llvm.ptr, i32\n";
    text += "%w" + n + " = llvm.load %p" + n + " : !llvm.ptr -> i32\n";
    std::string &list = operands[i < kWordsA ? 0 : i < kWordsA + kWordsB ? 1 : 2];
    list += (list.empty() ? "%w" : ", %w") + n;
  }
  std::string structure = "!llvm.struct<(i32, i32, i32, i32)>";
  text += "%d = nvvm.mma.sync A[" + operands[0] + "] B[" + operands[1] + "] C[" + operands[2] +
          "] {intOverflowBehavior = #nvvm.mma_int_overflow<" + overflow +
          ">, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<" +
          left + ">, multiplicandBPtxType = #nvvm.mma_type<" + right +
          ">, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> " + structure + "\n";
  text += R"(
      %to = llvm.mul %lane, %four : i32
      %result = llvm.getelementptr %out[%to] : (!llvm.ptr, i32) -> !llvm.ptr, i32
)";
  for (int i = 0; i < kWordsC; ++i) {
    std::string n = std::to_string(i);
    text += "%d" + n + " = llvm.extractvalue %d[" + n + "] : " + structure + "\n";
    text += "%q" + n + " = llvm.getelementptr %result[" + n + "] : (!llvm.ptr) -> !llvm.ptr, i32\n";
    text += "llvm.store %d" + n + ", %q" + n + " : i32, !llvm.ptr\n";
  }
  return inModule(text + "llvm.return\n}\n");
}

TEST(EmulatorMatrices, MultiplyBytes) {
  std::mt19937 random(11);
  for (const char *left : {"s8", "u8"})
    for (const char *right : {"s8", "u8"}) {
      SCOPED_TRACE(left + std::string(" by ") + right);
      EmulatedKernel kernel(textOf(left, right, "wrapped"));
      ASSERT_EQ(kernel.error, "");
      auto value = [](const char *type, uint8_t byte) -> int64_t {
        return *type == 's' ? static_cast<int8_t>(byte) : byte;
      };
      uint8_t a[16][kDepth], b[kDepth][8];
      uint32_t c[16][8];
      for (auto &row : a)
        for (uint8_t &x : row)
          x = static_cast<uint8_t>(random());
      for (auto &row : b)
        for (uint8_t &x : row)
          x = static_cast<uint8_t>(random());
      // Some sums leave the range of i32, and wrap around.
      for (auto &row : c)
        for (uint32_t &x : row)
          x = random() % 2 ? 0x7fffffffu : static_cast<uint32_t>(random());

      // As the tables of the PTX manual have them.
      Numbers<int32_t> in(32 * kWords), out(32 * kWordsC);
      for (int lane = 0; lane < 32; ++lane) {
        int group = lane / 4, inGroup = lane % 4;
        auto *words = reinterpret_cast<uint32_t *>(&in[lane * kWords]);
        for (int i = 0; i < 16; ++i) {
          int row = i < 4 || (8 <= i && i < 12) ? group : group + 8;
          int column = inGroup * 4 + i % 4 + (i < 8 ? 0 : 16);
          words[i / 4] |= static_cast<uint32_t>(a[row][column]) << 8 * (i % 4);
        }
        for (int i = 0; i < 8; ++i)
          words[kWordsA + i / 4] |=
              static_cast<uint32_t>(b[inGroup * 4 + i % 4 + (i < 4 ? 0 : 16)][group]) << 8 * (i % 4);
        for (int i = 0; i < 4; ++i)
          words[kWordsA + kWordsB + i] = c[i < 2 ? group : group + 8][inGroup * 2 + i % 2];
      }
      ASSERT_EQ(kernel.launch({in.buffer(), out.buffer()}), "");
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
          int row = lane / 4 + (i < 2 ? 0 : 8), column = lane % 4 * 2 + i % 2;
          int64_t sum = c[row][column];
          for (int k = 0; k < kDepth; ++k)
            sum += value(left, a[row][k]) * value(right, b[k][column]);
          EXPECT_EQ(static_cast<uint32_t>(out[lane * kWordsC + i]), static_cast<uint32_t>(sum))
              << row << ", " << column;
        }
    }
}

TEST(EmulatorMatrices, SaturatedSumsAreRefused) {
  EXPECT_THAT(EmulatedKernel(textOf("s8", "u8", "satfinite")).error,
              testing::HasSubstr("the emulator does not know the intrinsic"));
}

} // namespace
