//===- ProgramTest.cpp - Programs in memory and from files, called alike
//------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledSource.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace {
/// A bundle of kLayer in a folder of its own.
class SavedLayer : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "fuse-capi-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    path = folder + "/layer.so";
    CompiledSource layer(kLayer, weights.get());
    char error[1024] = "";
    ASSERT_EQ(fuse_compilation_save(layer.compilation, path.c_str(), error, sizeof error), 0)
        << error;
  }
  void TearDown() override {
    for (const char *extension : {".so", ".weights", ".h"})
      std::remove((folder + "/layer" + extension).c_str());
    rmdir(folder.c_str());
  }
  /// The error of loading it.
  std::string load() {
    char error[1024] = "";
    fuse_program *program = nullptr;
    fuse_program_load(path.c_str(), nullptr, &program, error, sizeof error);
    fuse_program_release(program);
    return error;
  }

  LayerWeights weights;
  std::string folder, path;
};
} // namespace

TEST_F(SavedLayer, RunsAsInMemory) {
  fuse_program *program = nullptr;
  char error[1024] = "";
  ASSERT_EQ(fuse_program_load(path.c_str(), nullptr, &program, error, sizeof error), 0) << error;
  EXPECT_EQ(runLayer(program, {1, 2, 3}), "5.000000 13.000000");
  EXPECT_STREQ(fuse_program_input_dim(program, 0, 0), "rows");
  EXPECT_STREQ(fuse_program_cpu(program), "native");
  EXPECT_EQ(fuse_program_report(program)[0], '{');
  fuse_program_release(program);
}

TEST_F(SavedLayer, RefusesDamagedFiles) {
  std::string good;
  {
    std::ifstream file(path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(file), {});
  }
  auto write = [&](const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; };
  std::string changed = good;
  changed[good.size() / 2] ^= 1;
  write(changed);
  EXPECT_NE(load().find("the file is damaged"), std::string::npos) << load();
  write(good.substr(0, good.size() / 2));
  EXPECT_NE(load().find("expected at least"), std::string::npos) << load();
  write("no library");
  EXPECT_NE(load().find("cannot load"), std::string::npos) << load();
  std::remove(path.c_str());
  EXPECT_NE(load().find("No such file"), std::string::npos) << load();
}

TEST(CApiProgram, SaysWhatIsWrongWithACall) {
  LayerWeights weights;
  CompiledSource layer(kLayer, weights.get());
  EXPECT_EQ(runLayer(layer.getProgram(), {1, 2}),
            "input 'x': expected sizes [-1, 3] (-1: any), found [1, 2]");
}

TEST(CApiProgram, OutlivesItsCompilation) {
  LayerWeights weights;
  fuse_program *program = nullptr;
  {
    CompiledSource layer(kLayer, weights.get());
    program = layer.getProgram();
    fuse_program_retain(program);
  }
  EXPECT_EQ(runLayer(program, {1, 2, 3}), "5.000000 13.000000");
  fuse_program_release(program);
}

TEST(CApiProgram, CountsAndRecords) {
  LayerWeights weights;
  CompiledSource layer(kLayer, weights.get());
  char error[256];
  fuse_program_context *context;
  ASSERT_EQ(fuse_program_context_create(layer.getProgram(), 1, &context, error, sizeof error), 0);
  float x[2][3] = {}, y[2][2];
  int64_t sizes[] = {2, 3};
  fuse_buffer in = {x, sizes, nullptr, 2, FUSE_F32}, out = {nullptr, nullptr, nullptr, 2, FUSE_F32};
  ASSERT_EQ(fuse_program_query(context, &in, &out), 0);
  EXPECT_EQ(out.sizes[0], 2);
  EXPECT_EQ(out.sizes[1], 2);
  out.data = y;
  EXPECT_EQ(fuse_program_record(context, -1), 1);
  ASSERT_EQ(fuse_program_record(context, 16), 0);
  ASSERT_EQ(fuse_program_run(context, &in, &out), 0);
  int64_t count = 0, lost = 0;
  const fuse_event *events = fuse_program_events(context, &count, &lost);
  ASSERT_EQ(count, 1);
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(events[0].kind, FUSE_EVENT_LAUNCH);
  EXPECT_LE(events[0].begin_ns, events[0].end_ns);
  EXPECT_EQ(fuse_program_counters(context)->launches, 1);
  fuse_program_context_destroy(context);
}
