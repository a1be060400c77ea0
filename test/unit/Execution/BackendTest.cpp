//===- BackendTest.cpp - The registry of backends, and what all backends keep to --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Backend.h"
#include "fuse/Execution/Bundle.h"
#include "fuse/Execution/Session.h"
#include "fuse/Target/Targets.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct NamedBackend : Backend {
  explicit NamedBackend(std::string name) : name(std::move(name)) {}
  StringRef getName() const override { return name; }
  StringRef getDescription() const override { return "of a test"; }
  void buildLoweringPipeline(OpPassManager &, TargetAttr, const LoweringOptions &) const override {}
  RunPlace getRunPlace() const override { return RunPlace::Nowhere; }

  std::string name;
};
} // namespace

TEST(BackendTest, AreFoundByName) {
  EXPECT_EQ(findBackend("cpu"), &getDefaultBackend());
  EXPECT_EQ(findBackend("gpu"), nullptr);
  std::vector<const Backend *> backends = getBackends();
  ASSERT_GE(backends.size(), 4u);
  EXPECT_EQ(backends.front(), &getDefaultBackend());
  for (const Backend *backend : backends)
    EXPECT_EQ(findBackend(backend->getName()), backend);
}

TEST(BackendTest, AreRegisteredOnce) {
  auto add = [](std::string name) {
    return llvm::toString(registerBackend(std::make_unique<NamedBackend>(std::move(name))));
  };
  EXPECT_EQ(add("test"), "");
  const Backend *added = findBackend("test");
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(getBackends().back(), added);
  EXPECT_EQ(add("test"), "expected a backend of a new name, found a second 'test'");
  EXPECT_EQ(add("cpu"), "expected a backend of a new name, found a second 'cpu'");
  EXPECT_EQ(add(""), "expected a backend with a name, found one without");
  EXPECT_EQ(findBackend("test"), added);
}

TEST(BackendTest, PlanForKnownDevices) {
  ArrayRef<StringRef> names = getTargetNames();
  for (const Backend *backend : getBackends()) {
    EXPECT_EQ(backend->resolveChip("other"), "other");
    for (StringRef chip : backend->getChips()) {
      EXPECT_TRUE(llvm::is_contained(names, backend->getTargetName(chip))) << chip.str();
      EXPECT_EQ(backend->resolveChip(chip), chip);
    }
    if (!backend->getChips().empty())
      EXPECT_EQ(backend->resolveChip(""), backend->getChips().front());
    else
      EXPECT_EQ(backend->getTargetName(""), "");
  }
}

TEST(BackendTest, RefuseWhatTheyLack) {
  auto device = findBackend("rocm")->openDevice(SessionOptions());
  ASSERT_FALSE(static_cast<bool>(device));
  EXPECT_EQ(llvm::toString(device.takeError()), "nothing here runs code for 'rocm'");

  ObjectCompilerOptions options;
  options.backend = findBackend("emulator");
  EXPECT_EQ(llvm::toString(writeBundle("never-written.so", {}, {}, options)),
            "expected a backend that has bundles, found 'emulator'");

  NamedBackend backend("unit");
  auto code = backend.compileKernel("", "k", "", options);
  ASSERT_FALSE(static_cast<bool>(code));
  EXPECT_EQ(llvm::toString(code.takeError()),
            "cannot compile k: 'unit' compiles no kernels of the LLVM dialect");
}
