//===- CodeCacheTest.cpp - What is kept, and what is not believed -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CodeCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlir::fuse;

namespace {
class CodeCacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-cache", folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::vector<std::string> list() {
    std::vector<std::string> files;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      files.push_back(it->path());
    return files;
  }

  static std::string read(const std::string &path) {
    return llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
        ->getBuffer()
        .str();
  }

  static void write(const std::string &path, llvm::StringRef bytes) {
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << bytes;
    ASSERT_FALSE(code);
  }

  llvm::SmallString<128> folder;
};

TEST_F(CodeCacheTest, KeysDependOnEachPartAndOnWhereItEnds) {
  std::string key = CodeCache::getKey({"ab", "c"});
  EXPECT_EQ(key, CodeCache::getKey({"ab", "c"}));
  EXPECT_EQ(key.size(), 64u);
  EXPECT_NE(key, CodeCache::getKey({"a", "bc"}));
  EXPECT_NE(key, CodeCache::getKey({"c", "ab"}));
  EXPECT_NE(key, CodeCache::getKey({"ab", "c", ""}));
}

TEST_F(CodeCacheTest, TheCompilerIsThisBuildAndItsLibraries) {
  // The version, this program, libMLIR and libLLVM.
  llvm::StringRef id = getCompilerId();
  EXPECT_GE(id.count('\n'), 4u) << id.str();
}

TEST_F(CodeCacheTest, WhatWasStoredIsFound) {
  CodeCache cache((folder + "/new/folder").str());
  EXPECT_FALSE(cache.load("k"));
  std::string bytes("a\0b\n", 4);
  cache.store("k", bytes);
  cache.store("empty", "");
  EXPECT_EQ(cache.load("k"), bytes);
  EXPECT_EQ(cache.load("empty"), "");
  EXPECT_FALSE(cache.load("other"));
  EXPECT_EQ(cache.takeWarning(), "");
}

TEST_F(CodeCacheTest, WhatIsDamagedIsNotThere) {
  CodeCache cache(folder.str().str());
  cache.store("k", "some code");
  ASSERT_EQ(list().size(), 1u) << "no temporary file is left";
  std::string path = list().front(), whole = read(path);
  for (size_t size = 0; size < whole.size(); ++size) {
    write(path, whole.substr(0, size));
    EXPECT_FALSE(cache.load("k")) << size;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 4;
    write(path, damaged);
    EXPECT_FALSE(cache.load("k")) << i;
  }
  write(path, whole + "x");
  EXPECT_FALSE(cache.load("k"));
  cache.store("k", "some code");
  EXPECT_EQ(cache.load("k"), "some code");
}

TEST_F(CodeCacheTest, CodeUnderAnotherNameIsNotBelieved) {
  CodeCache cache(folder.str().str());
  cache.store("k", "some code");
  std::string path = list().front();
  ASSERT_FALSE(llvm::sys::fs::copy_file(path, llvm::StringRef(path).drop_back(1) + "j"));
  EXPECT_FALSE(cache.load("j"));
}

TEST_F(CodeCacheTest, WhereNothingCanBeWrittenOneWarningSaysSo) {
  write((folder + "/file").str(), "");
  CodeCache cache((folder + "/file/cache").str());
  cache.store("k", "code");
  cache.store("l", "code");
  std::string warning = cache.takeWarning();
  EXPECT_TRUE(llvm::StringRef(warning).starts_with("cache '" + folder.str().str() + "/file/cache'"))
      << warning;
  EXPECT_EQ(cache.takeWarning(), "");
  EXPECT_FALSE(cache.load("k"));
  cache.prune();
}

TEST_F(CodeCacheTest, PruningKeepsAsManyFilesAsThePolicySays) {
  auto policy =
      llvm::cantFail(llvm::parseCachePruningPolicy("prune_interval=0s:cache_size_files=2"));
  CodeCache cache(folder.str().str(), policy);
  for (const char *key : {"a", "b", "c", "d"})
    cache.store(key, key);
  write((folder + "/notes").str(), "another's");
  cache.prune();
  int found = 0;
  for (const char *key : {"a", "b", "c", "d"})
    found += cache.load(key).has_value();
  EXPECT_EQ(found, 2);
  EXPECT_TRUE(llvm::sys::fs::exists(folder + "/notes"));
}

TEST_F(CodeCacheTest, ManyMayUseOneFolderAtOnce) {
  std::string bytes(100000, 'x');
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&] {
      CodeCache cache(folder.str().str());
      for (int round = 0; round < 50; ++round) {
        std::string key = std::to_string(round % 5);
        std::optional<std::string> found = cache.load(key);
        wrong += found && *found != bytes;
        cache.store(key, bytes);
        wrong += cache.load(key) != bytes;
      }
      wrong += !cache.takeWarning().empty();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(list().size(), 5u);
}
} // namespace
