//===- MatrixTest.cpp - Products of matrices against sums of products ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "EmulatedKernel.h"

#include "fuse/Support/ElementType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir::fuse;
using namespace mlir::fuse::test;

namespace {

enum class Type { F16, BF16, TF32, F32 };

uint32_t encode(Type type, double value) {
  if (type == Type::F16)
    return encodeF16(value);
  if (type == Type::BF16)
    return encodeBF16(value);
  auto single = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &single, 4);
  return bits;
}

double decode(Type type, uint32_t bits) {
  if (type == Type::F16)
    return decodeF16(static_cast<uint16_t>(bits));
  if (type == Type::BF16)
    return decodeBF16(static_cast<uint16_t>(bits));
  float single;
  std::memcpy(&single, &bits, 4);
  return single;
}

struct Product {
  const char *name;
  Type type, result;
  int depth;
  int wordsA, wordsB, wordsC;
  const char *wordType, *resultType;
  const char *attributes; // beside layouts and shape
};

const Product kProducts[] = {
    {"f16", Type::F16, Type::F32, 16, 4, 2, 4, "vector<2xf16>", "f32", ""},
    {"f16 to f16", Type::F16, Type::F16, 16, 4, 2, 2, "vector<2xf16>", "vector<2xf16>", ""},
    {"f16 of depth 8", Type::F16, Type::F32, 8, 2, 1, 4, "vector<2xf16>", "f32", ""},
    {"bf16", Type::BF16, Type::F32, 16, 4, 2, 4, "i32", "f32",
     "multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, "},
    {"bf16 of depth 8", Type::BF16, Type::F32, 8, 2, 1, 4, "i32", "f32",
     "multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, "},
    {"tf32", Type::TF32, Type::F32, 8, 4, 2, 4, "i32", "f32",
     "multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, "},
    {"tf32 of depth 4", Type::TF32, Type::F32, 4, 2, 1, 4, "i32", "f32",
     "multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, "},
};

/// Each lane reads its words of A, B and C, one after the other, and writes those of the result.
std::string textOf(const Product &product) {
  std::string text = R"(
    llvm.func @k(%in: !llvm.ptr, %out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %lane = nvvm.read.ptx.sreg.laneid : i32
)";
  int count = product.wordsA + product.wordsB + product.wordsC;
  text += "%count = llvm.mlir.constant(" + std::to_string(count) + " : i32) : i32\n";
  text += "%first = llvm.mul %lane, %count : i32\n";
  text += "%base = llvm.getelementptr %in[%first] : (!llvm.ptr, i32) -> !llvm.ptr, i32\n";
  std::string operands[3];
  for (int i = 0; i < count; ++i) {
    int which = i < product.wordsA ? 0 : i < product.wordsA + product.wordsB ? 1 : 2;
    std::string n = std::to_string(i);
    text += "%p" + n + " = llvm.getelementptr %base[" + n + "] : (!llvm.ptr) -> !llvm.ptr, i32\n";
    text += "%w" + n + " = llvm.load %p" + n + " : !llvm.ptr -> " +
            (which == 2 ? product.resultType : product.wordType) + "\n";
    operands[which] += (operands[which].empty() ? "%w" : ", %w") + n;
  }
  std::string fields;
  for (int i = 0; i < product.wordsC; ++i)
    fields += (i ? ", " : "") + std::string(product.resultType);
  std::string structure = "!llvm.struct<(" + fields + ")>";
  text += "%d = nvvm.mma.sync A[" + operands[0] + "] B[" + operands[1] + "] C[" + operands[2] +
          "] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, " +
          product.attributes +
          "shape = #nvvm.shape<m = 16, n = 8, k = " + std::to_string(product.depth) + ">} : (" +
          product.wordType + ", " + product.wordType + ", " + product.resultType + ") -> " +
          structure + "\n";
  text += "%four = llvm.mlir.constant(" + std::to_string(product.wordsC) + " : i32) : i32\n";
  text += "%to = llvm.mul %lane, %four : i32\n";
  text += "%result = llvm.getelementptr %out[%to] : (!llvm.ptr, i32) -> !llvm.ptr, i32\n";
  for (int i = 0; i < product.wordsC; ++i) {
    std::string n = std::to_string(i);
    text += "%d" + n + " = llvm.extractvalue %d[" + n + "] : " + structure + "\n";
    text += "%q" + n + " = llvm.getelementptr %result[" + n + "] : (!llvm.ptr) -> !llvm.ptr, i32\n";
    text += "llvm.store %d" + n + ", %q" + n + " : " + product.resultType + ", !llvm.ptr\n";
  }
  return inModule(text + "llvm.return\n}\n");
}

// The fragments as the tables of the PTX manual have them: element number i of a lane.
int rowOfA(Type type, int group, int i) {
  if (type == Type::TF32)
    return i == 0 || i == 2 ? group : group + 8;
  return i < 2 || (4 <= i && i < 6) ? group : group + 8;
}
int columnOfA(Type type, int inGroup, int i) {
  if (type == Type::TF32)
    return i < 2 ? inGroup : inGroup + 4;
  return inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8);
}
int rowOfB(Type type, int inGroup, int i) {
  if (type == Type::TF32)
    return i == 0 ? inGroup : inGroup + 4;
  return inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8);
}

TEST(EmulatorMatrices, Multiply) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const Product &product : kProducts) {
    SCOPED_TRACE(product.name);
    EmulatedKernel kernel(textOf(product));
    ASSERT_EQ(kernel.error, "");
    auto draw = [&](Type type) {
      // tf32 has the exponent of f32 and 10 bits behind the point.
      uint32_t bits = encode(type, normal(random));
      return decode(type, type == Type::TF32 ? bits & 0xffffe000 : bits);
    };
    double a[16][16], b[16][8], c[16][8];
    for (auto &row : a)
      for (double &x : row)
        x = draw(product.type);
    for (auto &row : b)
      for (double &x : row)
        x = draw(product.type);
    for (auto &row : c)
      for (double &x : row)
        x = draw(product.result);

    int per = product.type == Type::TF32 ? 1 : 2, perResult = product.result == Type::F32 ? 1 : 2;
    int words = product.wordsA + product.wordsB + product.wordsC;
    Numbers<int32_t> in(32 * words), out(32 * product.wordsC);
    auto put = [&](int lane, int word, int half, uint32_t bits) {
      auto *place = reinterpret_cast<uint32_t *>(&in[lane * words + word]);
      *place |= bits << 16 * half;
    };
    for (int lane = 0; lane < 32; ++lane) {
      int group = lane >> 2, inGroup = lane % 4;
      for (int i = 0; i < product.wordsA * per; ++i)
        put(lane, i / per, i % per,
            encode(product.type,
                   a[rowOfA(product.type, group, i)][columnOfA(product.type, inGroup, i)]));
      for (int i = 0; i < product.wordsB * per; ++i)
        put(lane, product.wordsA + i / per, i % per,
            encode(product.type, b[rowOfB(product.type, inGroup, i)][group]));
      for (int i = 0; i < 4; ++i)
        put(lane, product.wordsA + product.wordsB + i / perResult, i % perResult,
            encode(product.result, c[i < 2 ? group : group + 8][inGroup * 2 + (i & 1)]));
    }
    // What tf32 does not have is not looked at.
    if (product.type == Type::TF32)
      in[0] |= 0x1fff;
    ASSERT_EQ(kernel.launch({in.buffer(), out.buffer()}), "");
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int row = (lane >> 2) + (i < 2 ? 0 : 8), column = lane % 4 * 2 + (i & 1);
        double sum = c[row][column];
        for (int k = 0; k < product.depth; ++k)
          sum += a[row][k] * b[k][column];
        auto word = static_cast<uint32_t>(out[lane * product.wordsC + i / perResult]);
        uint32_t bits = perResult == 2 ? word >> 16 * (i % 2) & 0xffff : word;
        EXPECT_EQ(decode(product.result, bits), decode(product.result, encode(product.result, sum)))
            << row << ", " << column;
      }
  }
}

/// Shared memory is filled with its own offsets, then read as four 8×8 matrices of which lane l
/// gives row l, from the last row to the first.
std::string loadText(bool isTransposed) {
  return inModule(
      R"(
    llvm.mlir.global external @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
    llvm.func @k(%out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %lane = nvvm.read.ptx.sreg.tid.x : i32
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %eight = llvm.mlir.constant(8 : i32) : i32
      %first = llvm.mul %lane, %eight : i32
      %row = llvm.getelementptr %s[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
      %iota = llvm.mlir.constant(dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi16>) : vector<8xi16>
      %start = llvm.trunc %first : i32 to i16
      %poison = llvm.mlir.poison : vector<8xi16>
      %zero = llvm.mlir.constant(0 : i32) : i32
      %v0 = llvm.insertelement %start, %poison[%zero : i32] : vector<8xi16>
      %v1 = llvm.shufflevector %v0, %poison [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xi16>
      %v = llvm.add %v1, %iota : vector<8xi16>
      llvm.store %v, %row : vector<8xi16>, !llvm.ptr<3>
      nvvm.barrier0
      %c31 = llvm.mlir.constant(31 : i32) : i32
      %other = llvm.sub %c31, %lane : i32
      %offset = llvm.mul %other, %eight : i32
      %from = llvm.getelementptr %s[%offset] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
      %m = nvvm.ldmatrix %from {num = 4 : i32, layout = #nvvm.mma_layout<)" +
      std::string(isTransposed ? "col" : "row") +
      R"(>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
      %four = llvm.mlir.constant(4 : i32) : i32
      %to = llvm.mul %lane, %four : i32
      %p = llvm.getelementptr %out[%to] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %m, %p {alignment = 4 : i64} : !llvm.struct<(i32, i32, i32, i32)>, !llvm.ptr
      llvm.return
    })");
}

TEST(EmulatorMatrices, Load) {
  for (bool isTransposed : {false, true}) {
    EmulatedKernel kernel(loadText(isTransposed));
    ASSERT_EQ(kernel.error, "");
    Numbers<int32_t> out(128);
    ASSERT_EQ(kernel.launch({out.buffer()}, {1, 32, 512}), "");
    for (int lane = 0; lane < 32; ++lane)
      for (int matrix = 0; matrix < 4; ++matrix)
        for (int half = 0; half < 2; ++half) {
          int row = lane / 4, column = lane % 4 * 2 + half;
          if (isTransposed)
            std::swap(row, column);
          int expected = (31 - (matrix * 8 + row)) * 8 + column;
          EXPECT_EQ(out[lane * 4 + matrix] >> 16 * half & 0xffff, expected)
              << lane << " " << matrix << " " << half;
        }
    // The last rows are missing.
    EXPECT_NE(kernel.launch({out.buffer()}, {1, 32, 496}).find("out of bounds"), std::string::npos);
  }
}

TEST(EmulatorMatrices, Store) {
  for (bool isTransposed : {false, true}) {
    // Lane l holds l in the low half of its word and 100 + l in the high one.
    EmulatedKernel kernel(inModule(
        R"(
    llvm.mlir.global internal @s() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x i16>
    llvm.func @k(%out: !llvm.ptr, %blocks: i64, %scratch: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %lane = nvvm.read.ptx.sreg.tid.x : i32
      %s = llvm.mlir.addressof @s : !llvm.ptr<3>
      %c7 = llvm.mlir.constant(7 : i32) : i32
      %c8 = llvm.mlir.constant(8 : i32) : i32
      %c16 = llvm.mlir.constant(16 : i32) : i32
      %c100 = llvm.mlir.constant(100 : i32) : i32
      %number = llvm.and %lane, %c7 : i32
      %first = llvm.mul %number, %c8 : i32
      %row = llvm.getelementptr %s[%first] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i16
      %more = llvm.add %lane, %c100 : i32
      %high = llvm.shl %more, %c16 : i32
      %word = llvm.or %high, %lane : i32
      nvvm.stmatrix %row, %word {layout = #nvvm.mma_layout<)" +
        std::string(isTransposed ? "col" : "row") +
        R"(>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32
      nvvm.barrier0
      %p = llvm.getelementptr %s[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %x = llvm.load %p : !llvm.ptr<3> -> i32
      %q = llvm.getelementptr %out[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %x, %q : i32, !llvm.ptr
      llvm.return
    })"));
    ASSERT_EQ(kernel.error, "");
    Numbers<int32_t> out(32);
    ASSERT_EQ(kernel.launch({out.buffer()}), "");
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column) {
        int i = isTransposed ? column : row, j = isTransposed ? row : column;
        int expected = i * 4 + j / 2 + j % 2 * 100;
        int place = row * 8 + column;
        EXPECT_EQ(out[place / 2] >> place % 2 * 16 & 0xffff, expected) << row << ", " << column;
      }
  }
}

} // namespace
