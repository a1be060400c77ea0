//===- Elementwise.cpp - Element-wise ops through the table of scalar functions -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Evaluator.h"
#include "Strided.h"
#include "fuse/Support/ScalarFunctions.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::interpreter;

namespace {

/// One op on the elements of broadcast operands.
template <size_t N> class Loop {
public:
  Loop(ArrayRef<HostArray> operands, HostArray &result) : operands(operands), result(result) {
    for (size_t n = 0; n < N; ++n)
      strides[n] = getBroadcastStrides(operands[n].getShape(), result.getShape());
  }

  /// `function` takes N scalars and gives one.
  template <typename Function> void run(Function function) {
    int64_t next = 0;
    forEachIndex<N>(result.getShape(), strides, [&](const std::array<int64_t, N> &at) {
      result.set(next++, call(function, at, std::make_index_sequence<N>()));
    });
  }

  /// The same on the stored numbers, for what C computes exactly as the table does.
  template <typename T, typename Function> void runStored(Function function) {
    static_assert(N == 2);
    const T *lhs = operands[0].data<T>().data(), *rhs = operands[1].data<T>().data();
    T *out = result.data<T>().data();
    forEachIndex<N>(result.getShape(), strides, [&](const std::array<int64_t, N> &at) {
      *out++ = function(lhs[at[0]], rhs[at[1]]);
    });
  }

private:
  template <typename Function, size_t... Ns>
  Scalar call(Function function, const std::array<int64_t, N> &at, std::index_sequence<Ns...>) {
    return function(operands[Ns].get(at[Ns])...);
  }

  ArrayRef<HostArray> operands;
  HostArray &result;
  std::array<SmallVector<int64_t>, N> strides;
};

/// IEEE arithmetic of f32 and f64 without the way over scalars; false for other kinds.
template <typename T> bool runFloatArithmetic(BinaryKind kind, Loop<2> loop) {
  switch (kind) {
  case BinaryKind::Add:
    loop.runStored<T>([](T l, T r) { return l + r; });
    return true;
  case BinaryKind::Sub:
    loop.runStored<T>([](T l, T r) { return l - r; });
    return true;
  case BinaryKind::Mul:
    loop.runStored<T>([](T l, T r) { return l * r; });
    return true;
  case BinaryKind::Div:
    loop.runStored<T>([](T l, T r) { return l / r; });
    return true;
  default:
    return false;
  }
}

void evaluateBinaryOp(BinaryKind kind, ArrayRef<HostArray> operands, HostArray &result) {
  Loop<2> loop(operands, result);
  if (result.getElementType() == ElementType::F32 && runFloatArithmetic<float>(kind, loop))
    return;
  if (result.getElementType() == ElementType::F64 && runFloatArithmetic<double>(kind, loop))
    return;
  loop.run([=](Scalar l, Scalar r) { return evaluateBinary(kind, l, r); });
}

} // namespace

FailureOr<HostArray> interpreter::evaluateElementwise(Operation *op,
                                                      ArrayRef<HostArray> operands) {
  SmallVector<RankedTensorType> types;
  for (Type type : op->getOperandTypes())
    types.push_back(cast<RankedTensorType>(type));
  FailureOr<SmallVector<int64_t>> shape = getBroadcastShape(op, operands, types);
  if (failed(shape))
    return failure();
  FailureOr<HostArray> result = createResult(op, *shape);
  if (failed(result))
    return failure();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](UnaryOp unary) {
        UnaryKind kind = unary.getKind();
        UnaryParams parameters = unary.getParams();
        Loop<1>(operands, *result).run([&](Scalar x) { return evaluateUnary(kind, x, parameters); });
      })
      .Case([&](BinaryOp binary) { evaluateBinaryOp(binary.getKind(), operands, *result); })
      .Case([&](CastOp) {
        ElementType type = result->getElementType();
        Loop<1>(operands, *result).run([=](Scalar x) { return evaluateCast(x, type); });
      })
      .Case([&](BitcastOp) {
        // Whole, since scalars do not hold the bits of a NaN.
        std::memcpy(result->getBytes(), operands[0].getBytes(), result->getByteSize());
      })
      .Case([&](CompareOp compare) {
        ComparePredicate predicate = compare.getPredicate();
        Loop<2>(operands, *result).run([=](Scalar l, Scalar r) {
          return evaluateCompare(predicate, l, r);
        });
      })
      .Case([&](SelectOp) {
        Loop<3>(operands, *result).run([](Scalar condition, Scalar yes, Scalar no) {
          return condition.getBool() ? yes : no;
        });
      })
      .Case([&](ClampOp) {
        Loop<3>(operands, *result).run(evaluateClamp);
      });
  return result;
}
