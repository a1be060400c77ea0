//===- Properties.h - Properties over many cases -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_PROPERTIES_H
#define FUSE_TEST_UNIT_PROPERTIES_H

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace mlir::fuse::test {

/// rc::check on 1 000 cases at least, as one GoogleTest. RC_PARAMS may ask for more, or for a seed.
template <typename Testable>
void checkThousand(Testable &&property) {
  const auto *info = ::testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(info->test_suite_name()) + "/" + info->name();
  metadata.description = info->name();
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(params.maxSuccess, 1000);
  const rc::detail::TestResult result =
      rc::detail::checkTestable(std::forward<Testable>(property), metadata, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

} // namespace mlir::fuse::test

#endif // FUSE_TEST_UNIT_PROPERTIES_H
