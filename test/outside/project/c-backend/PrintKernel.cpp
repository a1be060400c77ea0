//===- PrintKernel.cpp - One kernel as a C function ---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "PrintKernel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Prints one loop nest per member, each of which fills an array with the member's result.
class KernelPrinter {
public:
  KernelPrinter(KernelOp kernel, StringRef name) : kernel(kernel), name(name) {}

  llvm::Expected<std::string> print();

private:
  llvm::Error print(Operation *member);
  /// An element of the result from one of each operand, `x` and `y`; empty for what is unknown.
  static StringRef getExpression(Operation *member);
  llvm::Error printElementwise(Operation *member, StringRef expression);
  llvm::Error printRowSum(ReduceOp op);
  llvm::Error refuse(const Twine &expected, const Twine &found) const {
    return llvm::createStringError("kernel " + name + ": expected " + expected + ", found " +
                                   found);
  }

  KernelOp kernel;
  StringRef name;
  std::string text;
  llvm::raw_string_ostream os{text};
  llvm::DenseMap<Value, std::string> arrays; // by values of the kernel: what C calls them
};
} // namespace

static bool isStaticF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isF32();
}

static int64_t countElements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

StringRef KernelPrinter::getExpression(Operation *member) {
  if (auto unary = dyn_cast<UnaryOp>(member))
    switch (unary.getKind()) {
    case UnaryKind::Relu: // NaN stays, and -0 becomes +0
      return "x < 0 ? 0 : x + 0.0f";
    case UnaryKind::Sigmoid:
      return "1 / (1 + expf(-x))";
    case UnaryKind::Tanh:
      return "tanhf(x)";
    case UnaryKind::Sqrt:
      return "sqrtf(x)";
    case UnaryKind::Exp:
      return "expf(x)";
    case UnaryKind::Neg:
      return "-x";
    case UnaryKind::Abs:
      return "fabsf(x)";
    default:
      return "";
    }
  if (auto binary = dyn_cast<BinaryOp>(member))
    switch (binary.getKind()) {
    case BinaryKind::Add:
      return "x + y";
    case BinaryKind::Sub:
      return "x - y";
    case BinaryKind::Mul:
      return "x * y";
    case BinaryKind::Div:
      return "x / y";
    default:
      return "";
    }
  return "";
}

llvm::Error KernelPrinter::printElementwise(Operation *member, StringRef expression) {
  Value result = member->getResult(0);
  for (Value operand : member->getOperands())
    if (operand.getType() != result.getType())
      return refuse("operands of one shape", "'" + member->getName().getStringRef() + "' of two");
  os << llvm::formatv("  for (long i = 0; i < {0}; ++i) {{\n", countElements(result));
  for (auto [letter, operand] : llvm::zip(StringRef("xy"), member->getOperands()))
    os << "    float " << letter << " = " << arrays[operand] << "[i];\n";
  os << "    " << arrays[result] << "[i] = " << expression << ";\n  }\n";
  return llvm::Error::success();
}

llvm::Error KernelPrinter::printRowSum(ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  if (op.getKind() != ReduceKind::Sum || op.getDimensions() != ArrayRef(type.getRank() - 1))
    return refuse("a sum over the last dimension", "another reduction");
  os << llvm::formatv("  for (long r = 0; r < {0}; ++r) {{\n"
                      "    float sum = 0;\n"
                      "    for (long c = 0; c < {1}; ++c)\n"
                      "      sum += {2}[r * {1} + c];\n"
                      "    {3}[r] = sum;\n"
                      "  }\n",
                      countElements(op.getResult()), type.getShape().back(),
                      arrays[op.getOperand()], arrays[op.getResult()]);
  return llvm::Error::success();
}

llvm::Error KernelPrinter::print(Operation *member) {
  if (auto reduce = dyn_cast<ReduceOp>(member))
    return printRowSum(reduce);
  StringRef expression = getExpression(member);
  if (expression.empty())
    return refuse("element-wise ops and sums of rows",
                  "'" + member->getName().getStringRef() + "'");
  return printElementwise(member, expression);
}

llvm::Expected<std::string> KernelPrinter::print() {
  for (Type type : llvm::concat<const Type>(kernel.getOperandTypes(), kernel.getResultTypes()))
    if (!isStaticF32(type))
      return refuse("static tensors of f32", llvm::formatv("{0}", type).str());
  // Results are written where they are computed, other values have arrays of the function's own.
  std::string params;
  for (auto [i, argument] : llvm::enumerate(kernel.getBlock()->getArguments())) {
    arrays[argument] = llvm::formatv("in{0}", i);
    params += llvm::formatv("{0}const float *in{1}", params.empty() ? "" : ", ", i);
  }
  for (auto [i, value] : llvm::enumerate(kernel.getYield().getResults())) {
    if (!value.getDefiningOp() || !arrays.try_emplace(value, llvm::formatv("out{0}", i)).second)
      return refuse("results that are computed once each", "one that is not");
    params += llvm::formatv("{0}float *out{1}", params.empty() ? "" : ", ", i);
  }
  os << "#include <math.h>\n\nvoid " << name << "(" << params << ") {\n";
  for (auto [i, member] : llvm::enumerate(kernel.getBlock()->without_terminator())) {
    if (member.getNumResults() != 1 || !isStaticF32(member.getResult(0).getType()))
      return refuse("members with one result of f32", "'" + member.getName().getStringRef() + "'");
    Value result = member.getResult(0);
    if (arrays.try_emplace(result, llvm::formatv("v{0}", i)).second)
      os << "  static float v" << i << "[" << countElements(result) << "];\n";
    if (llvm::Error error = print(&member))
      return error;
  }
  os << "}\n";
  return std::move(text);
}

llvm::Expected<std::string> printKernel(KernelOp kernel, StringRef name) {
  return KernelPrinter(kernel, name).print();
}
