//===- Case.h - One function of the differential test --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_DIFFERENTIAL_CASE_H
#define FUSE_TEST_NUMERIC_DIFFERENTIAL_CASE_H

#include "Bounds.h"
#include "Values.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace mlir::fuse::differential {

/// Extents; a negative one, −1 − n, is unknown when compiled and symbol n of the case when run.
using Shape = SmallVector<int64_t, 8>;

inline constexpr const char *kShapeClasses[] = {"rank0", "zero",      "1",  "7",      "17",
                                                "1000",  "broadcast", "8d", "dynamic"};

struct Argument {
  ElementType type;
  Shape shape;
  ValueRole role;
  bool isMemref = false;
  /// Weights: marked fuse.param.
  bool isParam = false;
};

/// One function, its arguments and what its results may differ by.
struct Case {
  std::string family, kind, type, shape;
  /// Distinguishes several cases of one cell; often empty.
  std::string variant;
  std::vector<Argument> arguments;
  std::string body;        // ops, one a line, on %a0, %a1, …
  std::vector<std::string> resultValues, resultTypes;
  Bound bound;
  /// Values for the symbols, one list for each run in turn.
  std::vector<Shape> extents = {{}};
  /// Sets that make no sense here, e.g. of a sum whose overflow depends on the order.
  unsigned skippedSets = 0;
  /// Also with every op as a kernel of its own.
  bool bothModes = false;
  /// Both modes give the same bits, and nothing is compared with the interpreter.
  bool onlyModes = false;
  /// A diagnostic that refuses the case counts as an answer: dynamic shapes of structured ops.
  bool mayRefuse = false;
  int threads = 1;

  /// "unary/exp/f32/17", with the variant at the end.
  std::string getId() const;
  /// The function's text under a name.
  std::string print(llvm::StringRef name) const;

  /// Adds an argument and gives its name.
  std::string argument(ElementType type, Shape shape, ValueRole role = {});
  /// Adds weights, marked fuse.param, and gives their name.
  std::string parameter(ElementType type, Shape shape, ValueRole role = {});
  /// Adds `%vN = text` and gives its name.
  std::string op(const llvm::Twine &text);
  void result(llvm::StringRef value, const llvm::Twine &type);

private:
  int numOps = 0;
};

/// "tensor<2x?xf32>".
std::string tensorType(ArrayRef<int64_t> shape, ElementType type);
/// "[1, 2]".
std::string printList(ArrayRef<int64_t> values);

/// The cases of each family, in order.
void addElementwiseCases(std::vector<Case> &cases);
void addReductionCases(std::vector<Case> &cases);
void addMovementCases(std::vector<Case> &cases);
void addContractionCases(std::vector<Case> &cases);
void addWindowCases(std::vector<Case> &cases);
/// Products and convolutions of weights, which the CPU lays out as it reads them.
void addWeightCases(std::vector<Case> &cases);
void addCompositeCases(std::vector<Case> &cases);
void addHostCases(std::vector<Case> &cases);
/// Random chains of element-wise ops.
void addChainCases(std::vector<Case> &cases, uint64_t seed);

} // namespace mlir::fuse::differential

#endif // FUSE_TEST_NUMERIC_DIFFERENTIAL_CASE_H
