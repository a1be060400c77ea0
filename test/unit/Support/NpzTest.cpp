//===- NpzTest.cpp - Reading and writing .npz archives --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/Npz.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class Npz : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-npz", folder)); }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }
  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> full = folder;
    llvm::sys::path::append(full, name);
    return full.str().str();
  }
  std::string load(llvm::StringRef name) {
    auto buffer = llvm::MemoryBuffer::getFile(path(name), false, false);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  void save(llvm::StringRef name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << bytes;
    ASSERT_FALSE(error);
  }
  std::string messageOf(llvm::StringRef name) {
    llvm::Expected<std::vector<NamedArray>> arrays = readNpz(path(name));
    return arrays ? "no error" : llvm::toString(arrays.takeError());
  }
  int countFiles() {
    int count = 0;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
         it.increment(error))
      ++count;
    return count;
  }
  llvm::SmallString<128> folder;
};
} // namespace

static std::vector<NamedArray> makeArrays() {
  HostArray weights(ElementType::F32, {64, 3});
  for (int64_t i = 0; i < weights.getNumElements(); ++i)
    weights.setFloat(i, 0.25 * i);
  return {{"weights", weights},
          {"layer/bias", HostArray::splat(ElementType::BF16, {7}, 1.5)},
          {"mask", HostArray::splat(ElementType::I1, {}, 1)},
          {"empty", HostArray(ElementType::I64, {0, 4})}};
}

TEST_F(Npz, RoundTripKeepsOrderNamesAndBytes) {
  std::vector<NamedArray> arrays = makeArrays();
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), arrays)));
  EXPECT_EQ(countFiles(), 1);
  llvm::Expected<std::vector<NamedArray>> back = readNpz(path("a.npz"));
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ASSERT_EQ(back->size(), arrays.size());
  for (auto [got, want] : llvm::zip_equal(*back, arrays)) {
    EXPECT_EQ(got.name, want.name);
    EXPECT_EQ(got.array.describe(), want.array.describe());
    EXPECT_EQ(std::memcmp(got.array.getBytes(), want.array.getBytes(), want.array.getByteSize()),
              0);
  }
}

TEST_F(Npz, EqualArraysMakeEqualFilesAndOverwrite) {
  std::vector<NamedArray> arrays = makeArrays();
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), arrays)));
  save("b.npz", "what was there before");
  ASSERT_FALSE(bool(writeNpz(path("b.npz"), arrays)));
  EXPECT_EQ(load("a.npz"), load("b.npz"));
}

TEST_F(Npz, NoArraysAtAll) {
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), {})));
  llvm::Expected<std::vector<NamedArray>> back = readNpz(path("a.npz"));
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_TRUE(back->empty());
  EXPECT_EQ(countFiles(), 1);
}

TEST_F(Npz, EveryTruncationIsAnError) {
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), makeArrays())));
  std::string bytes = load("a.npz");
  for (size_t length = 0; length < bytes.size(); length += 7) {
    save("cut.npz", llvm::StringRef(bytes).take_front(length));
    EXPECT_NE(messageOf("cut.npz"), "no error") << length;
  }
}

TEST_F(Npz, DamageIsFoundOrHarmless) {
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), makeArrays())));
  std::string bytes = load("a.npz");
  // The data of `weights`: its checksum tells.
  std::string damaged = bytes;
  size_t data = bytes.find("NUMPY") + 300;
  damaged[data] ^= 1;
  save("damaged.npz", damaged);
  std::string message = messageOf("damaged.npz");
  EXPECT_NE(message.find("damaged.npz(weights)': cannot read: CRC error"), std::string::npos)
      << message;
  // Anywhere else: an error or not, but no crash and no absurd allocation.
  for (size_t at = 0; at < bytes.size(); at += 5) {
    for (int flip : {1, 0xff}) {
      damaged = bytes;
      damaged[at] ^= flip;
      save("damaged.npz", damaged);
      EXPECT_FALSE(messageOf("damaged.npz").empty());
    }
  }
}

/// An archive of one deflated member.
static void deflate(const std::string &path, const char *name, llvm::StringRef bytes) {
  zip_t *archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  ASSERT_NE(archive, nullptr);
  zip_source_t *source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  zip_int64_t index = zip_file_add(archive, name, source, 0);
  ASSERT_EQ(zip_set_file_compression(archive, index, ZIP_CM_DEFLATE, 9), 0);
  ASSERT_EQ(zip_close(archive), 0);
}

TEST_F(Npz, DeflatedMembers) {
  HostArray zeros(ElementType::F64, {1000, 100});
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), {{"zeros", zeros}})));
  // Take the member's own bytes out of the stored archive.
  std::string bytes = load("a.npz");
  size_t begin = bytes.find("\x93NUMPY"), end = bytes.find("PK\1\2");
  deflate(path("deflated.npz"), "zeros.npy", llvm::StringRef(bytes).slice(begin, end));
  std::string small = load("deflated.npz");
  EXPECT_LT(small.size(), 2000u);
  llvm::Expected<std::vector<NamedArray>> back = readNpz(path("deflated.npz"));
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ((*back)[0].array.describe(), "1000x100xf64");

  // A claim of 3 GB, in the central header, that no archive this small can keep.
  size_t central = small.find("PK\1\2");
  ASSERT_NE(central, std::string::npos);
  small.replace(central + 24, 4, std::string("\0\0\0\xc0", 4));
  save("bomb.npz", small);
  EXPECT_NE(messageOf("bomb.npz").find("found a claim of 3221225472"), std::string::npos)
      << messageOf("bomb.npz");
}

TEST_F(Npz, OnlyMembersThatAreAskedForAreRead) {
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), makeArrays())));
  // A member that nothing can be read of.
  std::string bytes = load("a.npz");
  size_t magic = bytes.find("\x93NUMPY", bytes.find("layer/bias.npy"));
  ASSERT_NE(magic, std::string::npos);
  bytes[magic] = 'X';
  save("b.npz", bytes);
  llvm::Expected<NpzArchive> archive = NpzArchive::open(path("b.npz"));
  ASSERT_TRUE(bool(archive)) << llvm::toString(archive.takeError());
  EXPECT_EQ(archive->getNames(),
            llvm::ArrayRef<std::string>({"weights", "layer/bias", "mask", "empty"}));
  llvm::Expected<HostArray> weights = archive->read("weights");
  ASSERT_TRUE(bool(weights)) << llvm::toString(weights.takeError());
  EXPECT_EQ(weights->describe(), "64x3xf32");
  // One array, however often it is read.
  EXPECT_EQ(archive->read("weights")->getBytes(), weights->getBytes());
  EXPECT_NE(llvm::toString(archive->read("layer/bias").takeError()).find("magic"),
            std::string::npos);
  EXPECT_NE(llvm::toString(archive->read("nothing").takeError()).find("'nothing'"),
            std::string::npos);
}

TEST_F(Npz, MembersAreReadAsNpyFiles) {
  deflate(path("a.npz"), "x.npy", "this is no array");
  EXPECT_NE(messageOf("a.npz").find("a.npz(x)': expected the .npy magic"), std::string::npos)
      << messageOf("a.npz");
  deflate(path("b.npz"), "x.npy", llvm::StringRef("\x93NUMPY\1\0\0\0abcdef", 16));
  EXPECT_NE(messageOf("b.npz").find("malformed .npy header"), std::string::npos)
      << messageOf("b.npz");
}

TEST_F(Npz, NamesAreChecked) {
  HostArray one(ElementType::F32, {1});
  EXPECT_EQ(llvm::toString(writeNpz(path("a.npz"), {{"x", one}, {"x", one}})),
            "'" + path("a.npz") + "': expected distinct names, found two arrays 'x'");
  EXPECT_EQ(countFiles(), 0);
  // Rename members inside the archive: both in the local and in the central header.
  ASSERT_FALSE(bool(writeNpz(path("a.npz"), {{"x", one}, {"y", one}})));
  std::string bytes = load("a.npz"), twice = bytes, other = bytes;
  for (size_t at = 0; (at = bytes.find("y.npy", at)) != std::string::npos; ++at) {
    twice[at] = 'x';
    other[at + 4] = 'z';
  }
  save("twice.npz", twice);
  EXPECT_NE(messageOf("twice.npz").find("found two members 'x'"), std::string::npos)
      << messageOf("twice.npz");
  save("other.npz", other);
  EXPECT_NE(messageOf("other.npz").find("expected members named *.npy, found 'y.npz'"),
            std::string::npos)
      << messageOf("other.npz");
}

TEST_F(Npz, NotAnArchive) {
  EXPECT_NE(messageOf("none.npz").find("No such file or directory"), std::string::npos);
  save("text.npz", "this is no archive");
  EXPECT_NE(messageOf("text.npz").find("expected a zip archive: Not a zip archive"),
            std::string::npos)
      << messageOf("text.npz");
  save("empty.npz", "");
  EXPECT_NE(messageOf("empty.npz"), "no error");
}

TEST_F(Npz, AFailedWriteLeavesNothing) {
  EXPECT_NE(llvm::toString(writeNpz(path("none/a.npz"), makeArrays())).find("cannot write"),
            std::string::npos);
  EXPECT_NE(llvm::toString(writeNpz("/dev/null", makeArrays())).find("expected a regular file"),
            std::string::npos);
  EXPECT_EQ(countFiles(), 0);
}
