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

FailureOr<LocatedDifference>
mlir::fuse::locateDifference(func::FuncOp function, ArrayRef<HostArray> args,
                             const llvm::DenseMap<Value, HostArray> &ran,
                             const std::function<Tolerance(ElementType)> &getTolerance) {
  LocatedDifference located;
  bool isFound = false;
  std::string mismatch;
  auto compare = [&](KernelOp kernel, ArrayRef<HostArray> wanted,
                     KernelDifference &difference) -> bool {
    for (auto [i, want] : llvm::enumerate(wanted)) {
      auto got = ran.find(kernel->getResult(i));
      if (got == ran.end())
        continue;
      Tolerance tolerance = getTolerance(want.getElementType());
      auto comparison = compareArrays(got->second, want, tolerance);
      if (!comparison) {
        mismatch = llvm::toString(comparison.takeError());
        kernel.emitError() << "result " << i << ": " << mismatch;
        return true;
      }
      if (!comparison->fits()) {
        difference = {kernel,
                      static_cast<unsigned>(i),
                      SmallVector<int64_t>(want.getShape()),
                      tolerance,
                      *comparison,
                      false};
        return true;
      }
    }
    return false;
  };

  // First with the interpreter's own values.
  KernelDifference difference;
  InterpreterOptions options;
  options.onKernel = [&](KernelOp kernel, MutableArrayRef<HostArray> results) {
    isFound = compare(kernel, results, difference);
    return failure(isFound);
  };
  SmallVector<HostArray> copies = copyBuffers(function, args);
  auto results = interpret(function, copies, options);
  if (!isFound) {
    if (failed(results))
      return failure();
    located.results = std::move(*results);
    return located;
  }
  if (!mismatch.empty())
    return failure();

  // Then with what ran: each kernel is asked for the operands that it had.
  KernelDifference alone;
  options.onKernel = [&](KernelOp kernel, MutableArrayRef<HostArray> results) {
    if (kernel == difference.kernel) {
      difference.isAlone = compare(kernel, results, alone);
      return failure();
    }
    for (auto [value, array] : llvm::zip_equal(kernel->getResults(), results))
      if (auto got = ran.find(value); got != ran.end())
        array = got->second;
    return success();
  };
  copies = copyBuffers(function, args);
  (void)interpret(function, copies, options);
  located.difference = difference;
  return located;
}
