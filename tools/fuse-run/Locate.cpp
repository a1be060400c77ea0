//===- Locate.cpp - Which kernel computed something else ------------------------ ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Locate.h"
#include "Arrays.h"
#include "Driver.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

void Driver::keepPlanned() {
  IRMapping mapping;
  located = cast<ModuleOp>(planned->getOperation()->clone(mapping));
  for (auto [place, kernel] : llvm::enumerate(getFunctionReport().kernels))
    locatedKernels[mapping.lookup(kernel.op)] = place;
}

static std::string describeTolerance(Tolerance tolerance) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("rtol %g, atol %g", tolerance.rtol,
                                                 tolerance.atol);
  return text;
}

static void describe(const KernelDifference &found, const KernelReport &kernel, raw_ostream &os) {
  const Comparison &comparison = found.comparison;
  auto type = cast<RankedTensorType>(found.kernel->getResult(found.result).getType());
  os << "kernel " << kernel.id << " '" << kernel.name << "' (" << kernel.label << ": "
     << llvm::join(kernel.ops, ", ") << ") is the first to differ from the interpreter: result "
     << found.result << " of type " << type << ": " << comparison.wrong << " of "
     << comparison.elements << " elements are beyond " << describeTolerance(found.tolerance)
     << "; largest error " << llvm::format("%.3g", comparison.largestError);
  if (comparison.worst >= 0)
    os << " at " << formatIndex(comparison.worst, found.shape);
  os << llvm::format(", expected %.9g, found %.9g", comparison.want, comparison.got);
  os << (found.isAlone ? "; so it does on the operands that it was given"
                       : "; on the operands that it was given it agrees: small differences of "
                         "earlier kernels have grown");
}

/// Compiles and runs the planned program once more with all kernels' results as outputs. `wanted`:
/// the outputs of the program as written, interpreted; `agrees`: whether the outputs were those.
LogicalResult Driver::locate(ArrayRef<NamedArray> wanted, bool agrees) {
  auto function = located->lookupSymbol<func::FuncOp>(signature.function);
  KeptResults kept = keepKernelResults(function);
  FailureOr<Signature> described = Signature::get(function);
  if (failed(described))
    return failure();
  OwningOpRef<ModuleOp> lowered = cast<ModuleOp>(located->getOperation()->clone());
  FailureOr<CompiledObjects> objects =
      compileProgram(*lowered, options.getLoweringOptions(),
                     progress.getCompilerOptions(options.machine, options.getChip()));
  if (failed(objects))
    return failure();
  auto program = Program::load(std::move(*objects), *described);
  progress.clear();
  if (!program)
    return fail(program.takeError(), func);
  auto started = Session::create(*program, signature.function, options.threads);
  if (!started)
    return fail(started.takeError());
  if (llvm::Error error = (*started)->bind(inputs))
    return fail(std::move(error), func);
  if (llvm::Error error = (*started)->run())
    return fail(std::move(error), func);
  llvm::DenseMap<Value, HostArray> ran;
  for (const KeptResults::Kept &value : kept.values)
    ran[value.value] = (*started)->getOutputs()[value.output].array;

  std::vector<HostArray> arguments;
  if (failed(makeArguments(function, arguments)))
    return failure();
  auto found = locateDifference(function, arguments, ran,
                                [&](ElementType type) { return getTolerance(options, type); });
  if (failed(found))
    return failure();
  if (found->difference) {
    const KernelDifference &difference = *found->difference;
    std::string text;
    llvm::raw_string_ostream stream(text);
    describe(difference, getFunctionReport().kernels[locatedKernels.lookup(difference.kernel)],
             stream);
    return fail(llvm::createStringError(text), difference.kernel);
  }

  llvm::SmallPtrSet<Operation *, 16> kernels;
  for (const KeptResults::Kept &value : kept.values)
    kernels.insert(value.value.getDefiningOp());
  os << "locate: " << kernels.size() << (kernels.size() == 1 ? " kernel agrees" : " kernels agree")
     << " with the interpreter";
  if (kept.nestedKernels)
    os << "; not looked at inside control flow: " << kept.nestedKernels;
  if (kept.silentKernels)
    os << "; not looked at, since only buffers are written: " << kept.silentKernels;
  os << "\n";
  if (agrees)
    return success();
  // The fault is none of a kernel's: is it in the plan, or in what kernels share?
  std::vector<NamedArray> results;
  for (auto [info, array] : llvm::zip(signature.results, found->results))
    results.push_back({info.name, array});
  std::string unused;
  llvm::raw_string_ostream sink(unused);
  ArrayRef<NamedArray> wantedResults = wanted.take_front(signature.results.size());
  llvm::Error planned = compareOutputs(results, wantedResults, options, "", sink);
  bool isPlan = static_cast<bool>(planned);
  llvm::consumeError(std::move(planned));
  os << (isPlan ? "locate: the plan itself, interpreted, differs from the program as written\n"
                : "locate: the outputs differ all the same: look at what was not looked at, or at "
                  "how values share memory, which this run changed\n");
  return success();
}
