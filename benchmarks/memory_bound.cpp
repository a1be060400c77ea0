//===- memory_bound.cpp - Kernels beside what memory allows -----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Prints a table: for each program, size and number of threads the time of one run beside that of a
// loop that only moves the bytes, the ratio, and the highest ratio that is wanted. Each round
// times every contender once, so that what disturbs the machine disturbs all of them; times are
// medians of the rounds, ratios medians of the rounds' ratios.
//
// Far arrays are twice as large as the last cache, near ones an eighth of it. Then odd and dynamic
// sizes beside the next even size, per element, and what a launch costs.
//
// With --least the least time of each contender counts instead.
//
// usage: memory_bound [--least] [--rounds N] [--only TEXT] [--target FILE]
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "Dispatch.h"
#include "MemoryCases.h"
#include "MemorySpeed.h"
#include "Rounds.h"

#include "fuse/Execution/Calibration.h"
#include "fuse/Runtime/Cpu.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <omp.h>

using namespace mlir::fuse;
using namespace mlir::fuse::bench;

namespace {

struct Row {
  std::string name, size;
  int threads;
  double time;
  std::string reference;
  double referenceTime, ratio, target;
  const char *unit = "ms";
};

void printHeader() {
  llvm::outs() << llvm::formatv("{0,-22} {1,-16} {2,7} {3,10}  {4,-24} {5,10} {6,6} {7,7}\n",
                                "kernel", "size", "threads", "time", "reference", "its time",
                                "ratio", "wanted");
}

void print(const Row &row) {
  std::string time = llvm::formatv("{0:f3} {1}", row.time, row.unit);
  std::string other = llvm::formatv("{0:f3} {1}", row.referenceTime, row.unit);
  llvm::outs() << llvm::formatv(
      "{0,-22} {1,-16} {2,7} {3,10}  {4,-24} {5,10} {6,6:f2} {7,7:f2}{8}\n", row.name, row.size,
      row.threads, time, row.reference, other, row.ratio, row.target,
      row.ratio > row.target ? " *" : "");
  llvm::outs().flush();
}

std::string describe(const MatrixShape &shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns) +
         (shape.isDynamic ? " (dyn)" : "");
}

class Bench {
public:
  /// `least`: the least times count, not the medians: for machines that are not idle.
  Bench(int rounds, bool least, std::string target)
      : rounds(rounds), least(least), target(std::move(target)) {}

  void compareWithMemory(const MemoryCase &test, const MatrixShape &shape, int threads) {
    int64_t count = shape.rows * shape.columns;
    auto size = static_cast<int64_t>(static_cast<double>(count) * test.arrays / 2);
    for (HostArray *array : {&to, &a, &b})
      if (!*array || array->getNumElements() < std::max(count, size))
        *array = HostArray::splat(ElementType::F32, {std::max(count, size)}, 1.0);
    float *to = this->to.data<float>().data();
    const float *a = this->a.data<float>().data(), *b = this->b.data<float>().data();

    CompiledKernel kernel = compile(test, shape, threads);
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
      contenders.push_back({"memcpy", [&] { copy(to, a, size, threads); }});
      break;
    }
    // What the arithmetic alone takes.
    MatrixShape block{4, shape.columns};
    std::unique_ptr<CompiledKernel> cached;
    double scale = static_cast<double>(count) / static_cast<double>(4 * shape.columns * threads);
    constexpr int64_t kRepeats = 64;
    if (test.mayCompute) {
      cached = std::make_unique<CompiledKernel>(compile(test, block, 1));
      contenders.push_back({"itself in L1", [&] {
                              for (int64_t i = 0; i < kRepeats; ++i)
                                cached->run();
                            }});
    }
    timeRounds(contenders, rounds);
    if (cached)
      contenders.back().scale(scale / kRepeats);

    size_t last = contenders.size() - (cached ? 1 : 0);
    auto isLess = [&](const Contender &l, const Contender &r) { return getTime(l) < getTime(r); };
    auto best = std::min_element(contenders.begin() + 1, contenders.begin() + last, isLess);
    if (cached && isLess(*best, contenders.back()))
      best = contenders.end() - 1;
    print({test.name, describe(shape), threads, getTime(contenders[0]), best->name, getTime(*best),
           getRatio(contenders[0], *best), test.target});
  }

  /// Time per element beside that of the next even size.
  void compareWithEven(const MemoryCase &test, const MatrixShape &odd, int threads) {
    auto even = [](int64_t extent) { return (extent + 3) / 4 * 4; };
    MatrixShape other{even(odd.rows), even(odd.columns)};
    CompiledKernel kernel = compile(test, odd, threads);
    CompiledKernel reference = compile(test, other, threads);
    double elements = static_cast<double>(odd.rows * odd.columns);
    int64_t repeats = std::max<int64_t>(1, int64_t(1e6) / (odd.rows * odd.columns));
    auto repeat = [repeats](CompiledKernel &each) {
      for (int64_t i = 0; i < repeats; ++i)
        each.run();
    };
    std::vector<Contender> contenders = {{"odd", [&] { repeat(kernel); }},
                                         {"even", [&] { repeat(reference); }}};
    timeRounds(contenders, rounds);
    contenders[0].scale(1 / static_cast<double>(repeats));
    contenders[1].scale(elements / static_cast<double>(other.rows * other.columns * repeats));
    print({test.name, describe(odd), threads, getTime(contenders[0]), describe(other),
           getTime(contenders[1]), getRatio(contenders[0], contenders[1]), 1.3});
  }

  /// ns per 16 elements of a function on a block in the first cache; a run's own cost included.
  void timeFunction(const std::string &function, double target) {
    constexpr int64_t kElements = 4096, kRepeats = 64;
    std::string type = "tensor<" + std::to_string(kElements) + "xf32>";
    CompiledKernel kernel("func.func @main(%x: " + type + ") -> " + type +
                              " {\n  %0 = fuse.unary " + function + " : " + type +
                              "\n  return %0 : " + type + "\n}",
                          1);
    std::vector<Contender> contenders = {{"fuse", [&] {
                                            for (int64_t i = 0; i < kRepeats; ++i)
                                              kernel.run();
                                          }}};
    timeRounds(contenders, rounds);
    double time = getTime(contenders[0]) * 1e6 * 16 / (kElements * kRepeats);
    print({function.substr(0, function.find(" %x")), "16 of 4096", 1, time, "wanted", target,
           time / target, 1, "ns"});
  }

private:
  double getTime(const Contender &contender) const {
    return least ? contender.ms : contender.getMedian();
  }

  double getRatio(const Contender &contender, const Contender &reference) const {
    return least ? contender.ms / reference.ms : getMedianRatio(contender, reference);
  }

  CompiledKernel compile(const MemoryCase &test, const MatrixShape &shape, int threads) {
    return CompiledKernel(makeProgram(test, shape), threads, getInputShapes(test, shape), target);
  }

  int rounds;
  bool least;
  std::string target;
  HostArray to, a, b; // aligned for non-temporal stores
  volatile float sink = 0;
};

} // namespace

int main(int argc, char **argv) {
  int rounds = 21;
  llvm::StringRef only, target;
  bool least = false;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef option(argv[i]), value(i + 1 < argc ? argv[i + 1] : "");
    if (option == "--least") {
      least = true;
      continue;
    }
    bool isRounds = option == "--rounds" && !value.getAsInteger(10, rounds) && rounds > 0;
    if (!isRounds && ((option != "--only" && option != "--target") || value.empty())) {
      llvm::errs() << "usage: memory_bound [--least] [--rounds N] [--only TEXT] [--target FILE]\n";
      return 2;
    }
    ++i;
    if (option == "--only")
      only = value;
    if (option == "--target")
      target = value;
  }
  int all = omp_get_max_threads();
  std::vector<int> teams = {1};
  if (all > 1)
    teams.push_back(all);
  constexpr int64_t columns = 1024, leastCache = 8 << 20;
  int64_t cache = std::max(leastCache, getCacheSizes().l3) / 4;
  MatrixShape far{2 * cache / columns, columns}, near{cache / 8 / columns, columns};
  auto isWanted = [&](llvm::StringRef name) { return name.contains(only); };

  llvm::outs() << "cpu: " << fuse_cpu_name() << ", " << (least ? "least" : "medians") << " of "
               << rounds << "; * is above what is wanted\n";
  printHeader();
  Bench bench(rounds, least, target.str());
  for (const MemoryCase &test : getMemoryCases())
    if (isWanted(test.name))
      for (const MatrixShape &shape : {far, near})
        for (int threads : teams)
          bench.compareWithMemory(test, shape, threads);
  for (const MemoryCase &test : getMemoryCases())
    if (test.hasOddSizes && isWanted(test.name))
      for (auto [rows, columns] : {std::pair(far.rows - 1, columns - 1),
                                   {near.rows - 1, columns - 1},
                                   {near.rows + 3, columns + 3},
                                   {int64_t(65), int64_t(67)}})
        for (bool isDynamic : {false, true})
          bench.compareWithEven(test, {rows, columns, isDynamic}, 1);
  // Of these only exp has a figure that is asked for; the others' are what they were once.
  for (auto [function, nanoseconds] : {std::pair("exp %x", 2.0),
                                       {"expm1 %x", 4.0},
                                       {"log %x", 4.0},
                                       {"tanh %x", 4.0},
                                       {"erf %x", 4.0},
                                       {"sigmoid %x", 4.0},
                                       {"silu %x", 8.0},
                                       {"softplus %x", 8.0},
                                       {"sin %x", 10.0},
                                       {"gelu %x approximate = none", 8.0},
                                       {"gelu %x approximate = tanh", 8.0}})
    if (isWanted(function))
      bench.timeFunction(function, nanoseconds);
  if (isWanted("launch"))
    for (int threads : teams) {
      DispatchTimes times = timeDispatch(threads, rounds);
      // One thread: 100 ns above a call; several: 1.3 times a bare region.
      double most = threads == 1 ? (times.plain + 100) / times.plain : 1.3;
      print({"launch", "16 floats", threads, times.launch,
             threads == 1 ? "plain call" : "bare omp parallel", times.plain,
             times.launch / times.plain, most, "ns"});
    }
  return 0;
}
