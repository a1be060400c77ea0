//===- Interpreter.cpp - The reference evaluator -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Interpreter/Interpreter.h"
#include "Evaluator.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

/// Tensors do not change: those that share memory with a buffer become copies.
static Arrays detachTensors(TypeRange types, ArrayRef<HostArray> arrays) {
  llvm::SmallPtrSet<const char *, 4> buffers;
  for (auto [type, array] : llvm::zip(types, arrays))
    if (isa<MemRefType>(type))
      buffers.insert(array.getBytes());
  Arrays detached;
  for (auto [i, array] : llvm::enumerate(arrays)) {
    bool shared = i < types.size() && !isa<MemRefType>(types[i]) && array &&
                  buffers.contains(array.getBytes());
    detached.push_back(shared ? array.clone() : array);
  }
  return detached;
}

FailureOr<SmallVector<HostArray>> mlir::fuse::interpret(func::FuncOp function,
                                                        MutableArrayRef<HostArray> args,
                                                        const InterpreterOptions &options) {
  return Evaluator(options).callFunction(function,
                                         detachTensors(function.getArgumentTypes(), args));
}

std::string mlir::fuse::getKernelInputName(KernelOp kernel, unsigned index) {
  auto argument = dyn_cast<BlockArgument>(kernel.getInputs()[index]);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!function || !argument.getOwner()->isEntryBlock())
    return "input" + std::to_string(index);
  if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attr::kName))
    return name.str();
  return "arg" + std::to_string(argument.getArgNumber());
}

static LogicalResult checkInput(KernelOp kernel, unsigned index, const HostArray &array) {
  BlockArgument argument = kernel.getBlock()->getArgument(index);
  if (fits(array, argument.getType()))
    return success();
  InFlightDiagnostic error = kernel.emitOpError() << "input '" << getKernelInputName(kernel, index)
                                                  << "' (#" << index << ")";
  if (array)
    return error << " is expected to be " << describe(argument.getType()) << ", found "
                 << array.describe();
  error << " is missing";
  for (Operation &op : *kernel.getBlock())
    if (llvm::is_contained(op.getOperands(), argument)) {
      error << ": '" << op.getName() << "' reads it";
      error.attachNote(op.getLoc()) << "read here";
      break;
    }
  return error;
}

FailureOr<SmallVector<HostArray>> mlir::fuse::evaluateKernel(KernelOp kernel,
                                                             ArrayRef<HostArray> inputs,
                                                             const InterpreterOptions &options) {
  unsigned count = kernel.getInputs().size();
  if (inputs.size() > count)
    return kernel.emitOpError() << "expected " << count << " inputs, found " << inputs.size();
  for (unsigned i = 0; i < count; ++i)
    if (failed(checkInput(kernel, i, i < inputs.size() ? inputs[i] : HostArray())))
      return failure();
  Environment environment;
  return Evaluator(options).runBlock(*kernel.getBlock(),
                                     detachTensors(kernel.getInputs().getTypes(), inputs),
                                     environment);
}

FailureOr<SmallVector<HostArray>>
mlir::fuse::evaluateKernel(KernelOp kernel, const llvm::StringMap<HostArray> &inputs,
                           const InterpreterOptions &options) {
  Arrays arrays;
  llvm::StringMap<unsigned> names;
  for (unsigned i = 0, e = kernel.getInputs().size(); i < e; ++i) {
    std::string name = getKernelInputName(kernel, i);
    names[name] = i;
    arrays.push_back(inputs.lookup(name));
  }
  // In order, so that of several wrong names always the same one is reported.
  SmallVector<StringRef> unknown;
  for (const auto &entry : inputs)
    if (!names.contains(entry.getKey()))
      unknown.push_back(entry.getKey());
  if (!unknown.empty())
    return kernel.emitOpError() << "has no input '" << *llvm::min_element(unknown) << "'";
  return evaluateKernel(kernel, arrays, options);
}
