//===- CompileWeighted.h - A program with its weights, compiled ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The way from a program to what a bundle holds, which is written to files (writeBundle) or opened
// in this process (MemoryBundle.h):
//
//   loadProgram -> takeWeights -> fixWeightShapes -> compileWeighted
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_COMPILEWEIGHTED_H
#define FUSE_DRIVER_COMPILEWEIGHTED_H

#include "fuse/Driver/PlanFunction.h"
#include "fuse/Driver/Reports.h"
#include "fuse/Execution/Bundle.h"
#include "fuse/Import/Onnx.h"
#include "fuse/Report/Graph.h"

namespace mlir::fuse {

/// A program with the arrays of its parameters.
struct WeightedProgram {
  OwningOpRef<ModuleOp> module;
  func::FuncOp function; ///< to be compiled
  Signature signature;   ///< inputs marked as parameters are those in `weights`
  std::vector<NamedArray> weights;
  std::vector<ModelNode> nodes; ///< of a model
};

/// Gives parameters whose type leaves extents open those of their arrays, and updates the
/// signature. Diagnostics on failure.
LogicalResult fixWeightShapes(WeightedProgram &program);

/// What compileWeighted makes beside code, for whoever shows it.
struct ProgramTexts {
  std::vector<FunctionGraph> graphs; ///< of the report's functions
  std::string listing;               ///< which node went to which kernel
  std::string dot;                   ///< the same as a graph for Graphviz
};

struct CompiledProgram {
  /// The code for each CPU that it is wanted for, the one with most instructions first.
  std::vector<BundleVariant> variants;
  /// Without the report.
  BundleContents contents;
  Report report;
};

struct CompileSteps {
  /// Objects are compiled with these options; their backend and chip are those of the program's
  /// options.
  ObjectCompilerOptions compiler;
  /// Called once kernels are planned; failure ends the compilation, and says why itself.
  std::function<LogicalResult()> planned = [] { return success(); };
  /// Filled in where it is not null.
  ProgramTexts *texts = nullptr;
};

/// Plans a program and compiles it for each CPU of `options`. Diagnostics on failure.
FailureOr<CompiledProgram> compileWeighted(const WeightedProgram &program,
                                           const PlanningOptions &options,
                                           const CompileSteps &steps);

/// The report as bundles hold it.
std::string formatReport(const Report &report);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_COMPILEWEIGHTED_H
