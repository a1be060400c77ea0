//===- contractions.cpp - Products and convolutions beside those of libraries ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Prints, per shape, the median time of a product with bias and relu, or of a convolution with bias
// and relu (of an image with its channels last), beside that of the faster of OpenBLAS (its product
// alone) and oneDNN (all of it, on the layouts that it wants), and the median over the rounds of
// the ratio to it; products of bf16 and of 8-bit integers alone. Behind each group stands the
// geometric mean of the ratios, with the sums of the times.
//
// usage: contractions [--rounds N] [--only TEXT] [--threads N] [--no-head]
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledKernel.h"
#include "Rounds.h"
#include "Table.h"
#include "libraries/Libraries.h"

#include "fuse/Runtime/Cpu.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using mlir::fuse::Numerics;
using namespace mlir::fuse::bench;

namespace {

const ProductShape products[] = {
    {256, 256, 256},  {512, 512, 512},   {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 4096, 4096},
    {8192, 256, 256}, {16384, 64, 1024}, {64, 4096, 1024},   {128, 3072, 768},   {128, 768, 3072},
    {16, 4096, 4096}, {777, 333, 555},   {1000, 1000, 1000}, {129, 1025, 257},   {2047, 2049, 1023},
};

// The distinct layers of ResNet-50 (v1.5), then those of MobileNetV2, at 224 x 224.
const ConvolutionShape resnet[] = {
    {3, 64, 224, 224, 7, 2, 3, 1},    {64, 64, 56, 56, 1, 1, 0, 1},
    {64, 64, 56, 56, 3, 1, 1, 1},     {64, 256, 56, 56, 1, 1, 0, 1},
    {256, 64, 56, 56, 1, 1, 0, 1},    {256, 128, 56, 56, 1, 1, 0, 1},
    {128, 128, 56, 56, 3, 2, 1, 1},   {128, 512, 28, 28, 1, 1, 0, 1},
    {256, 512, 56, 56, 1, 2, 0, 1},   {512, 128, 28, 28, 1, 1, 0, 1},
    {128, 128, 28, 28, 3, 1, 1, 1},   {512, 256, 28, 28, 1, 1, 0, 1},
    {256, 256, 28, 28, 3, 2, 1, 1},   {256, 1024, 14, 14, 1, 1, 0, 1},
    {512, 1024, 28, 28, 1, 2, 0, 1},  {1024, 256, 14, 14, 1, 1, 0, 1},
    {256, 256, 14, 14, 3, 1, 1, 1},   {1024, 512, 14, 14, 1, 1, 0, 1},
    {512, 512, 14, 14, 3, 2, 1, 1},   {512, 2048, 7, 7, 1, 1, 0, 1},
    {1024, 2048, 14, 14, 1, 2, 0, 1}, {2048, 512, 7, 7, 1, 1, 0, 1},
    {512, 512, 7, 7, 3, 1, 1, 1},
};
const ConvolutionShape mobilenet[] = {
    {3, 32, 224, 224, 3, 2, 1, 1},    {32, 32, 112, 112, 3, 1, 1, 32},
    {32, 16, 112, 112, 1, 1, 0, 1},   {16, 96, 112, 112, 1, 1, 0, 1},
    {96, 96, 112, 112, 3, 2, 1, 96},  {96, 24, 56, 56, 1, 1, 0, 1},
    {24, 144, 56, 56, 1, 1, 0, 1},    {144, 144, 56, 56, 3, 1, 1, 144},
    {144, 24, 56, 56, 1, 1, 0, 1},    {144, 144, 56, 56, 3, 2, 1, 144},
    {144, 32, 28, 28, 1, 1, 0, 1},    {32, 192, 28, 28, 1, 1, 0, 1},
    {192, 192, 28, 28, 3, 1, 1, 192}, {192, 32, 28, 28, 1, 1, 0, 1},
    {192, 192, 28, 28, 3, 2, 1, 192}, {192, 64, 14, 14, 1, 1, 0, 1},
    {64, 384, 14, 14, 1, 1, 0, 1},    {384, 384, 14, 14, 3, 1, 1, 384},
    {384, 64, 14, 14, 1, 1, 0, 1},    {384, 96, 14, 14, 1, 1, 0, 1},
    {96, 576, 14, 14, 1, 1, 0, 1},    {576, 576, 14, 14, 3, 1, 1, 576},
    {576, 96, 14, 14, 1, 1, 0, 1},    {576, 576, 14, 14, 3, 2, 1, 576},
    {576, 160, 7, 7, 1, 1, 0, 1},     {160, 960, 7, 7, 1, 1, 0, 1},
    {960, 960, 7, 7, 3, 1, 1, 960},   {960, 160, 7, 7, 1, 1, 0, 1},
    {960, 320, 7, 7, 1, 1, 0, 1},     {320, 1280, 7, 7, 1, 1, 0, 1},
};

std::string writeProduct(const ProductShape &shape) {
  return llvm::formatv(R"mlir(
func.func @main(%x: tensor<{0}x{2}xf32>, %w: tensor<{2}x{1}xf32> {{fuse.param}, %b: tensor<{1}xf32> {{fuse.param}) -> tensor<{0}x{1}xf32> {{
  %0 = fuse.matmul %x, %w : (tensor<{0}x{2}xf32>, tensor<{2}x{1}xf32>) -> tensor<{0}x{1}xf32>
  %1 = fuse.binary add %0, %b : (tensor<{0}x{1}xf32>, tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %2 = fuse.unary relu %1 : tensor<{0}x{1}xf32>
  return %2 : tensor<{0}x{1}xf32>
})mlir",
                       shape.rows, shape.columns, shape.inner);
}

const ProductShape shortProducts[] = {
    {1024, 1024, 1024}, {4096, 1024, 1024}, {128, 768, 3072}, {16, 4096, 4096}, {777, 333, 555},
};

std::string writeShortProduct(const ProductShape &shape, llvm::StringRef type,
                              llvm::StringRef result) {
  return llvm::formatv(R"mlir(
func.func @main(%x: tensor<{0}x{2}x{3}>, %w: tensor<{2}x{1}x{3}> {{fuse.param}) -> tensor<{0}x{1}x{4}> {{
  %0 = fuse.matmul %x, %w : (tensor<{0}x{2}x{3}>, tensor<{2}x{1}x{3}>) -> tensor<{0}x{1}x{4}>
  return %0 : tensor<{0}x{1}x{4}>
})mlir",
                       shape.rows, shape.columns, shape.inner, type, result);
}

std::string writeConvolution(const ConvolutionShape &shape) {
  std::string in =
      llvm::formatv("tensor<1x{0}x{1}x{2}xf32>", shape.height, shape.width, shape.inputs);
  std::string weights = llvm::formatv("tensor<{0}x{0}x{1}x{2}xf32>", shape.window,
                                      shape.inputs / shape.groups, shape.outputs);
  std::string out = llvm::formatv("tensor<1x{0}x{1}x{2}xf32>", shape.getOutHeight(),
                                  shape.getOutWidth(), shape.outputs);
  std::string bias = llvm::formatv("tensor<{0}xf32>", shape.outputs);
  return llvm::formatv(R"mlir(
func.func @main(%x: {0}, %w: {1} {{fuse.param}, %b: {3} {{fuse.param}) -> {2} {{
  %0 = fuse.conv2d %x, %w strides = [{4}, {4}] dilations = [1, 1] padding = [{5}, {5}, {5}, {5}] groups = {6} layout = nhwc_hwcf : ({0}, {1}) -> {2}
  %1 = fuse.binary add %0, %b : ({2}, {3}) -> {2}
  %2 = fuse.unary relu %1 : {2}
  return %2 : {2}
})mlir",
                       in, weights, out, bias, shape.stride, shape.padding, shape.groups);
}

/// Shapes of one kind; `wanted` is the highest ratio of each.
class Group {
public:
  Group(std::string name, double wanted, int rounds, int threads)
      : name(std::move(name)), wanted(wanted), rounds(rounds), threads(threads) {}

  void add(const std::string &shape, const std::string &source, std::vector<Contender> libraries,
           Numerics numerics = Numerics::Reassociates) {
    CompiledKernel kernel(source, threads, {}, "", numerics);
    std::vector<Contender> all = {{"fuse", [&] { kernel.run(); }}};
    for (Contender &library : libraries)
      all.push_back(std::move(library));
    timeRounds(all, rounds);
    const Contender *best = &all[1];
    for (const Contender &contender : llvm::drop_begin(all))
      if (getMedianRatio(all.front(), contender) > getMedianRatio(all.front(), *best))
        best = &contender;
    double ratio = getMedianRatio(all.front(), *best);
    print({name, shape, threads, all.front().getMedian(), best->name, best->getMedian(), ratio,
           wanted});
    logs += std::log(ratio);
    time += all.front().getMedian();
    bestTime += best->getMedian();
    ++count;
  }

  void end() {
    if (count)
      print({name, "geometric mean of " + std::to_string(count), threads, time,
             "the faster library", bestTime, std::exp(logs / count), 1.0});
  }

private:
  std::string name;
  double wanted;
  int rounds, threads;
  double logs = 0, time = 0, bestTime = 0;
  int count = 0;
};

struct Options {
  int rounds = 20, threads = 1;
  llvm::StringRef only;
  bool hasHead = true;
};

/// Products of short numbers; of bf16 with the rounding that the library's have.
void runShortProducts(ShortType type, const Options &options) {
  bool isInteger = type == ShortType::I8;
  std::string title = isInteger ? "product of i8" : "product of bf16";
  Group group(title, 1.05, options.rounds, options.threads);
  for (const ProductShape &shape : shortProducts)
    if (llvm::StringRef(title + " " + shape.describe()).contains(options.only))
      group.add(shape.describe(),
                writeShortProduct(shape, isInteger ? "i8" : "bf16", isInteger ? "i32" : "f32"),
                {{"oneDNN", makeDnnlShortProduct(shape, type)}}, Numerics::ReducedPrecision);
  group.end();
}

void runConvolutions(const std::string &title, llvm::ArrayRef<ConvolutionShape> shapes,
                     const Options &options) {
  Group group(title, 1.2, options.rounds, options.threads);
  for (const ConvolutionShape &shape : shapes) {
    std::string name = shape.describe();
    if (llvm::StringRef(title + " " + name).contains(options.only))
      group.add(name, writeConvolution(shape), {{"oneDNN", makeDnnlConvolution(shape)}});
  }
  group.end();
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef option(argv[i]);
    if (option == "--no-head") {
      options.hasHead = false;
      continue;
    }
    llvm::StringRef value(++i < argc ? argv[i] : "");
    if (option == "--only")
      options.only = value;
    else if (option == "--rounds"
                 ? value.getAsInteger(10, options.rounds)
                 : option != "--threads" || value.getAsInteger(10, options.threads))
      return false;
  }
  return options.rounds > 0 && options.threads > 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    llvm::errs() << "usage: contractions [--rounds N] [--only TEXT] [--threads N] [--no-head]\n";
    return 2;
  }
  if (options.hasHead) {
    llvm::outs() << "cpu: " << fuse_cpu_name() << ", medians of " << options.rounds
                 << "; * is above what is wanted\n";
    printHeader();
  }
  setLibraryThreads(options.threads);
  Group group("product, bias, relu", 1.05, options.rounds, options.threads);
  for (const ProductShape &shape : products)
    if (llvm::StringRef("product " + shape.describe()).contains(options.only))
      group.add(shape.describe(), writeProduct(shape),
                {{"OpenBLAS", makeBlasProduct(shape)}, {"oneDNN", makeDnnlProduct(shape)}});
  group.end();
  runShortProducts(ShortType::BF16, options);
  runShortProducts(ShortType::I8, options);
  runConvolutions("ResNet-50, layer", resnet, options);
  runConvolutions("MobileNetV2, layer", mobilenet, options);
  return 0;
}
