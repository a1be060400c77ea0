//===- IoCostPass.cpp - The pass fuse-io-cost -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Text.h"
#include "fuse/CostModel/IoCost.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Report/Passes.h"
#include "fuse/Target/TargetFile.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEIOCOST
#include "fuse/Report/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

Verdict toVerdict(bool fuses) { return fuses ? Verdict::Fuse : Verdict::Apart; }

IoCostAttr makeIoCost(TargetAttr target, const Profile &before, const Profile &after,
                      const Benefit &benefit, const IoPrice &price) {
  Builder builder(target.getContext());
  auto saved = BenefitAttr::get(target.getContext(), benefit.launchesSaved, benefit.syncPointsSaved,
                                benefit.hostReadbackBytesSaved, benefit.deviceTrafficBytesSaved);
  return IoCostAttr::get(target.getContext(), target.getName(), before.toAttr(target.getContext()),
                         after.toAttr(target.getContext()), saved,
                         builder.getF64FloatAttr(price.scoreNs), toVerdict(price.plainFuses),
                         builder.getF64FloatAttr(price.gatedScoreNs), toVerdict(price.gatedFuses));
}

void printVerdict(StringRef name, double scoreNs, bool fuses, raw_ostream &os) {
  os << "  " << name << ": score " << llvm::format("%.3f", scoreNs)
     << " ns: " << stringifyVerdict(toVerdict(fuses)) << "\n";
}

/// A function whose kernels are formed is what it is; any other one costs what its written ops do.
Profile computeVersionProfile(FunctionOpInterface function,
                              std::optional<ArrayRef<int64_t>> outputs) {
  bool isFormed = function->walk([](KernelOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return computeProfile(function, isFormed ? ProfileView::AsFormed : ProfileView::AsWritten,
                        outputs);
}

struct IoCostPass : fuse::impl::FuseIoCostBase<IoCostPass> {
  using FuseIoCostBase::FuseIoCostBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (before.empty() != after.empty()) {
      module.emitError() << "options 'before' and 'after' go together, found only '"
                         << (before.empty() ? "after" : "before") << "'";
      return signalPassFailure();
    }
    device = TargetAttr::lookup(module);
    if (!target.empty()) {
      auto found = resolveTarget(&getContext(), target, [&] { return module.emitError(); });
      if (failed(found))
        return signalPassFailure();
      device = *found;
    }
    if (failed(before.empty() ? priceFunctions() : priceVersions()))
      signalPassFailure();
  }

private:
  LogicalResult priceFunctions() {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      if (failed(checkOutputs(function)))
        return failure();
      std::string title = ("@" + function.getName()).str();
      price(function, title, computeWrittenProfile(function, getOutputs()),
            computeProfile(function, ProfileView::AsFormed, getOutputs()));
    }
    return success();
  }

  LogicalResult priceVersions() {
    FunctionOpInterface first = findFunction("before", before);
    FunctionOpInterface second = findFunction("after", after);
    if (!first || !second || failed(checkOutputs(first)) || failed(checkOutputs(second)))
      return failure();
    std::string title = ("@" + first.getName() + " to @" + second.getName()).str();
    price(second, title, computeVersionProfile(first, getOutputs()),
          computeVersionProfile(second, getOutputs()));
    return success();
  }

  FunctionOpInterface findFunction(StringRef option, StringRef name) {
    name.consume_front("@");
    Operation *symbol = SymbolTable::lookupSymbolIn(getOperation(), name);
    auto function = dyn_cast_or_null<FunctionOpInterface>(symbol);
    if (!function) {
      Operation *place = symbol ? symbol : getOperation();
      InFlightDiagnostic error = place->emitError();
      error << "option '" << option << "' expects a function, found ";
      if (symbol)
        error << "'" << symbol->getName() << "' @" << name;
      else
        error << "no symbol @" << name;
      return nullptr;
    }
    if (function.isExternal()) {
      function.emitError() << "option '" << option << "' expects a function with a body";
      return nullptr;
    }
    return function;
  }

  LogicalResult checkOutputs(FunctionOpInterface function) {
    int64_t results = function.getNumResults();
    for (int64_t output : outputs)
      if (output < 0 || output >= results)
        return function.emitError() << "option 'outputs' expects indices of the " << results
                                    << " results of this function, found " << output;
    return success();
  }

  std::optional<ArrayRef<int64_t>> getOutputs() const {
    if (outputs.empty())
      return std::nullopt;
    return ArrayRef<int64_t>(outputs);
  }

  void price(FunctionOpInterface function, StringRef title, const Profile &first,
             const Profile &second) {
    Benefit benefit = computeBenefit(first, second);
    IoFigures figures = getIoFigures(device);
    IoPrice price = computePrice(benefit, figures);
    function->setAttr(attr::kIoCost, makeIoCost(device, first, second, benefit, price));
    raw_ostream &os = llvm::outs();
    os << title << " on " << device.getName() << "\n";
    printProfile("before", first, os);
    printProfile("after", second, os);
    os << "  saved: launches " << benefit.launchesSaved << ", syncs " << benefit.syncPointsSaved
       << ", readback " << benefit.hostReadbackBytesSaved << " bytes, traffic "
       << benefit.deviceTrafficBytesSaved << " bytes; least gain "
       << llvm::format("%.3f", figures.minGainNs) << " ns\n";
    printVerdict("plain", price.scoreNs, price.plainFuses, os);
    printVerdict("gated", price.gatedScoreNs, price.gatedFuses, os);
  }

  TargetAttr device;
};

} // namespace
