//===- Check.cpp - A program planned, formed, compiled, and compared ----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Checker.h"

#include "../differential/Bounds.h"

#include "fuse/Execution/Compare.h"
#include "fuse/Execution/Compile.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/Preparation.h"
#include "fuse/Interpreter/Interpreter.h"
#include "fuse/Pipelines/Passes.h"
#include "fuse/Target/Targets.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

static std::string describe(const HostArray &got, const HostArray &want, int64_t at) {
  std::string text;
  llvm::raw_string_ostream(text) << "element " << formatIndex(at, want.getShape()) << " of "
                                 << want.describe() << ": got "
                                 << llvm::format("%.17g", got.getFloat(at)) << ", want "
                                 << llvm::format("%.17g", want.getFloat(at));
  return text;
}

std::string Checker::compareEqual(const char *phase, size_t i, const HostArray &got,
                                  const HostArray &want) {
  std::string name = std::string(phase) + ": output " + std::to_string(i) + ": ";
  if (got.getShape() != want.getShape())
    return name + "got " + got.describe() + ", want " + want.describe();
  int64_t at;
  if (!differential::isIdentical(got, want, at))
    return name + describe(got, want, at);
  return "";
}

std::string Checker::compareClose(const char *phase, ArrayRef<HostArray> got,
                                  ArrayRef<HostArray> want) {
  for (size_t i = 0; i < want.size(); ++i) {
    double room = 2 * getOutput(i).range.error;
    if (!std::isfinite(room)) // what an empty row makes
      continue;
    if (room == 0) {
      if (std::string error = compareEqual(phase, i, got[i], want[i]); !error.empty())
        return error;
      continue;
    }
    std::string name = std::string(phase) + ": output " + std::to_string(i) + ": ";
    if (got[i].getShape() != want[i].getShape())
      return name + "got " + got[i].describe() + ", want " + want[i].describe();
    for (int64_t at = 0; at < want[i].getNumElements(); ++at) {
      double g = got[i].getFloat(at), w = want[i].getFloat(at);
      if (g == w || (std::isnan(g) && std::isnan(w)) || std::fabs(g - w) <= room)
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << ", error allowed " << llvm::format("%.3g", room);
      return name + describe(got[i], want[i], at) + text;
    }
  }
  return "";
}

std::string Checker::compareAll(const char *phase, ArrayRef<HostArray> got, ArrayRef<HostArray> want) {
  for (size_t i = 0; i < want.size(); ++i)
    if (std::string error = compareEqual(phase, i, got[i], want[i]); !error.empty())
      return error;
  return "";
}

std::string Checker::evaluate(ModuleOp program, std::vector<HostArray> &outputs, size_t call) {
  auto function = program.lookupSymbol<func::FuncOp>("main");
  std::vector<HostArray> arguments;
  std::vector<NamedArray> inputs = graph.makeInputs(call);
  for (const NamedArray &input : inputs)
    arguments.push_back(input.array);
  // What planning found to depend on parameters alone is computed before.
  FailureOr<func::FuncOp> prepare = getPreparation(function);
  if (failed(prepare))
    return fail("preparation");
  if (*prepare) {
    std::vector<HostArray> parameters;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (function.getArgAttr(i, attr::kParam))
        parameters.push_back(inputs[i].array);
    auto prepared = interpret(*prepare, parameters);
    if (failed(prepared))
      return fail("preparation");
    for (const HostArray &array : *prepared)
      arguments.push_back(array);
  }
  auto results = interpret(function, arguments);
  if (failed(results))
    return fail("interpreter");
  for (const HostArray &result : *results)
    outputs.push_back(result);
  for (auto [node, argument] : llvm::zip_first(graph.getArguments(), arguments))
    if (graph.nodes[node].isMemref)
      outputs.push_back(argument);
  return "";
}

std::string Checker::parse(OwningOpRef<ModuleOp> &parsed, std::optional<size_t> call) {
  parsed = parseSourceString<ModuleOp>(graph.print("main", call), ParserConfig(&context));
  if (!parsed)
    return fail(call ? "parse of one size" : "parse");
  if (machine.hasDevice()) {
    // The larger shared memory of the second takes larger tiles, which other extents leave a part of.
    StringRef chip = graph.nodes.size() % 2 ? "sm_80" : "sm_90";
    auto target = lookupTarget(&context, chip, [&] { return parsed->emitError(); });
    if (failed(target))
      return fail("target");
    (*parsed)->setAttr(attr::kTarget, *target);
  }
  return "";
}

std::string Checker::planModule(ModuleOp program, bool isFused, ArrayRef<VariantSizes> variants) {
  CompileOptions planning;
  planning.variants = llvm::to_vector(variants);
  planning.fusion = isFused;
  planning.numerics = getNumerics();
  planning.backend = &machine;
  return succeeded(planProgram(program, planning)) ? "" : fail(isFused ? "plan" : "plan unfused");
}

std::string Checker::plan(Outcome &outcome) {
  if (std::string error = parse(module); !error.empty())
    return error;
  planned = module->clone();
  if (std::string error = planModule(*planned, /*isFused=*/true); !error.empty())
    return error;
  report = computeFunctionReport(planned->lookupSymbol<func::FuncOp>("main"));
  outcome.kernelsBefore = report.originalKernels;
  outcome.kernelsAfter = report.fusedKernels;
  if (graph.numCalls > 1)
    return "";
  if (std::string error = evaluate(*module, wanted); !error.empty())
    return error;
  std::vector<HostArray> got;
  if (std::string error = evaluate(*planned, got); !error.empty())
    return "planned " + error;
  return compareAll("planned", got, wanted);
}

std::string Checker::checkSchedules() {
  PassManager passes(&context);
  FuseCheckPlanOptions options;
  options.stream = true;
  options.gpu = machine.hasDevice();
  passes.addPass(createFuseCheckPlan(options));
  return succeeded(passes.run(*planned)) ? "" : fail("schedules");
}

std::string Checker::compileModule(ModuleOp program, NativeProgram &native, const FunctionReport &kernels,
                                   bool countsBlocks) {
  if (std::string error = native.compile(program, machine, getNumerics(), hasAsyncCopies());
      !error.empty())
    return error + (diagnostics.empty() ? "" : ": " + diagnostics);
  return native.checkKernels(planned->lookupSymbol<func::FuncOp>("main"), kernels, countsBlocks);
}

std::string Checker::compile(Outcome &outcome) {
  std::vector<HostArray> outputs[2];
  for (bool isFused : {false, true}) {
    const char *mode = isFused ? "fused" : "unfused";
    OwningOpRef<ModuleOp> program;
    FunctionReport kernels = report;
    if (isFused) {
      program = planned->clone();
    } else {
      program = module->clone();
      if (std::string error = planModule(*program, /*isFused=*/false); !error.empty())
        return error;
      kernels = computeFunctionReport(program->lookupSymbol<func::FuncOp>("main"));
    }
    NativeProgram native;
    if (std::string error = compileModule(*program, native, kernels, isFused && graph.countsBlocks); !error.empty())
      return std::string(mode) + " " + error;
    if (std::string error = native.run(graph.makeInputs(), outputs[isFused]); !error.empty())
      return std::string(mode) + " run: " + error;
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    std::string error = compareEqual("fused and unfused differ", i, outputs[1][i], outputs[0][i]);
    if (!error.empty() && !getOutput(i).range.isReassociated)
      return error;
    ++outcome.outputs;
    outcome.reassociated += !error.empty();
  }
  if (std::string error = compareClose("unfused native", outputs[0], wanted); !error.empty())
    return error;
  return compareClose("native", outputs[1], wanted);
}

Outcome Checker::run(Depth depth) {
  Outcome outcome;
  outcome.error = plan(outcome);
  if (outcome.error.empty() && depth == Depth::Scheduled)
    outcome.error = checkSchedules();
  if (outcome.error.empty() && depth == Depth::Compiled)
    outcome.error = graph.numCalls > 1 ? checkCalls(outcome) : compile(outcome);
  return outcome;
}

Outcome mlir::fuse::random::check(MLIRContext &context, const Graph &graph, Depth depth,
                                  const Backend &machine) {
  return Checker(context, graph, machine).run(depth);
}
