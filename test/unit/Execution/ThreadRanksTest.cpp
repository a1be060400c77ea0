//===- ThreadRanksTest.cpp - Programs for several processes on threads of one ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CompiledPrograms.h"
#include "fuse/Execution/Compare.h"
#include "fuse/Execution/ThreadRanks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::fuse;
using namespace mlir::fuse::test;

namespace {

/// A perceptron of two layers: the batch of 8 along axis 0, the 32 hidden features along axis 1.
std::string makePerceptron(int rows, int parts) {
  return llvm::formatv(R"(
    #x = #fuse.sharding<grid = [{0}, {1}], dims = [[0], []]>
    #columns = #fuse.sharding<grid = [{0}, {1}], dims = [[], [1]]>
    #rows = #fuse.sharding<grid = [{0}, {1}], dims = [[1], []]>
    func.func @main(%x: tensor<{2}x16xf32> {{fuse.sharding = #x}, %v: tensor<16x{3}xf32> {{fuse.param, fuse.sharding = #columns},
                    %w: tensor<{3}x12xf32> {{fuse.param, fuse.sharding = #rows}) -> (tensor<{2}x12xf32> {{fuse.sharding = #x}) {{
      %0 = fuse.matmul %x, %v : (tensor<{2}x16xf32>, tensor<16x{3}xf32>) -> tensor<{2}x{3}xf32>
      %1 = fuse.unary relu %0 : tensor<{2}x{3}xf32>
      %2 = fuse.matmul %1, %w : (tensor<{2}x{3}xf32>, tensor<{3}x12xf32>) -> tensor<{2}x12xf32>
      %3 = fuse.all_reduce sum %2 in <grid = [{0}, {1}], axes = [1]> : tensor<{2}x12xf32>
      %4 = fuse.unary tanh %3 : tensor<{2}x12xf32>
      return %4 : tensor<{2}x12xf32>
    })",
                       rows, parts, 8 / rows, 32 / parts)
      .str();
}

/// Runs once on threads, and compares with the interpreter and with `wanted`.
void expectOutputs(const Compiled &compiled, llvm::ArrayRef<NamedArray> wanted) {
  auto outputs = runRanks(compiled.program, compiled.function, compiled.inputs);
  ASSERT_TRUE(bool(outputs)) << llvm::toString(outputs.takeError());
  for (llvm::ArrayRef<NamedArray> reference : {llvm::ArrayRef(compiled.expected), wanted})
    for (auto [got, want] : llvm::zip_equal(*outputs, reference)) {
      Tolerance tolerance = getDefaultTolerance(want.array.getElementType());
      auto comparison = compareArrays(got.array, want.array, tolerance);
      ASSERT_TRUE(bool(comparison)) << llvm::toString(comparison.takeError());
      EXPECT_TRUE(comparison->fits()) << comparison->wrong << " elements differ";
    }
}

TEST(ThreadRanks, GiveWhatOneProcessGives) {
  Compiled one = compile(makePerceptron(1, 1));
  for (auto [rows, parts] : {std::pair(1, 2), {2, 1}, {2, 2}, {1, 4}, {4, 2}}) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(parts));
    expectOutputs(compile(makePerceptron(rows, parts)), one.expected);
  }
}

/// Each collective on the rows of 4 ranks; the outputs are the input again, or what the interpreter
/// says.
TEST(ThreadRanks, EveryCollective) {
  Compiled compiled = compile(R"(
    #rows = #fuse.sharding<grid = [4], dims = [[0], []]>
    func.func @main(%x: tensor<2x8xf32> {fuse.sharding = #rows})
        -> (tensor<2x8xf32> {fuse.sharding = #rows}, tensor<2x8xf32> {fuse.sharding = #rows},
            tensor<2x8xf32>, tensor<2x8xf32>) {
      %g = fuse.all_gather %x dimension = 0 in <grid = [4], axes = [0]> : tensor<2x8xf32> -> tensor<8x8xf32>
      %s = fuse.all_slice %g dimension = 0 in <grid = [4], axes = [0]> : tensor<8x8xf32> -> tensor<2x8xf32>
      %a = fuse.all_to_all %x split = 1 concat = 0 in <grid = [4], axes = [0]> : tensor<2x8xf32> -> tensor<8x2xf32>
      %b = fuse.all_to_all %a split = 0 concat = 1 in <grid = [4], axes = [0]> : tensor<8x2xf32> -> tensor<2x8xf32>
      %r = fuse.reduce_scatter sum %g dimension = 0 in <grid = [4], axes = [0]> : tensor<8x8xf32> -> tensor<2x8xf32>
      %m = fuse.all_reduce max %r in <grid = [4], axes = [0]> : tensor<2x8xf32>
      %f = fuse.broadcast_from %x root = 2 in <grid = [4], axes = [0]> : tensor<2x8xf32>
      return %s, %b, %m, %f : tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>
    })");
  expectOutputs(compiled, compiled.expected);
  const HostArray &input = compiled.inputs.front().array;
  for (const NamedArray &same : llvm::ArrayRef(compiled.expected).take_front(2))
    EXPECT_EQ(0, std::memcmp(same.array.getBytes(), input.getBytes(), input.getByteSize()));
  auto row = compiled.expected[3].array.data<float>();
  EXPECT_EQ(row.vec(), input.data<float>().slice(2 * 16, 16).vec());
}

/// A program of 4 ranks on as many machines: collectives of all kinds, among all ranks or among two, and ops that need some of
/// their results and not others.
std::string makeBranches(unsigned seed) {
  std::mt19937 random(seed);
  auto choose = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  std::string body;
  llvm::raw_string_ostream text(body);
  unsigned values = 0;
  const char *type = choose(3) == 0 ? "bf16" : "f32";
  auto shape = [&](int rows, int columns) { return llvm::formatv("tensor<{0}x{1}x{2}>", rows, columns, type).str(); };
  auto any = [&] { return llvm::formatv("%v{0}", choose(values)).str(); };
  std::string same = shape(8, 8);
  for (unsigned i = 0; i < 3; ++i)
    text << "%v" << values++ << " = fuse.unary tanh %x" << i << " : " << same << "\n";
  for (unsigned step = 0; step < 14; ++step) {
    static const char *const groups[] = {"<grid = [2, 2], axes = [0]>", "<grid = [2, 2], axes = [1]>", "<grid = [2, 2], axes = [0, 1]>"};
    unsigned group = choose(3);
    int size = group == 2 ? 4 : 2;
    std::string from = any(), to = llvm::formatv("%v{0}", values).str(), in = groups[group];
    switch (choose(9)) {
    case 0:
      text << to << " = fuse.all_reduce max " << from << " in " << in << " : " << same << "\n";
      break;
    case 1:
      text << "%t" << step << " = fuse.reduce_scatter sum " << from << " dimension = 1 in " << in << " : " << same << " -> "
           << shape(8, 8 / size) << "\n"
           << "%u" << step << " = fuse.unary tanh %t" << step << " : " << shape(8, 8 / size) << "\n"
           << to << " = fuse.all_gather %u" << step << " dimension = 1 in " << in << " : " << shape(8, 8 / size) << " -> "
           << same << "\n";
      break;
    case 2:
      text << "%t" << step << " = fuse.all_to_all " << from << " split = 1 concat = 0 in " << in << " : " << same << " -> "
           << shape(8 * size, 8 / size) << "\n"
           << to << " = fuse.all_to_all %t" << step << " split = 0 concat = 1 in " << in << " : " << shape(8 * size, 8 / size)
           << " -> " << same << "\n";
      break;
    case 3:
      text << to << " = fuse.broadcast_from " << from << " root = 1 in " << in << " : " << same << "\n";
      break;
    case 4:
    case 5:
      text << to << " = fuse.matmul " << from << ", " << any() << " : (" << same << ", " << same << ") -> " << same << "\n";
      break;
    default:
      text << to << " = fuse.binary sub " << from << ", " << any() << " : " << same << "\n";
    }
    ++values;
  }
  return llvm::formatv(R"(
    #rows = #fuse.sharding<grid = [2, 2], dims = [[0, 1], []]>
    module attributes {{fuse.target = #fuse.target<"cpu", cpu, {{ranks_per_node = 1.0, network_bw = 0.001, network_alpha_ns = 1000.0}>} {{
      func.func @main(%x0: {0} {{fuse.sharding = #rows}, %x1: {0} {{fuse.sharding = #rows}, %x2: {0} {{fuse.sharding = #rows})
          -> ({0} {{fuse.sharding = #rows}, {0} {{fuse.sharding = #rows}, {0} {{fuse.sharding = #rows}) {{
        {1}
        return %v{2}, %v{3}, %v{4} : {0}, {0}, {0}
      }
    })",
                       same, text.str(), values - 1, values - 2, values - 5)
      .str();
}

TEST(ThreadRanks, KernelsRunBesideCollectives) {
  for (unsigned seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Compiled compiled = compile(makeBranches(seed));
    expectOutputs(compiled, compiled.expected);
  }
}

TEST(ThreadRanks, AnErrorOfOneRankIsTheProgramsError) {
  Compiled compiled = compile(makePerceptron(1, 2));
  std::vector<NamedArray> inputs = compiled.inputs;
  inputs.front().array = HostArray(ElementType::F32, {8, 17});
  auto outputs = runRanks(compiled.program, compiled.function, inputs);
  EXPECT_EQ(llvm::toString(outputs.takeError()),
            "rank 0: input 'arg0': expected 8x16xf32, found 8x17xf32");
}


} // namespace
