//===- ScanOp.cpp - Recurrences: syntax, verifier, cost -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/TypeOf.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// [d1, …] of [T, d1, …].
RankedTensorType getElement(RankedTensorType sequence) {
  return RankedTensorType::get(sequence.getShape().drop_front(), sequence.getElementType());
}

} // namespace

void ScanOp::build(OpBuilder &builder, OperationState &state, TypeRange resultTypes,
                   ValueRange states, ValueRange sequences, ValueRange invariants, bool reverse) {
  state.addOperands(states);
  state.addOperands(sequences);
  state.addOperands(invariants);
  state.addTypes(resultTypes);
  Properties &properties = state.getOrAddProperties<Properties>();
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(states.size()),
                               static_cast<int32_t>(sequences.size()),
                               static_cast<int32_t>(invariants.size())},
             properties.operandSegmentSizes.begin());
  if (reverse)
    properties.reverse = builder.getUnitAttr();
  Block &block = state.addRegion()->emplaceBlock();
  for (Value value : states)
    block.addArgument(value.getType(), value.getLoc());
  for (Value value : sequences)
    block.addArgument(getElement(typeOf(value)), value.getLoc());
  for (Value value : invariants)
    block.addArgument(value.getType(), value.getLoc());
}

YieldOp ScanOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

int64_t ScanOp::getNumSteps() {
  int64_t steps = ShapedType::kDynamic;
  for (Value sequence : getSequences())
    if (!typeOf(sequence).isDynamicDim(0))
      steps = typeOf(sequence).getDimSize(0);
  return steps;
}

// The lists of assignments, `reverse`, `: (types) -> (types)`, attributes, the body.
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  int32_t segments[3] = {0, 0, 0};
  SMLoc loc = parser.getCurrentLocation();
  for (auto [keyword, segment] : llvm::zip(ArrayRef<StringRef>{"states", "over", "with"}, segments)) {
    if (failed(parser.parseOptionalKeyword(keyword)))
      continue;
    SmallVector<OpAsmParser::Argument> some;
    SmallVector<OpAsmParser::UnresolvedOperand> values;
    if (parser.parseAssignmentList(some, values))
      return failure();
    segment = values.size();
    llvm::append_range(arguments, some);
    llvm::append_range(operands, values);
  }
  Properties &properties = result.getOrAddProperties<Properties>();
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  if (succeeded(parser.parseOptionalKeyword("reverse")))
    properties.reverse = parser.getBuilder().getUnitAttr();
  FunctionType type;
  if (parser.parseColon() || parser.parseType(type))
    return failure();
  if (type.getNumInputs() != operands.size())
    return parser.emitError(loc) << "expected " << operands.size() << " operand types, found "
                                 << type.getNumInputs();
  for (auto [i, argument, input] : llvm::enumerate(arguments, type.getInputs())) {
    argument.type = input;
    bool isSequence = static_cast<int32_t>(i) >= segments[0] &&
                      static_cast<int32_t>(i) < segments[0] + segments[1];
    if (!isSequence)
      continue;
    auto sequence = dyn_cast<RankedTensorType>(input);
    if (!sequence || sequence.getRank() == 0)
      return parser.emitError(loc) << "expected a sequence of rank 1 or more, found " << input;
    argument.type = getElement(sequence);
  }
  if (parser.resolveOperands(operands, type.getInputs(), loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addTypes(type.getResults());
  return parser.parseRegion(*result.addRegion(), arguments);
}

void ScanOp::print(OpAsmPrinter &printer) {
  Block::BlockArgListType arguments = getBody().getArguments();
  auto printList = [&](StringRef keyword, OperandRange values) {
    if (values.empty())
      return;
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(llvm::zip(arguments, values), printer, [&](auto pair) {
      printer << std::get<0>(pair) << " = " << std::get<1>(pair);
    });
    printer << ')';
    arguments = arguments.drop_front(values.size());
  };
  printList("states", getStates());
  printList("over", getSequences());
  printList("with", getInvariants());
  if (getReverse())
    printer << " reverse";
  printer << " : ";
  printer.printFunctionalType(getOperandTypes(), getResultTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(),
                                           {"operandSegmentSizes", "reverse"});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult ScanOp::verifyRegions() {
  if (getSequences().empty())
    return emitOpError() << "expected at least one sequence, whose leading dimension is the steps";
  Block &block = getBody().front();
  SmallVector<Type> wanted(getStates().getTypes());
  int64_t steps = getNumSteps();
  for (Value sequence : getSequences()) {
    RankedTensorType type = typeOf(sequence);
    if (type.getRank() == 0)
      return emitOpError() << "expected a sequence of rank 1 or more, found " << type;
    if (!type.isDynamicDim(0) && type.getDimSize(0) != steps)
      return emitOpError() << "expected sequences of one length, found " << type.getDimSize(0)
                           << " and " << steps;
    wanted.push_back(getElement(type));
  }
  llvm::append_range(wanted, getInvariants().getTypes());
  if (block.getArgumentTypes() != TypeRange(wanted))
    return emitOpError() << "expected body arguments of types " << wanted << ", found "
                         << SmallVector<Type>(block.getArgumentTypes());
  if (block.empty() || !isa<YieldOp>(block.back()))
    return emitOpError() << "expected a body that ends with 'fuse.yield'";
  for (Operation &op : block.without_terminator()) {
    auto cost = dyn_cast<CostOpInterface>(op);
    bool isMember = isa<FuseDialect>(op.getDialect()) && cost && !cost.isHostSync() &&
                    isMemoryEffectFree(&op) && op.getNumRegions() == 0;
    if (!isMember && !op.hasTrait<OpTrait::ConstantLike>())
      return op.emitOpError() << "cannot be part of a scan: expected ops of fuse that compute "
                                 "tensors, and constants";
  }
  SmallVector<Type> results;
  for (auto [i, type] : llvm::enumerate(getYield().getOperandTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    if (i < getNumStates()) {
      if (tensor != getStates()[i].getType())
        return emitOpError() << "yields state #" << i << " as " << tensor << ", expected "
                             << getStates()[i].getType();
      results.push_back(tensor);
      continue;
    }
    SmallVector<int64_t> shape{steps};
    llvm::append_range(shape, tensor.getShape());
    results.push_back(RankedTensorType::get(shape, tensor.getElementType()));
  }
  if (getResultTypes() != TypeRange(results))
    return emitOpError() << "expected results of types " << results << ", found "
                         << SmallVector<Type>(getResultTypes());
  return success();
}

/// What all steps take, over the elements of all results.
int64_t ScanOp::getFlopsPerElement() {
  double step = 0, elements = 0;
  for (Operation &op : getBody().front()) {
    auto fusable = dyn_cast<FusableOpInterface>(op);
    auto cost = dyn_cast<CostOpInterface>(op);
    if (!fusable || !cost || cost.isMetadata())
      continue;
    double points = 1;
    for (int64_t extent : fusable.getStaticLoopRanges())
      points *= static_cast<double>(std::max<int64_t>(1, extent));
    step += points * static_cast<double>(cost.getFlopsPerElement());
  }
  for (Type type : getYield().getOperandTypes()) {
    double count = 1;
    for (int64_t extent : cast<RankedTensorType>(type).getShape())
      count *= static_cast<double>(ShapedType::isDynamic(extent) ? 1 : extent);
    elements += count;
  }
  return static_cast<int64_t>(std::min(step / std::max(1.0, elements) + 1, 1e15));
}
