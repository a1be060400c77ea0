//===- Checker.h - The steps of a check ---------------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_CHECKER_H
#define FUSE_TEST_NUMERIC_RANDOM_CHECKER_H

#include "Check.h"
#include "Native.h"

#include "fuse/Report/Report.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::fuse::random {

class Checker {
public:
  Checker(MLIRContext &context, const Graph &graph, const Backend &machine)
      : graph(graph), context(context), machine(machine),
        handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            diagnostics += (diagnostics.empty() ? "" : "; ") + diagnostic.str();
          return success();
        }) {}

  Outcome run(Depth depth);

private:
  Numerics getNumerics() const { return graph.numCalls > 1 ? Numerics::Exact : Numerics::Reassociates; }
  /// On a GPU a fourth of the programs multiplies what passes registers.
  bool hasAsyncCopies() const { return graph.seed % 4 != 3; }
  /// Parses the program; with `call`, that of the call's sizes.
  std::string parse(OwningOpRef<ModuleOp> &parsed, std::optional<size_t> call = std::nullopt);
  std::string planModule(ModuleOp program, bool isFused, ArrayRef<VariantSizes> variants = {});
  std::string plan(Outcome &outcome);
  std::string checkSchedules();
  std::string compile(Outcome &outcome);
  std::string compileModule(ModuleOp program, NativeProgram &native, const FunctionReport &kernels, bool countsBlocks);
  /// Results, then buffers as they are afterwards.
  std::string evaluate(ModuleOp module, std::vector<HostArray> &outputs, size_t call = 0);
  std::string fail(const char *phase) {
    return std::string(phase) + ": " + (diagnostics.empty() ? "failed" : diagnostics);
  }
  /// The value that an output is.
  const Node &getOutput(size_t i) const {
    if (i < graph.results.size())
      return graph.nodes[graph.results[i]];
    size_t buffer = i - graph.results.size();
    for (int argument : graph.getArguments())
      if (graph.nodes[argument].isMemref && buffer-- == 0)
        return graph.nodes[argument];
    return graph.nodes.front();
  }
  std::string compareEqual(const char *phase, size_t i, const HostArray &got, const HostArray &want);
  std::string compareAll(const char *phase, ArrayRef<HostArray> got, ArrayRef<HostArray> want);
  std::string compareClose(const char *phase, ArrayRef<HostArray> got, ArrayRef<HostArray> want);

  // Programs with open dimensions (CheckOpen.cpp).
  std::string checkCalls(Outcome &outcome);
  std::string compareOrders(const char *phase, ArrayRef<HostArray> got, ArrayRef<HostArray> want, Outcome &outcome);
  std::string compileVariants(NativeProgram &native);
  std::string checkCall(size_t call, NativeProgram &fused, NativeProgram &unfused, NativeProgram &variants,
                        Outcome &outcome);

  const Graph &graph;
  MLIRContext &context;
  const Backend &machine;
  std::string diagnostics;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module, planned;
  FunctionReport report;
  std::vector<HostArray> wanted;
};

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_CHECKER_H
