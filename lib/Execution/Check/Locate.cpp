//===- Locate.cpp - Which kernel computed something else ------------------------ ===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Locate.h"

#include "fuse/IR/FuseDialect.h"
#include "fuse/Interpreter/Interpreter.h"

using namespace mlir;
using namespace mlir::fuse;

KeptResults mlir::fuse::keepKernelResults(func::FuncOp function) {
  KeptResults kept;
  if (!function.getBody().hasOneBlock()) {
    function.walk([&](KernelOp) { ++kept.nestedKernels; });
    return kept;
  }
  auto terminator = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  SmallVector<Value> returned(terminator.getOperands());
  function.walk([&](KernelOp kernel) {
    if (kernel->getParentOp() != function) {
      ++kept.nestedKernels;
      return;
    }
    bool isSilent = true;
    for (Value result : kernel->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || !toElementType(type.getElementType()))
        continue;
      isSilent = false;
      size_t output = llvm::find(returned, result) - returned.begin();
      if (output == returned.size())
        returned.push_back(result);
      kept.values.push_back({result, static_cast<unsigned>(output)});
    }
    kept.silentKernels += isSilent;
  });
  Builder builder(function.getContext());
  for (unsigned i = function.getNumResults(); i < returned.size(); ++i) {
    // No name of the program's has a blank in it by chance.
    auto name = builder.getStringAttr("kernel result " + Twine(i));
    (void)function.insertResult(i, returned[i].getType(),
                                builder.getDictionaryAttr(builder.getNamedAttr(attr::kName, name)));
  }
  terminator->setOperands(returned);
  return kept;
}

/// The interpreter writes to buffers.
static SmallVector<HostArray> copyBuffers(func::FuncOp function, ArrayRef<HostArray> args) {
  SmallVector<HostArray> copies(args);
  for (auto [type, array] : llvm::zip_equal(function.getArgumentTypes(), copies))
    if (isa<MemRefType>(type))
      array = array.clone();
  return copies;
}

namespace {
/// Compares what a kernel computed in a run with what the interpreter gives for it.
class KernelComparer {
public:
  KernelComparer(const llvm::DenseMap<Value, HostArray> &ran,
                 const std::function<Tolerance(ElementType)> &getTolerance)
      : ran(ran), getTolerance(getTolerance) {}

  /// The first result that differs; on failure there is a diagnostic.
  FailureOr<std::optional<KernelDifference>> compare(KernelOp kernel, ArrayRef<HostArray> wanted) {
    largest.reset();
    for (auto [i, want] : llvm::enumerate(wanted)) {
      auto got = ran.find(kernel->getResult(i));
      if (got == ran.end())
        continue;
      Tolerance tolerance = getTolerance(want.getElementType());
      auto comparison = compareArrays(got->second, want, tolerance);
      if (!comparison) {
        kernel.emitError() << "result " << i << ": " << llvm::toString(comparison.takeError());
        return failure();
      }
      if (!comparison->fits())
        return std::optional(KernelDifference{kernel, static_cast<unsigned>(i),
                                              SmallVector<int64_t>(want.getShape()), tolerance,
                                              *comparison, false});
      if (isFloatElement(want.getElementType()))
        largest = std::max(largest.value_or(0),
                           comparison->rms > 0 ? comparison->largestError / comparison->rms : 0);
    }
    return std::optional<KernelDifference>();
  }

  /// Replaces a kernel's results by those of the run.
  void replace(KernelOp kernel, MutableArrayRef<HostArray> results) const {
    for (auto [value, array] : llvm::zip_equal(kernel->getResults(), results))
      if (auto got = ran.find(value); got != ran.end())
        array = got->second;
  }

  /// Of the kernel compared last, as a part of the root mean square; none without float results.
  std::optional<double> getLargest() const { return largest; }

private:
  const llvm::DenseMap<Value, HostArray> &ran;
  const std::function<Tolerance(ElementType)> &getTolerance;
  std::optional<double> largest;
};
} // namespace

FailureOr<KernelErrors>
mlir::fuse::measureKernelErrors(func::FuncOp function, ArrayRef<HostArray> args,
                                const llvm::DenseMap<Value, HostArray> &ran,
                                const std::function<Tolerance(ElementType)> &getTolerance) {
  KernelErrors errors;
  KernelComparer comparer(ran, getTolerance);
  InterpreterOptions options;
  options.onKernel = [&](KernelOp kernel, MutableArrayRef<HostArray> results) -> LogicalResult {
    auto difference = comparer.compare(kernel, results);
    if (failed(difference))
      return failure();
    if (*difference) {
      errors.difference = **difference;
      errors.difference->isAlone = true;
      return failure();
    }
    if (std::optional<double> largest = comparer.getLargest())
      errors.alone.push_back(*largest);
    comparer.replace(kernel, results);
    return success();
  };
  auto ofRan = interpret(function, copyBuffers(function, args), options);
  if (errors.difference)
    return errors;
  if (failed(ofRan))
    return failure();
  errors.resultsOfRan = std::move(*ofRan);

  // Beyond a tolerance or not, what is wanted here is how far it is.
  std::function<Tolerance(ElementType)> any = [](ElementType) {
    return Tolerance{0, std::numeric_limits<double>::infinity()};
  };
  KernelComparer grown(ran, any);
  options.onKernel = [&](KernelOp kernel, MutableArrayRef<HostArray> results) -> LogicalResult {
    if (failed(grown.compare(kernel, results)))
      return failure();
    if (std::optional<double> largest = grown.getLargest())
      errors.grown.push_back(*largest);
    return success();
  };
  auto own = interpret(function, copyBuffers(function, args), options);
  if (failed(own))
    return failure();
  errors.results = std::move(*own);
  return errors;
}

FailureOr<LocatedDifference>
mlir::fuse::locateDifference(func::FuncOp function, ArrayRef<HostArray> args,
                             const llvm::DenseMap<Value, HostArray> &ran,
                             const std::function<Tolerance(ElementType)> &getTolerance) {
  LocatedDifference located;
  KernelComparer comparer(ran, getTolerance);

  // First with the interpreter's own values.
  InterpreterOptions options;
  options.onKernel = [&](KernelOp kernel, MutableArrayRef<HostArray> results) -> LogicalResult {
    auto difference = comparer.compare(kernel, results);
    if (failed(difference))
      return failure();
    located.difference = *difference;
    return failure(difference->has_value());
  };
  auto results = interpret(function, copyBuffers(function, args), options);
  if (!located.difference) {
    if (failed(results))
      return failure();
    located.results = std::move(*results);
    return located;
  }

  // Then with what ran: each kernel is asked for the operands that it had.
  options.onKernel = [&](KernelOp kernel, MutableArrayRef<HostArray> results) -> LogicalResult {
    if (kernel == located.difference->kernel) {
      auto alone = comparer.compare(kernel, results);
      located.difference->isAlone = succeeded(alone) && alone->has_value();
      return failure();
    }
    comparer.replace(kernel, results);
    return success();
  };
  (void)interpret(function, copyBuffers(function, args), options);
  return located;
}
