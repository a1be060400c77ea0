//===- CheckOpen.cpp - Programs with open dimensions, called with several sizes -----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Checker.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::random;

/// Compiled once, fused and unfused, and called with each vector of sizes.
std::string Checker::checkCalls(Outcome &outcome) {
  OwningOpRef<ModuleOp> programs[] = {module->clone(), planned->clone()};
  NativeProgram natives[2];
  for (bool isFused : {false, true}) {
    ModuleOp program = *programs[isFused];
    if (!isFused)
      if (std::string error = planModule(program, isFused); !error.empty())
        return "open " + error;
    FunctionReport kernels = computeFunctionReport(program.lookupSymbol<func::FuncOp>("main"));
    if (std::string error = compileModule(program, natives[isFused], kernels, /*countsBlocks=*/false); !error.empty())
      return (isFused ? "open fused " : "open unfused ") + error;
  }
  NativeProgram variants;
  if (std::string error = compileVariants(variants); !error.empty())
    return error;
  for (size_t call = 0; call < graph.numCalls; ++call)
    if (std::string error = checkCall(call, natives[true], natives[false], variants, outcome); !error.empty())
      return error + " (call " + std::to_string(call) + ")";
  return "";
}

/// Compiled with a variant for all sizes of a call, one for a size of another, and one for a range.
std::string Checker::compileVariants(NativeProgram &native) {
  std::vector<HostArray> results;
  SmallVector<size_t> calls; // that are none of sizes that the program refuses
  for (size_t call = 0; call < graph.numCalls; ++call)
    if (evaluate(*module, results, call).empty())
      calls.push_back(call);
  diagnostics.clear();
  auto getSizes = [&](size_t call) {
    VariantSizes sizes;
    for (auto [i, types] : llvm::enumerate(llvm::zip_equal(
             module->lookupSymbol<func::FuncOp>("main").getArgumentTypes(), graph.makeInputs(call)))) {
      auto &[type, input] = types;
      auto shaped = dyn_cast<ShapedType>(type);
      for (int64_t dim = 0; shaped && dim < shaped.getRank(); ++dim)
        if (int64_t size = input.array.getShape()[dim]; shaped.isDynamicDim(dim))
          sizes.push_back({"arg" + std::to_string(i) + ":" + std::to_string(dim), size, size, size});
    }
    return sizes;
  };
  SmallVector<VariantSizes> variants;
  if (!calls.empty())
    variants.push_back(getSizes(calls.back()));
  if (calls.size() > 1)
    variants.push_back(SmallVector<VariantSize>(ArrayRef(getSizes(calls[calls.size() / 2])).take_back(1)));
  if (!variants.empty() && !variants.back().empty()) {
    VariantSize range = variants.back().back();
    range.most += 3;
    range.likely += 1;
    variants.push_back({range});
  }
  llvm::erase_if(variants, [](const VariantSizes &sizes) { return sizes.empty(); });
  OwningOpRef<ModuleOp> program = module->clone();
  if (std::string error = planModule(*program, /*isFused=*/true, variants); !error.empty())
    return "variants " + error;
  if (std::string error = native.compile(*program, machine, getNumerics(), hasAsyncCopies());
      !error.empty())
    return "variants " + error + (diagnostics.empty() ? "" : ": " + diagnostics);
  return "";
}

/// Bit-equal, or, where an output depends on the order of a float sum, counted.
std::string Checker::compareOrders(const char *phase, ArrayRef<HostArray> got, ArrayRef<HostArray> want,
                                   Outcome &outcome) {
  for (size_t i = 0; i < want.size(); ++i) {
    std::string error = compareEqual(phase, i, got[i], want[i]);
    if (!error.empty() && (graph.isStrict || !getOutput(i).range.isReassociated))
      return error;
    ++outcome.outputs;
    outcome.reassociated += !error.empty();
  }
  return "";
}

/// What the interpreter refuses, programs must refuse. Other outputs are the same bits, fused, unfused, and compiled
/// for the sizes of the call alone.
std::string Checker::checkCall(size_t call, NativeProgram &fused, NativeProgram &unfused, NativeProgram &variants,
                               Outcome &outcome) {
  std::vector<HostArray> want, again, got[4];
  std::string refusal = evaluate(*module, want, call);
  diagnostics.clear();
  std::string errors[] = {fused.run(graph.makeInputs(call), got[0]), unfused.run(graph.makeInputs(call), got[1]),
                          variants.run(graph.makeInputs(call), got[3])};
  if (!refusal.empty()) {
    for (const std::string &error : errors)
      if (error.empty())
        return "not refused: " + refusal;
    ++outcome.refused;
    return "";
  }
  for (auto [what, error] : llvm::zip_equal(ArrayRef<const char *>{"fused", "unfused", "variants"}, errors))
    if (!error.empty())
      return std::string("open ") + what + " run: " + error;
  if (std::string error = evaluate(*planned, again, call); !error.empty())
    return "planned " + error;
  if (std::string error = compareAll("planned", again, want); !error.empty())
    return error;
  if (std::string error = compareOrders("open fused and unfused differ", got[0], got[1], outcome); !error.empty())
    return error;
  if (std::string error = compareOrders("open and variants differ", got[0], got[3], outcome); !error.empty())
    return error;
  if (std::string error = compareClose("variants native", got[3], want); !error.empty())
    return error;
  for (bool isFused : {true, false})
    if (std::string error = compareClose(isFused ? "open native" : "open unfused native", got[!isFused], want);
        !error.empty())
      return error;
  OwningOpRef<ModuleOp> known;
  if (std::string error = parse(known, call); !error.empty())
    return error;
  if (std::string error = planModule(*known, /*isFused=*/true); !error.empty())
    return "of one size " + error;
  FunctionReport kernels = computeFunctionReport(known->lookupSymbol<func::FuncOp>("main"));
  NativeProgram native;
  if (std::string error = compileModule(*known, native, kernels, /*countsBlocks=*/false); !error.empty())
    return "of one size " + error;
  if (std::string error = native.run(graph.makeInputs(call), got[2]); !error.empty())
    return "of one size run: " + error;
  if (std::string error = compareOrders("open and of one size differ", got[0], got[2], outcome); !error.empty())
    return error;
  return compareClose("native of one size", got[2], want);
}
