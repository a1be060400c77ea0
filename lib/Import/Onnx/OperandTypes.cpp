//===- OperandTypes.cpp - Which operands are of one type -------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// ONNX wants the operands of most operators to be of one type, and so does the dialect. Exporters
// keep biases and scales in f32 beside f16 and bf16 nevertheless, and PyTorch runs such models:
// what goes on is of the type of the data, so those are converted to it. Anything else is an error
// in the words of the model.
//
//===----------------------------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "fuse/Support/ElementType.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::onnx;

void mlir::fuse::onnx::addOperandTypes(OpTable &table) {
  auto set = [&](std::initializer_list<StringRef> ops, OperandTypes types) {
    for (StringRef op : ops)
      table.setTypes(op, types);
  };
  constexpr uint64_t kAll = ~uint64_t(0);
  set({"Add", "Sub", "Mul", "Div"}, {kAll, 0, /*convertsConstants=*/true});
  set({"Max", "Min", "Sum", "Mean", "Mod", "MatMul", "Concat"}, {kAll, 0, false});
  set({"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}, {kAll, 0, false});
  set({"Where"}, {0b110, 0, false});
  set({"PRelu"}, {0b11, 0b10, false});
  set({"Clip"}, {0b111, 0b110, false});
  set({"Conv", "ConvTranspose", "Gemm", "com.microsoft.NhwcConv"}, {0b111, 0b100, false});
  set({"LayerNormalization", "InstanceNormalization", "GroupNormalization"}, {0b111, 0b110, false});
  // The lengths of sequences are integers.
  set({"RNN", "GRU"}, {0b101111, 0b1000, false});
  set({"LSTM"}, {0b11101111, 0b10001000, false});
}

ModelValue *GraphImporter::convert(ModelValue &value, Type element) {
  RankedTensorType type = value.type.clone(element);
  ModelValue converted{value.name, type, {}, {}, value.openDims};
  if (value.known && value.known.getNumElements() <= kMostFolded) {
    converted.known = HostArray(*toElementType(element), value.known.getShape());
    for (int64_t i = 0; i < value.known.getNumElements(); ++i)
      converted.known.setFloat(i, value.known.getFloat(i));
  } else {
    Value source = value.value ? value.value : materialize(value);
    converted.value = FuseBuilder(builder).cast(source, element);
  }
  return add(std::move(converted));
}

LogicalResult GraphImporter::matchTypes(const OperandTypes &types, const NodeProto &proto,
                                        MutableArrayRef<ModelValue *> inputs) {
  auto has = [](uint64_t bits, size_t i) { return (bits >> std::min<size_t>(i, 63) & 1) != 0; };
  auto isAlike = [&](size_t i) { return inputs[i] && !inputs[i]->sequence && has(types.alike, i); };
  auto isConverted = [&](size_t i) {
    return has(types.biases, i) || (types.convertsConstants && inputs[i]->known);
  };
  ModelValue *data = nullptr;
  for (size_t i = 0; i < inputs.size() && !data; ++i)
    if (isAlike(i) && !isConverted(i))
      data = inputs[i];
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!isAlike(i))
      continue;
    if (!data)
      data = inputs[i];
    Type wanted = data->type.getElementType(), found = inputs[i]->type.getElementType();
    if (found == wanted)
      continue;
    if (isConverted(i) && isa<FloatType>(found) && isa<FloatType>(wanted)) {
      inputs[i] = convert(*inputs[i], wanted);
      continue;
    }
    auto describe = [](const ModelValue &value) {
      return getDataTypeName(*toElementType(value.type.getElementType())) + " " + quote(value.name);
    };
    return mlir::emitError(builder.getLoc())
           << describeNode(proto) << ": expected operands of one type, found " << describe(*data)
           << " and " << describe(*inputs[i]);
  }
  return success();
}
