//===- FatalErrorsTest.cpp - What LLVM gives up on, as an exception
//-------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/FatalErrors.h"

#include "llvm/Support/ErrorHandling.h"
#include "gtest/gtest.h"

#include <thread>

using namespace mlir::fuse;

TEST(FatalErrors, AreThrownWhileTheyAreCaught) {
  CaughtFatalErrors caught;
  std::string text;
  try {
    llvm::report_fatal_error("cannot select");
  } catch (const FatalError &error) {
    text = error.text;
  }
  EXPECT_EQ(text, "cannot select");
}

TEST(FatalErrors, OfThreadsComeBackAsErrors) {
  CaughtFatalErrors caught;
  std::string text;
  std::thread([&] {
    llvm::Error error = catchFatalErrors([] { llvm::report_fatal_error("cannot select"); });
    text = llvm::toString(std::move(error));
  }).join();
  EXPECT_EQ(text, "the compiler gave up: cannot select");
}

TEST(FatalErrors, EndToolsAsEver) {
  { CaughtFatalErrors caught; }
  EXPECT_DEATH(llvm::report_fatal_error("cannot select"), "LLVM ERROR: cannot select");
}
