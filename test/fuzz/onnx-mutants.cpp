//===- onnx-mutants.cpp - Imports damaged models ----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// usage: onnx-mutants FOLDER [COUNT [SEED]]: imports COUNT damaged models, each in a process of its
// own, and says which of them crash, take longer than two seconds, take more than 64 MB and twice
// the file, or fail without a diagnostic that has a location. Those are kept in FOLDER. Exits 1 if
// there are any.
//        onnx-mutants --seeds FOLDER: writes the models that are damaged.
//
//===----------------------------------------------------------------------------------------===//

#include "Models.h"

#include "fuse/Import/Onnx.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fuse_test;
namespace fs = std::filesystem;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FUSE_IS_SANITIZED 1
#endif
#endif
#ifdef FUSE_IS_SANITIZED
// Freed memory is kept for a while, and everything takes longer.
static constexpr bool kMeasures = false;
static constexpr unsigned kMostSeconds = 20;
#else
static constexpr bool kMeasures = true;
static constexpr unsigned kMostSeconds = 2;
#endif

namespace {

enum Outcome { Imported = 0, Refused = 10, Silent = 11 };

struct Result {
  int status;
  int64_t peak; ///< bytes
};

} // namespace

static void write(const fs::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

static int import(const std::string &path) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int located = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    located += !llvm::isa<mlir::UnknownLoc>(diagnostic.getLocation()) && !diagnostic.str().empty();
    return mlir::success();
  });
  if (mlir::succeeded(mlir::fuse::importOnnx(path, &context)))
    return Imported;
  return located ? Refused : Silent;
}

template <typename Work>
static Result runChild(Work work) {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(kMostSeconds);
    _exit(work());
  }
  rusage usage = {};
  Result result = {};
  if (child < 0 || wait4(child, &result.status, 0, &usage) != child) {
    std::perror("onnx-mutants");
    std::exit(2);
  }
  result.peak = usage.ru_maxrss * int64_t(1024);
  return result;
}

static std::string describe(const Result &result, int64_t allowed) {
  if (WIFSIGNALED(result.status))
    return WTERMSIG(result.status) == SIGALRM
               ? "takes too long"
               : "crashes: signal " + std::to_string(WTERMSIG(result.status));
  int status = WEXITSTATUS(result.status);
  if (status == Silent)
    return "fails without a located diagnostic";
  if (status != Imported && status != Refused)
    return "ends with status " + std::to_string(status);
  if (kMeasures && result.peak > allowed)
    return "takes " + std::to_string(result.peak >> 20) + " MB, " + std::to_string(allowed >> 20) +
           " are allowed";
  return "";
}

static std::string makeMutant(const std::vector<Seed> &seeds, size_t number, Random &random) {
  const Seed &seed = seeds[number % seeds.size()];
  std::string bytes = seed.bytes;
  onnx::ModelProto model;
  bool isStructural = number % 4 != 0 && model.ParseFromString(bytes);
  if (isStructural) {
    for (size_t i = 1 + random() % 3; i-- > 0;)
      damage(model, random);
    bytes = model.SerializeAsString();
  }
  if (!isStructural)
    damageBytes(bytes, random);
  return bytes;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: onnx-mutants FOLDER [COUNT [SEED]] | --seeds FOLDER\n");
    return 2;
  }
  std::vector<Seed> seeds = makeSeeds();
  if (std::string(argv[1]) == "--seeds" && argc == 3) {
    fs::create_directories(argv[2]);
    for (const Seed &seed : seeds)
      write(fs::path(argv[2]) / (seed.name + ".onnx"), seed.bytes);
    return 0;
  }
  fs::path folder = argv[1];
  size_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2000;
  Random random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  fs::remove_all(folder);
  fs::create_directories(folder / "folder");
  write(folder / "weights.bin", makeExternalData());
  write(folder / ".." / (folder.filename().string() + "-outside.bin"), makeExternalData());
  fs::create_symlink(".." / fs::path(folder.filename().string() + "-outside.bin"),
                     folder / "link.bin");
  if (mkfifo((folder / "pipe").c_str(), 0600) != 0)
    return 2;

  int64_t empty = runChild([] {
                    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
                    return int(Imported);
                  }).peak;
  size_t imported = 0, refused = 0, failed = 0;
  for (size_t i = 0; i < count + seeds.size(); ++i) {
    bool isSeed = i < seeds.size();
    std::string bytes = isSeed ? seeds[i].bytes : makeMutant(seeds, i - seeds.size(), random);
    fs::path path =
        folder / (isSeed ? seeds[i].name + ".onnx" : "mutant" + std::to_string(i) + ".onnx");
    write(path, bytes);
    Result result = runChild([&] { return import(path.string()); });
    std::string problem = describe(result, empty + (int64_t(64) << 20) + 2 * int64_t(bytes.size()));
    if (problem.empty() && isSeed && WEXITSTATUS(result.status) != Imported)
      problem = "is whole, and refused";
    if (problem.empty()) {
      (WEXITSTATUS(result.status) == Imported ? imported : refused)++;
      fs::remove(path);
      continue;
    }
    ++failed;
    std::printf("%s %s\n", path.c_str(), problem.c_str());
  }
  std::printf("%zu imported, %zu refused, %zu failed\n", imported, refused, failed);
  return failed ? 1 : 0;
}
