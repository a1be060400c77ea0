//===- NpyTest.cpp - Reading and writing .npy files -----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/Npy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A folder of its own for each test, removed at the end.
class NpyFile : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-npy", folder)); }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }
  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> full = folder;
    llvm::sys::path::append(full, name);
    return full.str().str();
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

/// A version 1 file with this dictionary (a newline is added) and data.
static std::string makeFile(llvm::StringRef dictionary, llvm::StringRef data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  size_t length = dictionary.size() + 1;
  bytes += static_cast<char>(length & 0xff);
  bytes += static_cast<char>(length >> 8);
  return bytes + dictionary.str() + "\n" + data.str();
}

static std::string header(llvm::StringRef descr, llvm::StringRef order, llvm::StringRef shape) {
  return ("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }")
      .str();
}

static std::string messageOf(llvm::StringRef bytes) {
  llvm::Expected<HostArray> array = parseNpy(bytes, "x.npy");
  return array ? "no error" : llvm::toString(array.takeError());
}

TEST_F(NpyFile, EveryTypeAndShapeSurvivesARoundTrip) {
  for (ElementType type : getElementTypes()) {
    for (SmallVector<int64_t> shape : {SmallVector<int64_t>{}, {5}, {0}, {3, 0, 2}, {2, 3, 4}}) {
      HostArray array(type, shape);
      for (int64_t i = 0; i < array.getNumElements(); ++i)
        array.setInt(i, 7 * i - 3);
      ASSERT_FALSE(bool(writeNpy(path("a.npy"), array)));
      uint64_t size;
      ASSERT_FALSE(llvm::sys::fs::file_size(path("a.npy"), size));
      EXPECT_EQ((size - array.getByteSize()) % 64, 0u);
      llvm::Expected<HostArray> back = readNpy(path("a.npy"));
      ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
      EXPECT_EQ(back->getElementType(), type);
      EXPECT_EQ(back->getShape(), array.getShape());
      EXPECT_EQ(std::memcmp(back->getBytes(), array.getBytes(), array.getByteSize()), 0);
    }
  }
  EXPECT_EQ(countFiles(), 1);
}

TEST(Npy, FortranOrder) {
  // [[0, 1, 2], [3, 4, 5]] by columns.
  llvm::Expected<HostArray> array = parseNpy(
      makeFile(header("|i1", "True", "(2, 3)"), llvm::StringRef("\0\3\1\4\2\5", 6)), "x.npy");
  ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
  EXPECT_EQ(array->getShape(), (ArrayRef<int64_t>{2, 3}));
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(array->getInt(i), i);
}

TEST(Npy, BigEndianAndOldSpellings) {
  llvm::Expected<HostArray> big = parseNpy(
      makeFile(header(">i4", "False", "(2,)"), llvm::StringRef("\0\0\1\2\xff\xff\xff\xfe", 8)),
      "x.npy");
  ASSERT_TRUE(bool(big)) << llvm::toString(big.takeError());
  EXPECT_EQ(big->getInt(0), 258);
  EXPECT_EQ(big->getInt(1), -2);
  // Python 2's long integers, double quotes, another order of keys.
  llvm::Expected<HostArray> old =
      parseNpy(makeFile("{\"shape\": (2L,), \"descr\": \"<u2\", \"fortran_order\": False}", "abcd"),
               "x.npy");
  ASSERT_TRUE(bool(old)) << llvm::toString(old.takeError());
  EXPECT_EQ(old->getElementType(), ElementType::U16);
}

TEST(Npy, Versions2And3) {
  std::string dictionary = header("|V2", "False", "(1,)") + "\n";
  for (char version : {2, 3}) {
    std::string bytes("\x93NUMPY", 6);
    bytes += version;
    bytes += '\0';
    bytes += std::string{char(dictionary.size()), 0, 0, 0} + dictionary + "\x80\x3f";
    llvm::Expected<HostArray> array = parseNpy(bytes, "x.npy");
    ASSERT_TRUE(bool(array)) << llvm::toString(array.takeError());
    EXPECT_EQ(array->getElementType(), ElementType::BF16);
    EXPECT_EQ(array->getFloat(0), 1.0);
  }
}

TEST(Npy, MalformedFilesNameWhatWasExpectedAndFound) {
  auto has = [](const std::string &bytes, llvm::StringRef text) {
    std::string message = messageOf(bytes);
    EXPECT_TRUE(llvm::StringRef(message).contains(text)) << message;
    EXPECT_TRUE(llvm::StringRef(message).starts_with("'x.npy': ")) << message;
  };
  std::string good = makeFile(header("<f4", "False", "(1,)"), "abcd");
  EXPECT_EQ(messageOf(good), "no error");
  has("", "expected the .npy magic \\x93NUMPY, found an empty file");
  has("PK\3\4xxxx", "found the bytes 504B03047878");
  has(good.substr(0, 8), "expected an .npy header, found only 8 bytes");
  has(good.substr(0, 30), "bytes of .npy header, found 30");
  has(good.substr(0, good.size() - 1), "expected 4 bytes of data for 1xf32, found 3");
  has(good + "x", "expected 4 bytes of data for 1xf32, found 5");
  std::string version = good;
  version[6] = 4;
  has(version, "expected .npy version 1, 2 or 3, found 4");
  has(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12), "of at most 1048576 bytes");
  has(makeFile(header("<c8", "False", "(1,)"), "abcdefgh"), "found '<c8'");
  has(makeFile(header("f4", "False", "(1,)"), "abcd"), "found 'f4'");
  has(makeFile("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"),
      "found a structured type");
  has(makeFile(header("<f4", "Maybe", "(1,)"), "abcd"), "expected True or False at byte");
  has(makeFile(header("<f4", "False", "(-1,)"), ""), "expected a size that is not negative");
  has(makeFile(header("<f4", "False", "(99999999999999999999,)"), ""), "a size below 2^63");
  has(makeFile(header("<f4", "False", "(4611686018427387904, 4)"), ""),
      "larger than any address space");
  has(makeFile(header("<f4", "False", "(4611686018427387904, 0, 4)"), ""),
      "larger than any address space");
  has(makeFile(header("<f4", "False", "(1000000000000,)"), "abcd"),
      "expected 4000000000000 bytes of data for 1000000000000xf32, found 4");
  has(makeFile(header("<f4", "False", "(1 2)"), "abcd"), "expected ',' or ')'");
  has(makeFile(header("<f4", "False", "1"), "abcd"), "expected a tuple of sizes");
  has(makeFile("{'descr': '<f4', 'shape': (1,)}", "abcd"), "'fortran_order' is missing");
  has(makeFile("{'descr': '<f4', 'descr': '<f4'}", ""), "once each");
  has(makeFile("{'descr': '<f4', 'order': 1}", ""), "the keys descr, fortran_order and shape");
  has(makeFile("{'descr", ""), "expected a key in quotes at byte 1");
  has(makeFile("", ""), "expected '{' at byte");
  has(makeFile(header("<f4", "False", "(1,)") + "junk", "abcd"), "expected spaces and a newline");
  std::string noNewline = good;
  noNewline[noNewline.size() - 5] = ' ';
  has(noNewline, "expected spaces and a newline");
}

TEST(Npy, DamagedFilesNeverCrash) {
  std::string good = makeFile(header("<f4", "True", "(2, 3)"), std::string(24, 'x'));
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(messageOf(llvm::StringRef(good).take_front(length)), "no error") << length;
  EXPECT_TRUE(rc::check([&](uint32_t at, char byte, uint32_t at2, char byte2) {
    std::string bytes = good;
    bytes[at % bytes.size()] = byte;
    bytes[at2 % bytes.size()] = byte2;
    RC_ASSERT(!messageOf(bytes).empty());
  }));
}

TEST_F(NpyFile, UnreadablePaths) {
  auto message = [](const std::string &path) {
    llvm::Expected<HostArray> array = readNpy(path);
    return array ? "no error" : llvm::toString(array.takeError());
  };
  EXPECT_EQ(message(path("none.npy")),
            "'" + path("none.npy") + "': cannot read: No such file or directory");
  EXPECT_EQ(message(path("")), "'" + path("") + "': cannot read: expected a regular file");
  EXPECT_EQ(message("/dev/zero"), "'/dev/zero': cannot read: expected a regular file");
}

TEST_F(NpyFile, AFailedWriteLeavesNothing) {
  HostArray array(ElementType::F32, {4});
  EXPECT_NE(llvm::toString(writeNpy(path("none/a.npy"), array)).find("cannot write"),
            std::string::npos);
  EXPECT_NE(llvm::toString(writeNpy("/dev/full", array)).find("expected a regular file"),
            std::string::npos);
  // A directory is in the way.
  ASSERT_FALSE(llvm::sys::fs::create_directory(path("d.npy")));
  EXPECT_NE(llvm::toString(writeNpy(path("d.npy"), array)).find("expected a regular file"),
            std::string::npos);
  EXPECT_EQ(countFiles(), 1);
}
