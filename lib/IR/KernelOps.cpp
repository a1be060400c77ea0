//===- KernelOps.cpp - Kernels and their launches: syntax, verifiers, effects -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::fuse;

//===- kernel -------------------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, TypeRange resultTypes,
                     ValueRange inputs) {
  state.addOperands(inputs);
  state.addTypes(resultTypes);
  Region *region = state.addRegion();
  Block &block = region->emplaceBlock();
  for (Value input : inputs)
    block.addArgument(input.getType(), input.getLoc());
}

YieldOp KernelOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

// (%a = %x, …) : (types) -> (types) attributes {…} { … }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAssignmentList(arguments, operands) || parser.parseColon())
    return failure();
  FunctionType type;
  if (parser.parseType(type))
    return failure();
  if (type.getNumInputs() != operands.size())
    return parser.emitError(loc) << "expected " << operands.size()
                                 << " operand types, found " << type.getNumInputs();
  for (auto [argument, input] : llvm::zip(arguments, type.getInputs()))
    argument.type = input;
  if (parser.resolveOperands(operands, type.getInputs(), loc, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  state.addTypes(type.getResults());
  return parser.parseRegion(*state.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getInputs()), printer, [&](auto pair) {
    printer << std::get<0>(pair) << " = " << std::get<1>(pair);
  });
  printer << ") : ";
  printer.printFunctionalType(getInputs().getTypes(), getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "argument types differ from operand types";
  if (block.empty() || !isa<YieldOp>(block.back()))
    return emitOpError() << "expected to end with 'fuse.yield'";
  if (getYield().getOperandTypes() != getResultTypes())
    return emitOpError() << "yields other types than its results have";
  for (Operation &op : block) {
    if (isa<KernelOp>(op))
      return op.emitOpError() << "cannot be a member of a kernel";
    if (auto cost = dyn_cast<CostOpInterface>(op); cost && cost.isHostSync())
      return op.emitOpError() << "runs on the host and cannot be a member of a kernel";
  }
  return success();
}

//===- launch, launch_host ------------------------------------------------------------------===//

namespace {

/// Tensor outs are tied to results, in order; buffers have none.
LogicalResult verifyDestinations(Operation *op, ValueRange outs) {
  SmallVector<Type> tied;
  for (Value out : outs)
    if (isa<RankedTensorType>(out.getType()))
      tied.push_back(out.getType());
  if (llvm::equal(tied, op->getResultTypes()))
    return success();
  return op->emitOpError() << "expected one result for each tensor in outs, of its type";
}

template <typename OpT>
void addCallEffects(OpT op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isa<MemRefType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  for (OpOperand &operand : op.getDpsInitsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

} // namespace

LogicalResult LaunchOp::verify() { return verifyDestinations(*this, getOuts()); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto module = symbols.lookupNearestSymbolFrom<ModuleOp>(*this, getKernelAttr());
  if (!module)
    return emitOpError() << "'" << getKernel() << "' names no kernel module";
  return success();
}

void LaunchOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addCallEffects(*this, effects);
}

LogicalResult LaunchHostOp::verify() { return verifyDestinations(*this, getOuts()); }

void LaunchHostOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getPure())
    return addCallEffects(*this, effects);
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
