//===- memory_bound.cpp - Kernels beside what memory allows -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Prints, per program and thread count, the time of one run and its ratio to a loop that only
// moves the bytes. Each round times every contender once, so that what disturbs the machine
// disturbs all of them; the least time of all rounds counts.
//
// usage: memory_bound [--rounds N] [--only TEXT]
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "MemorySpeed.h"
#include "Rounds.h"

#include "fuse/Runtime/Cpu.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir::fuse;
using namespace mlir::fuse::bench;

namespace {

std::string replaceAll(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

enum class Reference { Triad, Read, Copy };

struct Case {
  const char *name;
  const char *source; // SHAPE stands for the input's shape
  const char *shape;
  /// Of as many elements as fit the first-level cache beside their results; null where only the
  /// memory bounds the program.
  const char *cachedShape;
  int64_t elements;
  Reference reference;
};

const Case cases[] = {
    {"relu, sigmoid, exp", R"mlir(
func.func @main(%x: tensor<SHAPExf32>) -> tensor<SHAPExf32> {
  %0 = fuse.unary relu %x : tensor<SHAPExf32>
  %1 = fuse.unary sigmoid %0 : tensor<SHAPExf32>
  %2 = fuse.unary exp %1 : tensor<SHAPExf32>
  return %2 : tensor<SHAPExf32>
})mlir",
     "4096x4096", nullptr, 4096 * 4096, Reference::Triad},
    {"chain of ten", R"mlir(
func.func @main(%x: tensor<SHAPExf32>) -> tensor<SHAPExf32> {
  %tenth = arith.constant dense<0.1> : tensor<f32>
  %fifth = arith.constant dense<0.2> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %most = arith.constant dense<0.7> : tensor<f32>
  %0 = fuse.binary mul %x, %most : (tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  %1 = fuse.binary add %0, %tenth : (tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  %2 = fuse.unary tanh %1 : tensor<SHAPExf32>
  %3 = fuse.binary mul %2, %x : tensor<SHAPExf32>
  %4 = fuse.unary sigmoid %3 : tensor<SHAPExf32>
  %5 = fuse.binary sub %4, %half : (tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  %6 = fuse.unary abs %5 : tensor<SHAPExf32>
  %7 = fuse.unary sqrt %6 : tensor<SHAPExf32>
  %8 = fuse.binary max %7, %fifth : (tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  %9 = fuse.binary add %8, %x : tensor<SHAPExf32>
  return %9 : tensor<SHAPExf32>
})mlir",
     "4096x4096", "2048", 4096 * 4096, Reference::Triad},
    {"row sums", R"mlir(
func.func @main(%x: tensor<SHAPExf32>) -> tensor<4096xf32> {
  %0 = fuse.reduce sum %x dimensions = [1] : tensor<SHAPExf32> -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
})mlir",
     "4096x4096", nullptr, 4096 * 4096, Reference::Read},
    {"column sums", R"mlir(
func.func @main(%x: tensor<SHAPExf32>) -> tensor<4096xf32> {
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<SHAPExf32> -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
})mlir",
     "4096x4096", nullptr, 4096 * 4096, Reference::Read},
    {"softmax", R"mlir(
func.func @main(%x: tensor<SHAPExf32>) -> tensor<SHAPExf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<SHAPExf32>
  return %0 : tensor<SHAPExf32>
})mlir",
     "4096x1024", nullptr, 4096 * 1024, Reference::Copy},
};

class Bench {
public:
  explicit Bench(int rounds) : rounds(rounds) {}

  void run(const Case &test, int threads) {
    int64_t count = test.elements;
    for (HostArray *array : {&to, &a, &b})
      if (!*array || array->getNumElements() < count)
        *array = HostArray::splat(ElementType::F32, {count}, 1.0);
    float *to = this->to.data<float>().data();
    const float *a = this->a.data<float>().data(), *b = this->b.data<float>().data();

    CompiledKernel kernel(replaceAll(test.source, "SHAPE", test.shape), threads);
    std::vector<Contender> contenders = {{"fuse", [&] { kernel.run(); }}};
    switch (test.reference) {
    case Reference::Triad:
      contenders.push_back({"triad", [&] { triad(to, a, b, count, threads); }});
      contenders.push_back({"triad, non-temporal",
                            [&] { triadNonTemporal(to, a, b, count, threads); }});
      break;
    case Reference::Read:
      contenders.push_back({"read", [&] { sink = read(a, count, threads); }});
      break;
    case Reference::Copy:
      contenders.push_back({"memcpy", [&] { copy(to, a, count, threads); }});
      break;
    }
    timeRounds(contenders, rounds);

    auto best = std::min_element(contenders.begin() + 1, contenders.end(),
                                 [](const Contender &l, const Contender &r) { return l.ms < r.ms; });
    double bound = best->ms;
    std::string name = best->name;
    if (test.cachedShape) {
      // What the arithmetic alone takes, spread over the threads.
      CompiledKernel cached(replaceAll(test.source, "SHAPE", test.cachedShape), 1);
      std::vector<Contender> alone = {{"cached", [&] {
                                         for (int i = 0; i < 1000; ++i)
                                           cached.run();
                                       }}};
      timeRounds(alone, rounds);
      double ms = alone[0].ms / 1000 * static_cast<double>(count) / std::stod(test.cachedShape) / threads;
      contenders.push_back({"in cache", nullptr, ms});
      if (ms > bound) {
        bound = ms;
        name = "in cache";
      }
    }
    llvm::outs() << test.name << ", " << test.shape << ", " << threads
                 << (threads == 1 ? " thread" : " threads") << ": " << kernel.getLaunches()
                 << " launch" << (kernel.getLaunches() == 1 ? "" : "es");
    for (const Contender &each : contenders)
      llvm::outs() << "; " << each.name << llvm::format(" %.2f ms", each.ms);
    llvm::outs() << llvm::format("; ratio %.2f to ", contenders[0].ms / bound) << name << "\n";
    llvm::outs().flush();
  }

private:
  int rounds;
  HostArray to, a, b; // aligned for non-temporal stores
  volatile float sink = 0;
};

} // namespace

int main(int argc, char **argv) {
  int rounds = 20;
  llvm::StringRef only;
  for (int i = 1; i < argc; i += 2) {
    llvm::StringRef option(argv[i]), value(i + 1 < argc ? argv[i + 1] : "");
    bool isRounds = option == "--rounds" && !value.getAsInteger(10, rounds) && rounds > 0;
    if (!isRounds && (option != "--only" || value.empty())) {
      llvm::errs() << "usage: memory_bound [--rounds N] [--only TEXT]\n";
      return 2;
    }
    if (option == "--only")
      only = value;
  }
  llvm::outs() << "cpu: " << fuse_cpu_name() << "\n";
  Bench bench(rounds);
  for (const Case &test : cases)
    if (llvm::StringRef(test.name).contains(only))
      for (int threads : {1, 2})
        bench.run(test, threads);
  return 0;
}
