//===- PtxTest.cpp - Device functions to PTX -------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "fuse/Execution/DeviceCode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir::fuse;
using namespace fusetest;
using testing::HasSubstr;
using testing::Not;

static std::string getPtx(const std::string &text, const std::string &chip = "sm_80") {
  auto ptx = compilePtx(text, "k", chip);
  return ptx ? *ptx : "error: " + llvm::toString(ptx.takeError());
}

static size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(Ptx, IsOfVersion8ForTheChipAsked) {
  std::string kernel = makeUnaryKernel("%y = llvm.fadd %x, %x : f32");
  for (const char *chip : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a"}) {
    std::string ptx = getPtx(kernel, chip);
    EXPECT_THAT(ptx, HasSubstr(".version 8.0\n"));
    EXPECT_THAT(ptx, HasSubstr(std::string(".target ") + chip + "\n"));
    EXPECT_THAT(ptx, HasSubstr(".visible .entry k("));
  }
  EXPECT_THAT(getPtx(kernel, "sm_100"), HasSubstr(".target sm_100\n"));
}

TEST(Ptx, TakesAGpuModuleAsWell) {
  std::string kernel = makeUnaryKernel("%y = llvm.fadd %x, %x : f32");
  EXPECT_THAT(getPtx("gpu.module @device {\n" + kernel + "}"), HasSubstr(".visible .entry k("));
}

TEST(Ptx, RenamesFunctions) {
  const char *kernels = R"(
    llvm.func @fuse.any(%to: !llvm.ptr) attributes {nvvm.kernel} {
      %x = llvm.mlir.constant(1.0 : f32) : f32
      llvm.store %x, %to : f32, !llvm.ptr
      llvm.return
    }
    llvm.func @other(%to: !llvm.ptr) attributes {nvvm.kernel} {
      llvm.return
    })";
  auto ptx = compilePtx(kernels, "k", "sm_80", "fuse.any", "kernel_7");
  ASSERT_TRUE(static_cast<bool>(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_THAT(*ptx, HasSubstr(".visible .entry kernel_7("));
  EXPECT_THAT(*ptx, HasSubstr(".visible .entry other("));
}

TEST(Ptx, RoundsAsTheModuleSays) {
  std::string ptx = getPtx(makeUnaryKernel(R"(
    %a = llvm.fmul %x, %x : f32
    %b = llvm.fadd %a, %x : f32
    %c = llvm.fdiv %b, %x : f32
    %y = llvm.intr.sqrt(%c) : (f32) -> f32)"));
  for (const char *op : {"mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32"})
    EXPECT_THAT(ptx, HasSubstr(op));
  EXPECT_THAT(ptx, Not(HasSubstr(".ftz")));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
  EXPECT_THAT(getPtx(makeUnaryKernel(R"(
    %a = llvm.fmul %x, %x {fastmathFlags = #llvm.fastmath<contract>} : f32
    %y = llvm.fadd %a, %x {fastmathFlags = #llvm.fastmath<contract>} : f32)")),
              HasSubstr("fma.rn.f32"));
}

TEST(Ptx, VectorsAreOneAccess) {
  std::string ptx = getPtx(R"(
    llvm.func @k(%from: !llvm.ptr {llvm.noalias, llvm.readonly}, %to: !llvm.ptr {llvm.noalias}) attributes {nvvm.kernel} {
      %x = llvm.load %from {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
      %y = llvm.fadd %x, %x : vector<4xf32>
      llvm.store %y, %to {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
      llvm.return
    })");
  EXPECT_THAT(ptx, HasSubstr("ld.global.nc.v4"));
  EXPECT_THAT(ptx, HasSubstr("st.global.v4"));
}

TEST(Ptx, LinksLibdeviceOnlyWhereItIsReferredTo) {
  std::string ptx = getPtx(makeUnaryKernel("%y = llvm.call @__nv_log2f(%x) : (f32) -> f32",
                                           "llvm.func @__nv_log2f(f32) -> f32\n"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry k("));
  EXPECT_THAT(ptx, Not(HasSubstr("__nv_")));
  EXPECT_THAT(ptx, Not(HasSubstr(".ftz")));
}

TEST(Ptx, DynamicSharedMemoryIsDeclaredBehindTheStaticBuffers) {
  const char *globals = R"(
    llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<32 x f32>
    llvm.mlir.global internal @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 4 : i64} : !llvm.array<0 x i8>
    llvm.mlir.global internal @__dynamic_shmem__1() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  )";
  std::string ptx = getPtx(makeUnaryKernel(R"(
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %a = llvm.mlir.addressof @__dynamic_shmem__0 : !llvm.ptr<3>
    %b = llvm.mlir.addressof @__dynamic_shmem__1 : !llvm.ptr<3>
    %next = llvm.getelementptr %b[4] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.store volatile %x, %tile : f32, !llvm.ptr<3>
    llvm.store volatile %x, %a : f32, !llvm.ptr<3>
    llvm.store volatile %x, %next : f32, !llvm.ptr<3>
    nvvm.barrier0
    %y = llvm.load volatile %a : !llvm.ptr<3> -> f32)",
                                           globals));
  EXPECT_EQ(count(ptx, ".extern .shared .align 1024"), 1u) << ptx;
  EXPECT_THAT(ptx, HasSubstr("tile[128]"));
  EXPECT_THAT(ptx, HasSubstr("bar.sync"));
}

TEST(Ptx, RejectsFunctionsThatNothingDefines) {
  EXPECT_EQ(getPtx(makeUnaryKernel("%y = llvm.call @outside(%x) : (f32) -> f32",
                                   "llvm.func @outside(f32) -> f32\n")),
            "error: cannot compile k: it calls 'outside', which nothing defines");
  EXPECT_EQ(getPtx(makeUnaryKernel("%y = llvm.call @__nv_no_such(%x) : (f32) -> f32",
                                   "llvm.func @__nv_no_such(f32) -> f32\n")),
            "error: cannot compile k: it calls '__nv_no_such', which nothing defines");
}

TEST(Ptx, RejectsChipsItDoesNotKnow) {
  std::string kernel = makeUnaryKernel("%y = llvm.fadd %x, %x : f32");
  for (const char *chip : {"sm_70", "sm_81", "gfx90a", "", "sm_"}) {
    std::string error = getPtx(kernel, chip);
    EXPECT_THAT(error, HasSubstr("error: unknown chip '" + std::string(chip) +
                                 "': expected one of sm_75, sm_80, "));
  }
  EXPECT_THAT(getCudaChips(), testing::IsSupersetOf({"sm_75", "sm_80", "sm_90", "sm_90a"}));
}

TEST(Ptx, SaysWhatCannotBeTranslated) {
  EXPECT_THAT(getPtx("llvm.func @k("), HasSubstr("error: cannot compile k: "));
}
