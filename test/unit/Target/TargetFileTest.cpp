//===- TargetFileTest.cpp - Devices described in files -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Target/TargetFile.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A file of kind cpu with these figures.
std::string withFigures(StringRef figures, StringRef kind = "cpu") {
  return (R"({"version": 1, "name": "mine", "kind": ")" + kind + R"(", "figures": {)" + figures +
          "}}")
      .str();
}

std::string getError(const std::string &text) {
  auto file = parseTargetFile("t.json", text);
  return file ? "no error" : llvm::toString(file.takeError());
}

constexpr const char *kNeeded = R"("memory_bw": 20, "dispatch_ns": 500, "flops_per_ns": 16.5)";

} // namespace

TEST(TargetFile, IsReadAsItWasWritten) {
  TargetFile file{"mine",
                  TargetKind::Cpu,
                  "AMD EPYC (family 26)",
                  {{"dispatch_ns", 312.25, "measured: a tiny kernel"},
                   {"memory_bw", 31.2, "measured: row sums"},
                   {"flops_per_ns", 0.1, ""}}};
  auto read = parseTargetFile("t.json", file.toJson());
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->toJson(), file.toJson());
  EXPECT_NE(StringRef(file.toJson()).find("\"flops_per_ns\": 0.1\n"), StringRef::npos);
  EXPECT_EQ(read->cpu, "AMD EPYC (family 26)");
  EXPECT_EQ(read->find("memory_bw")->source, "measured: row sums");
  EXPECT_EQ(read->find("l2_bw"), nullptr);

  MLIRContext context;
  context.loadDialect<FuseDialect>();
  TargetAttr target = read->makeTarget(&context);
  EXPECT_EQ(target.getName(), "mine");
  EXPECT_EQ(target.getKind(), TargetKind::Cpu);
  EXPECT_EQ(target.getFigure("memory_bw"), 31.2);
  EXPECT_EQ(target.getFigure("l2_bytes"), 1048576) << "the documented default";
}

TEST(TargetFile, NeedsFigures) {
  EXPECT_EQ(getError(withFigures(kNeeded)), "no error");
  EXPECT_EQ(getError(withFigures(R"("memory_bw": 20, "dispatch_ns": 500)")),
            "'t.json': 'figures': expected 'flops_per_ns', which a target of kind cpu needs, found "
            "none");
  EXPECT_EQ(getError(withFigures(R"("memory_bw": 20, "dispatch_ns": 500)", "gpu")), "no error");
  EXPECT_EQ(getError(withFigures(R"("memory_bw": 20)", "gpu")),
            "'t.json': 'figures': expected 'dispatch_ns', which a target of kind gpu needs, found "
            "none");
  EXPECT_EQ(getError(withFigures(R"("dispatch_ns": 20)", "gpu")),
            "'t.json': 'figures': expected 'memory_bw', which a target of kind gpu needs, found "
            "none");
}

TEST(TargetFile, FiguresHaveRanges) {
  auto with = [](StringRef figure) {
    return getError(withFigures((kNeeded + (", " + figure)).str()));
  };
  EXPECT_EQ(getError(withFigures(R"("memory_bw": 0, "dispatch_ns": 500, "flops_per_ns": 1)")),
            "'t.json': figure 'memory_bw': expected a number above 0, found 0");
  EXPECT_EQ(getError(withFigures(R"("memory_bw": -3, "dispatch_ns": 500, "flops_per_ns": 1)")),
            "'t.json': figure 'memory_bw': expected a number above 0, found -3");
  EXPECT_EQ(getError(withFigures(R"("memory_bw": 1, "dispatch_ns": 5, "flops_per_ns": 0)")),
            "'t.json': figure 'flops_per_ns': expected a number above 0, found 0");
  EXPECT_EQ(with(R"("l3_bw": 0)"), "'t.json': figure 'l3_bw': expected a number above 0, found 0");
  EXPECT_EQ(with(R"("fork_ns": -1)"),
            "'t.json': figure 'fork_ns': expected a number of at least 0, found -1");
  EXPECT_EQ(with(R"("fork_ns": 0)"), "no error");
  EXPECT_EQ(with(R"("max_threads": 2.5)"),
            "'t.json': figure 'max_threads': expected a whole number of at least 1, found 2.5");
  EXPECT_EQ(with(R"("l2_bytes": 0.5)"),
            "'t.json': figure 'l2_bytes': expected a whole number of at least 0, found 0.5");
  EXPECT_EQ(with(R"("l3_bytes": 1e19)"),
            "'t.json': figure 'l3_bytes': expected a number up to 1e18, found 1e+19");
  EXPECT_EQ(with(R"("max_threads": 0.5)"),
            "'t.json': figure 'max_threads': expected a whole number of at least 1, found 0.5");
  EXPECT_EQ(with(R"("unified": 2)"), "'t.json': figure 'unified': expected 0 or 1, found 2");
  EXPECT_EQ(with(R"("l2_bw": "fast")"),
            "'t.json': figure 'l2_bw': expected a number above 0, found \"fast\"");
  EXPECT_EQ(with(R"("l4_bw": 3)"), "'t.json': expected figures of #fuse.target, found 'l4_bw'");
}

TEST(TargetFile, DamagedFiles) {
  EXPECT_TRUE(
      StringRef(getError("{\"version\": 1,")).starts_with("'t.json': expected JSON, found: "));
  EXPECT_TRUE(StringRef(getError("")).starts_with("'t.json': expected JSON, found: "));
  EXPECT_EQ(getError("[1]"), "'t.json': expected an object, found [1]");
  EXPECT_EQ(
      getError(std::string(100000, '[')), // the parser would recurse until the stack ends
      "'t.json': expected an object of numbers and strings, found more than 64 brackets open at "
      "once");
  EXPECT_EQ(getError("{}"), "'t.json': 'version': expected 1, found none");
  EXPECT_EQ(getError(R"({"version": 2, "speed": 3})"), "'t.json': 'version': expected 1, found 2");
  EXPECT_EQ(getError(R"({"version": "1"})"), "'t.json': 'version': expected 1, found \"1\"");
  EXPECT_EQ(getError(R"({"version": 1})"), "'t.json': 'name': expected a string, found none");
  EXPECT_EQ(getError(R"({"version": 1, "name": 3})"),
            "'t.json': 'name': expected a string, found 3");
  EXPECT_EQ(getError(R"({"version": 1, "name": "a", "kind": "tpu"})"),
            "'t.json': 'kind': expected \"cpu\" or \"gpu\", found \"tpu\"");
  EXPECT_EQ(getError(R"({"version": 1, "name": "a", "kind": "cpu", "cpu": []})"),
            "'t.json': 'cpu': expected a string, found []");
  EXPECT_EQ(getError(R"({"version": 1, "name": "a", "kind": "cpu"})"),
            "'t.json': 'figures': expected an object, found none");
  EXPECT_EQ(getError(R"({"version": 1, "name": "a", "kind": "cpu", "figures": [3]})"),
            "'t.json': 'figures': expected an object, found [3]");
  EXPECT_EQ(getError(R"({"version": 1, "nmae": "a"})"),
            "'t.json': expected version, name, kind, cpu, figures and sources, found 'nmae'");
}

TEST(TargetFile, Sources) {
  auto with = [](StringRef sources) {
    return getError((R"({"version": 1, "name": "a", "kind": "gpu", "figures": {"memory_bw": 1,
                      "dispatch_ns": 1}, "sources": )" +
                     sources + "}")
                        .str());
  };
  EXPECT_EQ(with(R"({"memory_bw": "a data sheet"})"), "no error");
  EXPECT_EQ(with("3"), "'t.json': 'sources': expected an object, found 3");
  EXPECT_EQ(with(R"({"memory_bw": 3})"),
            "'t.json': source of 'memory_bw': expected a string, found 3");
  EXPECT_EQ(with(R"({"l3_bw": "a data sheet"})"),
            "'t.json': 'sources': expected keys of figures that are given, found 'l3_bw'");
}

TEST(TargetFile, Unreadable) {
  auto file = readTargetFile("no/such/file.json");
  ASSERT_FALSE(static_cast<bool>(file));
  EXPECT_EQ(llvm::toString(file.takeError()),
            "'no/such/file.json': cannot read: No such file or directory");
}
