//===- CompileTest.cpp - Compiling programs from C
//---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledSource.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <thread>

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part) EXPECT_TRUE(contains(text, part)) << (text)

TEST(CApiCompile, RunsWithItsWeights) {
  LayerWeights weights;
  CompiledSource layer(kLayer, weights.get());
  ASSERT_EQ(layer.status, 0) << layer.getText(FUSE_TEXT_MESSAGES);
  fuse_program *program = layer.getProgram();
  ASSERT_EQ(fuse_program_num_inputs(program), 1);
  EXPECT_STREQ(fuse_program_input(program, 0)->name, "x");
  EXPECT_STREQ(fuse_program_input_dim(program, 0, 0), "rows");
  EXPECT_STREQ(fuse_program_output_dim(program, 0, 0), "rows");
  EXPECT_EQ(runLayer(program, {1, 2, 3}), "5.000000 13.000000");
}

TEST(CApiCompile, TakesWeightsInAnyOrder) {
  LayerWeights weights;
  float transposed[2][3] = {{1, 1, 1}, {2, 2, 2}};
  int64_t strides[] = {1, 3};
  std::vector<fuse_named_buffer> given = weights.get();
  given[0].buffer.data = transposed;
  given[0].buffer.strides = strides;
  CompiledSource layer(kLayer, given);
  ASSERT_EQ(layer.status, 0) << layer.getText(FUSE_TEXT_MESSAGES);
  EXPECT_EQ(runLayer(layer.getProgram(), {1, 2, 3}), "5.000000 13.000000");
}

TEST(CApiCompile, ParametersWithoutArraysAreInputs) {
  CompiledSource layer(kLayer);
  ASSERT_EQ(layer.status, 0) << layer.getText(FUSE_TEXT_MESSAGES);
  EXPECT_EQ(fuse_program_num_inputs(layer.getProgram()), 3);
}

TEST(CApiCompile, SaysWhereAnErrorIs) {
  CompiledSource wrong(
      "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}\n");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(wrong.getProgram(), nullptr);
  EXPECT_CONTAINS(wrong.getText(FUSE_TEXT_MESSAGES),
                  "program.mlir:2:10: error: use of undeclared SSA value");
  EXPECT_CONTAINS(wrong.getText(FUSE_TEXT_MESSAGES_JSON), "\"line\": 2");
  EXPECT_EQ(wrong.getText(FUSE_TEXT_REPORT), "");
  char error[256];
  EXPECT_EQ(fuse_compilation_save(wrong.compilation, "x.so", error, sizeof error), 1);
  EXPECT_STREQ(error, "there is no program to be saved: compiling it failed");
}

TEST(CApiCompile, RefusesWrongWeights) {
  LayerWeights weights;
  std::vector<fuse_named_buffer> given = weights.get();
  given[0].name = "v";
  EXPECT_CONTAINS(CompiledSource(kLayer, given).getText(FUSE_TEXT_MESSAGES),
                  "no parameter (fuse.param) of @layer is named 'v'");
  given = weights.get();
  std::swap(weights.wSizes[0], weights.wSizes[1]);
  EXPECT_CONTAINS(CompiledSource(kLayer, given).getText(FUSE_TEXT_MESSAGES),
                  "parameter 'w': expected");
  given[0].buffer.dtype = 99;
  EXPECT_CONTAINS(CompiledSource(kLayer, given).getText(FUSE_TEXT_MESSAGES),
                  "weight 'w': expected a dtype and a rank");
  given[0].buffer.dtype = FUSE_F32;
  given[0].buffer.data = nullptr;
  EXPECT_CONTAINS(CompiledSource(kLayer, given).getText(FUSE_TEXT_MESSAGES),
                  "weight 'w': expected data, found null");
}

TEST(CApiCompile, OptionsAreThoseOfTheCommandLine) {
  EXPECT_EQ(CompiledSource(kLayer, {}, {{"numerics", "nonsense"}}).optionError,
            "numerics: expected exact, reassociates, folds or reduced-precision, found 'nonsense'");
  EXPECT_EQ(CompiledSource(kLayer, {}, {{"numeric", "exact"}}).optionError,
            "unknown option 'numeric': did you mean '--numerics'?");
  EXPECT_EQ(CompiledSource(kLayer, {}, {{"no-fusion", "1"}}).optionError,
            "no-fusion: expected no value, found '1'");
  EXPECT_EQ(CompiledSource(kLayer, {}, {{"threads", nullptr}}).optionError,
            "threads: expected N, found nothing");
  EXPECT_CONTAINS(fuse_options_help(), "--numerics");
  CompiledSource unfused(kLayer, {}, {{"no-fusion", nullptr}});
  EXPECT_CONTAINS(unfused.getText(FUSE_TEXT_REPORT_JSON), "\"fused_kernels\": 3");
}

TEST(CApiCompile, BudgetsAndBackends) {
  EXPECT_CONTAINS(CompiledSource(kLayer, {}, {{"no-fusion", nullptr}, {"budget", "launches=1"}})
                      .getText(FUSE_TEXT_MESSAGES),
                  "exceeds its budget: launches of at most 1, found 3");
  EXPECT_CONTAINS(CompiledSource(kLayer, {}, {{"target", "emulator"}}).getText(FUSE_TEXT_MESSAGES),
                  "for a bundle, found emulator");
  EXPECT_CONTAINS(CompiledSource(kLayer, {}, {{"dim", "rows=2"}}).getText(FUSE_TEXT_MESSAGES),
                  "dim needs a model");
}

TEST(CApiCompile, RefusesWhatIsNoProgram) {
  EXPECT_CONTAINS(CompiledSource(std::string("\0\1\2", 3)).getText(FUSE_TEXT_MESSAGES),
                  "model.onnx: error: no ONNX model");
  EXPECT_CONTAINS(CompiledSource("x", {}, {}, "pickle").getText(FUSE_TEXT_MESSAGES),
                  "format: expected auto, mlir, onnx, torch or stablehlo, found 'pickle'");
  fuse_source nothing = {};
  nothing.struct_bytes = sizeof nothing;
  fuse_compilation *compilation;
  EXPECT_EQ(fuse_compile(&nothing, nullptr, &compilation), 1);
  EXPECT_STREQ(fuse_compilation_text(compilation, FUSE_TEXT_MESSAGES),
               "error: expected a path or bytes, found neither\n");
  fuse_compilation_destroy(compilation);
  nothing.path = "nowhere.mlir";
  EXPECT_EQ(fuse_compile(&nothing, nullptr, &compilation), 1);
  EXPECT_CONTAINS(fuse_compilation_text(compilation, FUSE_TEXT_MESSAGES),
                  "cannot read 'nowhere.mlir': No such file");
  fuse_compilation_destroy(compilation);
}

TEST(CApiCompile, Texts) {
  CompiledSource layer(kLayer, {}, {{"explain", nullptr}});
  EXPECT_CONTAINS(layer.getText(FUSE_TEXT_MESSAGES), "remark: [Passed] fused");
  EXPECT_CONTAINS(layer.getText(FUSE_TEXT_REPORT), "Fusion: 3 → 1 kernels");
  EXPECT_CONTAINS(layer.getText(FUSE_TEXT_LISTING), "kernel 0 (matmul-add-activation)");
  EXPECT_CONTAINS(layer.getText(FUSE_TEXT_DOT), "digraph");
  EXPECT_EQ(layer.getText(FUSE_TEXT_SVG).rfind("<svg", 0), 0u);
  EXPECT_CONTAINS(layer.getText(FUSE_TEXT_PAGE), "<html");
  EXPECT_EQ(layer.getText(99), "");
}

TEST(CApiCompile, ReportsProgress) {
  std::vector<std::string> stages;
  fuse_options *options = fuse_options_create();
  fuse_options_set_progress(
      options,
      [](double, const char *stage, void *data) {
        static_cast<std::vector<std::string> *>(data)->push_back(stage);
      },
      &stages);
  fuse_source source = {};
  source.struct_bytes = sizeof source;
  source.data = kLayer;
  source.bytes = static_cast<int64_t>(std::strlen(kLayer));
  fuse_compilation *compilation;
  EXPECT_EQ(fuse_compile(&source, options, &compilation), 0);
  fuse_compilation_destroy(compilation);
  fuse_options_destroy(options);
  ASSERT_GE(stages.size(), 5u);
  EXPECT_EQ(stages.front(), "import");
  EXPECT_EQ(stages[1], "plan");
  EXPECT_EQ(stages.back(), "link");
}

TEST(CApiCompile, ThreadsCompileAtOnce) {
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      LayerWeights weights;
      CompiledSource layer(kLayer, weights.get());
      failed += layer.status || runLayer(layer.getProgram(), {1, 2, 3}) != "5.000000 13.000000";
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
}
