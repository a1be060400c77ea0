//===- CubinTest.cpp - PTX to machine code ---------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// These need ptxas: utils/cuda-tools.sh fetches it.
//
//===----------------------------------------------------------------------------------------===//

#include "CudaFiles.h"
#include "Kernels.h"
#include "fuse/Execution/DeviceCode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace mlir::fuse;
using namespace fusetest;
using testing::HasSubstr;

namespace {
/// Sets a variable of the environment, or takes it away, for as long as it lives.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *former = std::getenv(name))
      old = former, had = true;
    set(value);
  }
  ~Variable() { set(had ? old.c_str() : nullptr); }

private:
  void set(const char *value) {
    if (value)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  const char *name;
  std::string old;
  bool had = false;
};
} // namespace

TEST(Resources, AreReadFromWhatPtxasPrints) {
  DeviceResources resources = parseResources(R"(
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Function properties for a
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 8 registers, used 1 barriers, 16 bytes cumulative stack size, 128 bytes smem, 360 bytes cmem[0]
ptxas info    : Compiling entry function 'b' for 'sm_80'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 64 bytes smem
ptxas info    : Compile time = 1.415 ms)");
  EXPECT_EQ(resources.registers, 40);
  EXPECT_EQ(resources.spillStores, 12);
  EXPECT_EQ(resources.spillLoads, 20);
  EXPECT_EQ(resources.stack, 16);
  EXPECT_EQ(resources.sharedBytes, 128);
  EXPECT_EQ(resources.barriers, 1);
}

static const char *const kTile = "llvm.mlir.global internal @tile() {addr_space = 3 : i32, "
                                 "alignment = 16 : i64} : !llvm.array<32 x f32>\n";
static std::string makeSharedKernel() {
  return makeUnaryKernel(R"(
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %mine = llvm.getelementptr %tile[%thread] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %mine : f32, !llvm.ptr<3>
    nvvm.barrier0
    %y = llvm.load %tile : !llvm.ptr<3> -> f32)",
                         kTile);
}

TEST(Cubin, IsAnElfFileWithItsResources) {
  for (const char *chip : {"sm_80", "sm_90"}) {
    auto code = compileCuda(makeSharedKernel(), "k", chip);
    ASSERT_TRUE(static_cast<bool>(code)) << llvm::toString(code.takeError());
    EXPECT_EQ(code->binary.substr(0, 4), "\x7f"
                                         "ELF");
    EXPECT_THAT(code->text, HasSubstr(".entry k("));
    EXPECT_GT(code->resources.registers, 0);
    EXPECT_LT(code->resources.registers, 32);
    EXPECT_EQ(code->resources.sharedBytes, 128);
    EXPECT_EQ(code->resources.barriers, 1);
    EXPECT_EQ(code->resources.spillStores, 0);
    EXPECT_EQ(code->resources.stack, 0);
  }
}

TEST(Cubin, LibdeviceAssembles) {
  for (const char *function : {"__nv_log2f", "__nv_atan2f", "__nv_cbrtf", "__nv_erfcf"}) {
    std::string name = function;
    bool isBinary = name == "__nv_atan2f";
    auto code = compileCuda(
        makeUnaryKernel("%y = llvm.call @" + name +
                            (isBinary ? "(%x, %x) : (f32, f32) -> f32" : "(%x) : (f32) -> f32"),
                        "llvm.func @" + name + (isBinary ? "(f32, f32)" : "(f32)") + " -> f32\n"),
        "k", "sm_80");
    EXPECT_TRUE(static_cast<bool>(code)) << llvm::toString(code.takeError());
  }
}

TEST(Cubin, SaysWhatPtxasSays) {
  auto code =
      assemblePtx(".version 8.0\n.target sm_80\n.address_size 64\nnonsense\n", "k", "sm_80");
  ASSERT_FALSE(static_cast<bool>(code));
  std::string error = llvm::toString(code.takeError());
  EXPECT_THAT(error, testing::StartsWith("cannot assemble k for sm_80: "));
  EXPECT_THAT(error, HasSubstr("line 4"));
}

TEST(Cubin, BelievesNoAssemblerThatWritesAnythingElse) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "fuse-odd-ptxas";
  fs::create_directories(folder / "bin");
  {
    std::ofstream script(folder / "bin/ptxas");
    script << "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho nonsense > \"$2\"\n";
  }
  fs::permissions(folder / "bin/ptxas", fs::perms::owner_all);
  Variable path("CUDA_PATH", folder.c_str());
  auto code = assemblePtx(".version 8.0\n.target sm_80\n.address_size 64\n", "k", "sm_80");
  ASSERT_FALSE(static_cast<bool>(code));
  EXPECT_THAT(llvm::toString(code.takeError()),
              testing::EndsWith("bin/ptxas to write an ELF file of NVIDIA's, found 9 bytes of "
                                "something else"));
  fs::remove_all(folder);
}

TEST(Cubin, NamesTheFoldersWithoutAToolkit) {
  Variable path("CUDA_PATH", "/nowhere/a"), home("CUDA_HOME", "/nowhere/b");
  Variable programs("PATH", "/nowhere/c"), environment("VIRTUAL_ENV", nullptr);
  auto file = findCudaFile("bin/no-such-file");
  ASSERT_FALSE(static_cast<bool>(file));
  EXPECT_EQ(llvm::toString(file.takeError()),
            "cannot find bin/no-such-file of a CUDA toolkit (CUDA_HOME says where one is; PyPI's "
            "package nvidia-cuda-nvcc-cu12 is enough): looked in /nowhere/a, /nowhere/b, "
            "/usr/local/cuda");
}

TEST(Cubin, FindsTheToolkitOfAPythonEnvironment) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "fuse-cubin-venv";
  fs::path part = folder / "lib/python3.11/site-packages/nvidia/cuda_nvcc";
  fs::create_directories(part / "bin");
  std::fclose(std::fopen((part / "bin/fuse-test-tool").c_str(), "w"));
  Variable environment("VIRTUAL_ENV", folder.c_str());
  // What cannot be executed is no tool.
  auto inert = findCudaFile("bin/fuse-test-tool");
  EXPECT_FALSE(static_cast<bool>(inert));
  llvm::consumeError(inert.takeError());
  fs::permissions(part / "bin/fuse-test-tool", fs::perms::owner_all);
  auto file = findCudaFile("bin/fuse-test-tool");
  ASSERT_TRUE(static_cast<bool>(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(*file, (part / "bin/fuse-test-tool").string());
  fs::remove_all(folder);
}

TEST(Cubin, AToolkitThatIsNamedComesFirst) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "fuse-cubin-test";
  fs::remove_all(folder);
  fs::create_directories(folder / "bin");
  // Fails, with a text of its own.
  FILE *file = std::fopen((folder / "bin/ptxas").c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs("#!/bin/sh\necho \"ptxas fatal : mine\" >&2\nexit 3\n", file);
  std::fclose(file);
  fs::permissions(folder / "bin/ptxas", fs::perms::owner_all);
  Variable path("CUDA_PATH", folder.c_str());
  auto code = assemblePtx("", "k", "sm_80");
  ASSERT_FALSE(static_cast<bool>(code));
  EXPECT_EQ(llvm::toString(code.takeError()), "cannot assemble k for sm_80: ptxas fatal : mine");
  fs::remove_all(folder);
}
