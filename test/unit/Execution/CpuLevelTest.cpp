//===- CpuLevelTest.cpp - The CPUs that code can be compiled for -----------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CpuLevel.h"
#include "fuse/Runtime/Cpu.h"

#include "gtest/gtest.h"

using namespace mlir::fuse;

namespace {

TEST(CpuLevelTest, NativeRunsHereAndOthersAreNamed) {
  ASSERT_TRUE(findCpuLevel("native"));
  EXPECT_TRUE(findCpuLevel("native")->isNative());
  EXPECT_EQ(findMissingFeature(*findCpuLevel("native")), "");
  for (llvm::StringRef name : getCpuLevelNames())
    EXPECT_EQ(findCpuLevel(name)->name, name);
  EXPECT_FALSE(findCpuLevel(""));
  EXPECT_FALSE(findCpuLevel("x86-64-v5"));
}

#if defined(__x86_64__)
TEST(CpuLevelTest, LevelsSayWhatLoweringAsks) {
  CpuVectors v4 = findCpuLevel("x86-64-v4")->vectors, v3 = findCpuLevel("x86-64-v3")->vectors,
             v2 = findCpuLevel("x86-64-v2")->vectors;
  EXPECT_EQ(v4.bytes, 64);
  EXPECT_EQ(v4.registers, 32);
  EXPECT_TRUE(v4.hasFma && v4.hasScaling);
  EXPECT_FALSE(v4.hasInt8Dot || v4.hasBf16Dot || v4.hasInt8Tiles || v4.hasBf16Tiles) << "which not every AVX-512 has";
  EXPECT_EQ(v3.bytes, 32);
  EXPECT_EQ(v3.registers, 16);
  EXPECT_TRUE(v3.hasFma);
  EXPECT_FALSE(v3.hasScaling || v3.hasInt8Dot);
  EXPECT_EQ(v2.bytes, 16);
  EXPECT_EQ(v2.registers, 16);
  EXPECT_FALSE(v2.hasFma);
  EXPECT_EQ(findMissingFeature(*findCpuLevel("x86-64")), "");
}

// The operating system may refuse a process the tiles that the CPU has; code for this CPU has none then.
TEST(CpuLevelTest, NativeTilesAreAllowed) {
  CpuLevel native = *findCpuLevel(kNativeCpu);
  EXPECT_TRUE(fuse_cpu_allow_tiles() || !(native.vectors.hasInt8Tiles || native.vectors.hasBf16Tiles));
  EXPECT_EQ(llvm::StringRef(native.features).contains("+amx-int8"), native.vectors.hasInt8Tiles);
}
#endif

} // namespace
