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

static void describeDifference(const KernelDifference &found, const KernelReport &kernel, raw_ostream &os) {
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

struct Driver::KeptRun {
  func::FuncOp function; // in `located`
  KeptResults kept;
  llvm::DenseMap<Value, HostArray> ran; // by values of `function`
  std::vector<NamedArray> outputs;      // those of the program
  std::vector<HostArray> arguments;
};

FailureOr<Driver::KeptRun> Driver::runKept() {
  KeptRun run;
  run.function = located->lookupSymbol<func::FuncOp>(signature.function);
  run.kept = keepKernelResults(run.function);
  FailureOr<Signature> described = Signature::get(run.function);
  if (failed(described))
    return failure();
  OwningOpRef<ModuleOp> lowered = cast<ModuleOp>(located->getOperation()->clone());
  FailureOr<CompiledObjects> objects =
      compileProgram(*lowered, options.getLoweringOptions(),
                     progress.getCompilerOptions(*options.backend, options.getChip()));
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
  for (const KeptResults::Kept &value : run.kept.values)
    run.ran[value.value] = (*started)->getOutputs()[value.output].array;
  for (const NamedArray &output :
       (*started)->getOutputs().take_front(signature.results.size()))
    run.outputs.push_back({output.name, output.array});
  if (failed(makeArguments(run.function, run.arguments)))
    return failure();
  return run;
}

static std::vector<NamedArray> nameResults(const Signature &signature, ArrayRef<HostArray> arrays) {
  std::vector<NamedArray> results;
  for (auto [info, array] : llvm::zip(signature.results, arrays))
    results.push_back({info.name, array});
  return results;
}

/// Whether `results` are those of `wanted` within the tolerance.
static bool agree(ArrayRef<NamedArray> results, ArrayRef<NamedArray> wanted,
                  const RunOptions &options) {
  std::string unused;
  llvm::raw_string_ostream sink(unused);
  llvm::Error error = compareOutputs(results, wanted, options, "", sink);
  bool agrees = !error;
  llvm::consumeError(std::move(error));
  return agrees;
}

/// `wanted`: the outputs of the program as written, interpreted; `agrees`: whether the outputs were
/// those.
LogicalResult Driver::locate(ArrayRef<NamedArray> wanted, bool agrees) {
  FailureOr<KeptRun> run = runKept();
  if (failed(run))
    return failure();
  auto found = locateDifference(run->function, run->arguments, run->ran, [&](ElementType type) {
    return getTolerance(options, type);
  });
  if (failed(found))
    return failure();
  if (found->difference) {
    const KernelDifference &difference = *found->difference;
    std::string text;
    llvm::raw_string_ostream stream(text);
    describeDifference(difference, getFunctionReport().kernels[locatedKernels.lookup(difference.kernel)],
             stream);
    if (agrees || difference.isAlone)
      return fail(llvm::createStringError(text), difference.kernel);
    os << "locate: " << text << "\n";
    return success();
  }

  llvm::SmallPtrSet<Operation *, 16> kernels;
  for (const KeptResults::Kept &value : run->kept.values)
    kernels.insert(value.value.getDefiningOp());
  os << "locate: " << kernels.size() << (kernels.size() == 1 ? " kernel agrees" : " kernels agree")
     << " with the interpreter";
  if (run->kept.nestedKernels)
    os << "; not looked at inside control flow: " << run->kept.nestedKernels;
  if (run->kept.silentKernels)
    os << "; not looked at, since only buffers are written: " << run->kept.silentKernels;
  os << "\n";
  if (agrees)
    return success();
  // The fault is none of a kernel's: is it in the plan, or in what kernels share?
  bool isPlan = !agree(nameResults(signature, found->results),
                       wanted.take_front(signature.results.size()), options);
  os << (isPlan ? "locate: the plan itself, interpreted, differs from the program as written\n"
                : "locate: the outputs differ all the same: look at what was not looked at, or at "
                  "how values share memory, which this run changed\n");
  return success();
}

/// The largest errors of kernels after each quarter of them.
static std::string describeGrowth(ArrayRef<double> errors) {
  constexpr size_t kParts = 4;
  SmallVector<std::string> texts;
  for (size_t part = 0; part < kParts; ++part) {
    ArrayRef<double> of = errors.slice(errors.size() * part / kParts,
                                       errors.size() * (part + 1) / kParts -
                                           errors.size() * part / kParts);
    std::string text;
    if (!of.empty()) {
      llvm::raw_string_ostream(text) << llvm::format("%.2g", *llvm::max_element(of));
      texts.push_back(text);
    }
  }
  return llvm::join(texts, ", ");
}

LogicalResult Driver::excuse(ArrayRef<NamedArray> wanted, llvm::Error error) {
  // Buffers that the program writes are no kernel's results.
  bool writes = llvm::any_of(signature.inputs, [](const ValueInfo &info) { return info.isMemref; });
  if (!session || !located || writes)
    return fail(std::move(error));
  std::string text = llvm::toString(std::move(error));
  FailureOr<KeptRun> run = runKept();
  if (failed(run))
    return fail(llvm::createStringError(text));
  if (run->kept.nestedKernels || run->kept.silentKernels)
    return fail(llvm::createStringError(text));
  auto errors = measureKernelErrors(run->function, run->arguments, run->ran, [&](ElementType type) {
    return getTolerance(options, type);
  });
  if (failed(errors))
    return fail(llvm::createStringError(text));
  if (errors->difference) {
    const KernelDifference &difference = *errors->difference;
    llvm::raw_string_ostream stream(text);
    stream << "; ";
    describeDifference(difference, getFunctionReport().kernels[locatedKernels.lookup(difference.kernel)],
             stream);
    return fail(llvm::createStringError(text), difference.kernel);
  }
  // What lies between kernels, what they share, and the plan are right, too.
  const char *fault = nullptr;
  if (!agree(run->outputs, outputs, options))
    fault = "; each kernel is right on the operands it was given where no memory is shared, which "
            "changes the outputs";
  else if (!agree(run->outputs, nameResults(signature, errors->resultsOfRan), options))
    fault = "; each kernel is right on the operands it was given, but not what is between them";
  else if (!agree(nameResults(signature, errors->results), wanted, options))
    fault = "; each kernel is right on the operands it was given: the plan itself, interpreted, "
            "differs from the program as written";
  if (fault)
    return fail(llvm::createStringError(text + fault));
  os << "check: " << text << "; each kernel is right on the operands it was given";
  if (!errors->alone.empty()) // kernels with float results
    os << "; the errors grow along the network: in parts of the root mean square at most "
       << llvm::format("%.2g", *llvm::max_element(errors->alone)) << " in one kernel, "
       << describeGrowth(errors->grown) << " by the end of each quarter of them";
  os << "\n";
  return success();
}
