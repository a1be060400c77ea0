//===- ScheduleFileTest.cpp - Measured schedules in a file -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/ScheduleFile.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class ScheduleFileTest : public ::testing::Test {
protected:
  ScheduleFileTest() { context.loadDialect<FuseDialect>(); }

  TunedKernel makeKernel(char digit, int64_t size) {
    LevelAttr level = LevelAttr::get(&context, LevelMapping::Block, {1, 0}, {size, 8});
    return {std::string(32, digit),
            "a \"name\"",
            ScheduleAttr::get(&context, {level}, 64, 0, 0),
            200,
            100,
            7};
  }

  MLIRContext context;
};

TEST_F(ScheduleFileTest, TextKeepsAll) {
  ScheduleFile file;
  file.machine = {"znver5", "1b2f", 4};
  for (char digit : {'b', 'a', 'c'})
    file.add(makeKernel(digit, 4));
  file.add(makeKernel('a', 16));
  std::string text = file.toJson();
  auto read = parseScheduleFile(&context, "f.json", text);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->toJson(), text);
  EXPECT_EQ(read->machine.describe(), "znver5 (1b2f), 4 threads");
  ASSERT_EQ(read->kernels.size(), 3u);
  const TunedKernel *kernel = read->find(std::string(32, 'a'));
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel, &read->kernels.front());
  EXPECT_EQ(kernel->schedule, makeKernel('a', 16).schedule);
  EXPECT_EQ(kernel->name, "a \"name\"");
  EXPECT_EQ(kernel->beforeNs, 200);
  EXPECT_EQ(kernel->afterNs, 100);
  EXPECT_EQ(kernel->rounds, 7);
  EXPECT_EQ(read->find(std::string(32, 'd')), nullptr);
}

TEST_F(ScheduleFileTest, OrderOfAddingDoesNotShow) {
  ScheduleFile forth, back;
  for (char digit : {'1', '2', '3'})
    forth.add(makeKernel(digit, 4));
  for (char digit : {'3', '1', '2'})
    back.add(makeKernel(digit, 4));
  EXPECT_EQ(forth.toJson(), back.toJson());
}

TEST_F(ScheduleFileTest, KeysOnce) {
  ScheduleFile file;
  file.add(makeKernel('a', 4));
  std::string text = file.toJson(), twice = text;
  size_t begin = text.find('{', 1), end = text.find('}') + 1;
  twice.insert(end, "," + text.substr(begin, end - begin));
  auto read = parseScheduleFile(&context, "f.json", twice);
  ASSERT_FALSE(bool(read));
  EXPECT_EQ(llvm::toString(read.takeError()),
            "'f.json': kernels[1]: 'key': expected each once, found \"" + std::string(32, 'a') +
                "\" again");
}

TEST_F(ScheduleFileTest, MachinesFit) {
  TunedMachine any, host = getHostMachine(2);
  EXPECT_TRUE(any.fits(host));
  EXPECT_TRUE(host.fits(host));
  EXPECT_TRUE(host.fits(getHostMachine()));
  EXPECT_FALSE(host.fits(getHostMachine(3)));
  TunedMachine other = host;
  other.features = "0";
  EXPECT_FALSE(host.fits(other));
}

} // namespace
