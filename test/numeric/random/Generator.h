//===- Generator.h - Random programs from a seed -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Numerically tame: every value's range is known, values beyond ±8 are scaled or limited, and what
// jumps (compare, floor, a cast to integers, argmax) reads only what native code computes exactly.
// So a comparison with the interpreter means something after any number of ops.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_GENERATOR_H
#define FUSE_TEST_NUMERIC_RANDOM_GENERATOR_H

#include "Graph.h"

namespace mlir::fuse::random {

struct GeneratorOptions {
  size_t fewestOps = 10, mostOps = 200;
  /// Two or three open dimensions, of five vectors of sizes.
  bool isOpen = false;
  /// Whether recurrences may have an open number of steps.
  bool hasOpenScans = true;
};

/// Depends on nothing but its arguments.
Graph generate(uint64_t seed, const GeneratorOptions &options);

class Generator {
public:
  Generator(Graph &graph, const GeneratorOptions &options);
  void run();

protected:
  // Building blocks; each returns a node, or −1 where there is none that fits.
  int add(ElementType type, Shape shape, Range range, const std::string &text,
          SmallVector<int, 3> operands);
  int addArgument(ElementType type, Shape shape, Range range);
  /// An argument that is often marked fuse.param.
  int addWeights(ElementType type, Shape shape, Range range);
  /// Columns of weights: like other extents, or many.
  int64_t getColumns();
  int addConstant(ElementType type, double value);
  template <typename Fn>
  int pick(Fn accepts);
  int pick();
  /// Of the same type, with a shape that broadcasts against `node` and gives the same shape.
  int pickPartner(int node);
  /// Brings a value back into the range where everything may be done with it.
  int tame(int node);
  int makeFloat(int node, ElementType type);
  /// The greatest and the least size that an extent has in a call.
  int64_t getExtent(int64_t extent) const;
  int64_t getLeast(int64_t extent) const;
  int64_t countElements(ArrayRef<int64_t> shape) const;
  // Open dimensions.
  void drawSymbols();
  int64_t addSymbol(Symbol symbol);
  /// An extent that is computed: `text` of s0, s1 …, which stand for `parts`.
  int64_t compute(Symbol::Kind kind, const std::string &text, ArrayRef<int64_t> parts,
                  llvm::function_ref<int64_t(ArrayRef<int64_t>)> evaluate);
  int64_t addExtents(int64_t a, int64_t b);
  int64_t shiftExtent(int64_t extent, int64_t by);
  int64_t multiplyExtents(int64_t a, int64_t b);
  const Symbol *getSymbol(int64_t extent) const { return extent < 0 ? &graph.symbols[-1 - extent] : nullptr; }
  /// Whether an op may ask of a call what `holds` says: all do, or, now and then, most. The others are refused.
  bool mayAsk(llvm::function_ref<bool(size_t)> holds);
  bool mayAskLeast(int64_t extent, int64_t least);
  /// The arguments that have an extent, or what it is computed from.
  void listCarriers(int64_t extent, SmallVectorImpl<int> &carriers) const;
  /// " sizes = [%n]", left out where sizes are known.
  std::string printSizes(ArrayRef<int64_t> shape) const;
  bool isStatic(ArrayRef<int64_t> shape) const;
  std::string typeOf(int node) const;
  std::string typesOf(ArrayRef<int> operands, ArrayRef<int64_t> shape, ElementType type) const;
  Shape makeShape(size_t rank);
  double getEpsilon(ElementType type) const;
  bool chance(int64_t oneIn) { return random.below(oneIn) == 0; }

  // Element-wise ops.
  void addUnary();
  void addBinary();
  void addConstantOperand();
  void addCompareSelect();
  void addClamp();
  void addCast();
  // Views and moves.
  void addReshape();
  bool mergeDims(Shape &shape);
  bool splitDim(Shape &shape);
  void addTranspose();
  void addSlice();
  void cutStatic(struct SlicedDim &dim);
  void cutOpen(struct SlicedDim &dim);
  void addBroadcast();
  void addConcat();
  void addPad();
  void addGather();
  void addIota();
  void addFromIndex();
  void addResize();
  void addCopy();
  // Reductions and what is made of them.
  void addReduce();
  void addArgReduce();
  void addMatmul();
  void addConv();
  int64_t countWindows(int64_t extent, int64_t kernel, int64_t stride, int64_t pad);
  void addPool();
  void addBatchNorm();
  void addSoftmax();
  void addLayerNorm();
  void addAttention();
  void addScan();
  // Memory.
  void addMemory();

  void chooseResults();

  Graph &graph;
  GeneratorOptions options;
  /// Calls that an op refuses.
  std::vector<bool> isRefused;
  Random random;
  size_t numOps;
  int64_t mostElements;
  ElementType mainType;
  SmallVector<ElementType> types;
  SmallVector<int64_t> extents;
  std::vector<bool> isUsed;
  SmallVector<int> buffers;
  double memoryError = 0;
  /// The only node that ops are put upon, where there is one.
  int focus = -1;
  /// Values beyond are scaled or limited.
  double mostMagnitude = 8;
};

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_GENERATOR_H
