//===- HsacoTest.cpp - Device functions to AMD code objects ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "fuse/Execution/DeviceCode.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir::fuse;
using namespace fusetest;
using testing::HasSubstr;

static std::string makeKernel(const std::string &body, const std::string &globals = "") {
  return makeUnaryKernel(body, globals, "rocdl.kernel");
}

static std::string getError(const std::string &text, const char *chip = "gfx90a") {
  auto code = compileHsaco(text, "k", chip);
  return code ? "" : llvm::toString(code.takeError());
}

TEST(Hsaco, IsACodeObjectOfVersion5) {
  std::string kernel = makeKernel(R"(
    %thread = rocdl.workitem.id.x : i32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %mine = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %mine : f32, !llvm.ptr<3>
    rocdl.barrier
    %y = llvm.load %tile : !llvm.ptr<3> -> f32)",
                                  "llvm.mlir.global internal @tile() {addr_space = 3 : i32} : "
                                  "!llvm.array<32 x f32>\n");
  for (auto [chip, machine] : {std::pair("gfx90a", llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX90A),
                               {"gfx942", llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942},
                               {"gfx1030", llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX1030}}) {
    auto code = compileHsaco(kernel, "k", chip);
    ASSERT_TRUE(static_cast<bool>(code)) << llvm::toString(code.takeError());
    auto file = llvm::object::ELF64LEFile::create(*code);
    ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
    EXPECT_EQ(file->getHeader().e_machine, llvm::ELF::EM_AMDGPU);
    EXPECT_EQ(file->getHeader().e_type, llvm::ELF::ET_DYN);
    EXPECT_EQ(file->getHeader().e_ident[llvm::ELF::EI_ABIVERSION],
              llvm::ELF::ELFABIVERSION_AMDGPU_HSA_V5);
    EXPECT_EQ(file->getHeader().e_flags & llvm::ELF::EF_AMDGPU_MACH, unsigned(machine));
    // The kernel's descriptor, which the driver looks up.
    EXPECT_THAT(*code, HasSubstr("k.kd"));
  }
}

TEST(Hsaco, RejectsFunctionsThatNothingDefines) {
  EXPECT_EQ(getError(makeKernel("%y = llvm.call @outside(%x) : (f32) -> f32",
                                "llvm.func @outside(f32) -> f32\n")),
            "cannot compile k: it calls 'outside', which nothing defines");
}

TEST(Hsaco, LinksTheDeviceLibraries) {
  for (const char *function : {"__ocml_log2_f32", "__ocml_erfc_f32", "__ocml_cbrt_f32"}) {
    std::string name = function;
    EXPECT_EQ(getError(makeKernel("%y = llvm.call @" + name + "(%x) : (f32) -> f32",
                                  "llvm.func @" + name + "(f32) -> f32\n")),
              "");
  }
}

TEST(Hsaco, RejectsChipsItDoesNotKnow) {
  std::string kernel = makeKernel("%y = llvm.fadd %x, %x : f32");
  EXPECT_THAT(getError(kernel, "gfx000"),
              HasSubstr("unknown chip 'gfx000': expected one of gfx90a, "));
  EXPECT_THAT(getError(kernel, "sm_80"), HasSubstr("unknown chip 'sm_80'"));
}
