//===- CrashReproducerTest.cpp - What a crash leaves behind ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CrashReproducer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <csignal>

using namespace mlir::fuse;

namespace {

class CrashReproducerDeathTest : public ::testing::Test {
protected:
  CrashReproducerDeathTest() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-crash", folder));
    EXPECT_FALSE(llvm::sys::fs::current_path(before));
    EXPECT_FALSE(llvm::sys::fs::set_current_path(folder));
  }
  ~CrashReproducerDeathTest() override {
    (void)llvm::sys::fs::set_current_path(before);
    (void)llvm::sys::fs::remove_directories(folder);
  }

  /// What the folder holds: file contents by extension.
  std::string read(llvm::StringRef extension) {
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error)) {
      auto buffer = llvm::MemoryBuffer::getFile(it->path());
      if (buffer && llvm::StringRef(it->path()).ends_with(extension))
        return (*buffer)->getBuffer().str();
    }
    return "no file";
  }

  llvm::SmallString<128> folder, before;
};

TEST_F(CrashReproducerDeathTest, KeepsTextWithItsCommandLine) {
  EXPECT_EXIT(
      {
        installCrashReproducer("p.mlir", "module {}\n", {"fuse-run", "p.mlir", "--dim", "a b"});
        raise(SIGSEGV);
      },
      ::testing::ExitedWithCode(1), "crashed; .* reproducer fuse-run-crash-[0-9]+.mlir");
  EXPECT_EQ("// fuse-run p.mlir --dim 'a b'\nmodule {}\n", read(".mlir"));
}

TEST_F(CrashReproducerDeathTest, KeepsBytecodeBesideItsCommandLine) {
  EXPECT_EXIT(
      {
        installCrashReproducer("p.mlirbc", "ML\xEFR...", {"fuse-run", "p.mlirbc"});
        abort();
      },
      ::testing::ExitedWithCode(1), "fuse-run-crash-[0-9]+.mlirbc");
  EXPECT_EQ("ML\xEFR...", read(".mlirbc"));
  EXPECT_EQ("fuse-run p.mlirbc\n", read(".txt"));
}

} // namespace
