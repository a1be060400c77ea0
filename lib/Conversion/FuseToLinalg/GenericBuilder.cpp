//===- GenericBuilder.cpp - linalg.generic over lazy tensors -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::fuse;
using utils::IteratorType;

Domain Domain::parallel(ArrayRef<OpFoldResult> extents) {
  Domain domain;
  for (OpFoldResult extent : extents)
    domain.add(extent, IteratorType::parallel);
  return domain;
}

void Domain::add(OpFoldResult extent, IteratorType iterator) {
  extents.push_back(extent);
  iterators.push_back(iterator);
}

Value BodyContext::getIndex(unsigned loop) const {
  if (loops[loop] < 0)
    return arith::ConstantIndexOp::create(b, 0);
  return linalg::IndexOp::create(b, loops[loop]);
}

/// From memory: a mask is a byte there.
static Value fromStorage(ImplicitLocOpBuilder &b, Type element, Value stored) {
  if (!element.isInteger(1))
    return stored;
  Value zero = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, stored, zero);
}

static Value toStorage(ImplicitLocOpBuilder &b, Type element, Value computed) {
  if (!element.isInteger(1))
    return computed;
  return arith::ExtUIOp::create(b, b.getI8Type(), computed);
}

static TypedAttr toStorage(TypedAttr computed) {
  if (!computed.getType().isInteger(1))
    return computed;
  bool set = !cast<IntegerAttr>(computed).getValue().isZero();
  return IntegerAttr::get(IntegerType::get(computed.getContext(), 8), set);
}

namespace {

/// An operand of the generic under construction.
struct Operand {
  Value tensor;
  AffineMap map;
};

/// The loops that stay, and maps from the domain's loops to them.
struct KeptLoops {
  SmallVector<int64_t> position; // per loop of the domain, -1 if left out
  SmallVector<AffineExpr> replacements;
  SmallVector<OpFoldResult> extents;
  SmallVector<IteratorType> iterators;

  KeptLoops(MLIRContext *context, const Domain &domain) {
    for (auto [extent, iterator] : llvm::zip(domain.extents, domain.iterators)) {
      if (isConstantIntValue(extent, 1)) {
        position.push_back(-1);
        replacements.push_back(getAffineConstantExpr(0, context));
        continue;
      }
      position.push_back(extents.size());
      replacements.push_back(getAffineDimExpr(extents.size(), context));
      extents.push_back(extent);
      iterators.push_back(iterator);
    }
  }
};

/// The tensor behind `value` and where it is read, as the expressions of `map` say. Positions that
/// do not depend on a loop are sliced out, and so is what a loop does not reach.
Operand makeOperand(ImplicitLocOpBuilder &b, LazyTensor value, AffineMap map,
                    const KeptLoops &loops) {
  map = map.replaceDimsAndSymbols(loops.replacements, {}, loops.extents.size(), 0);
  SmallVector<int64_t> offsets(value.getRank(), 0), sizes(value.shape), strides(value.getRank(), 1);
  bool sliced = false;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (value.dims[dim] < 0)
      continue;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
      offsets[dim] = constant.getValue();
      sizes[dim] = 1;
      sliced = true;
    } else if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
      std::optional<int64_t> reach = getConstantIntValue(loops.extents[loop.getPosition()]);
      if (reach && !ShapedType::isDynamic(value.shape[dim]) && *reach < value.shape[dim]) {
        sizes[dim] = *reach;
        sliced = true;
      }
    }
  }
  if (sliced)
    value = slice(b, value, offsets, sizes, strides);
  SmallVector<AffineExpr> exprs(cast<RankedTensorType>(value.base.getType()).getRank());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (value.dims[dim] >= 0)
      exprs[value.dims[dim]] = expr;
  return {value.base, AffineMap::get(loops.extents.size(), 0, exprs, b.getContext())};
}

} // namespace

/// A reduction over nothing: its outputs are their inits.
static SmallVector<LazyTensor> buildNeutral(ImplicitLocOpBuilder &b, const Domain &domain,
                                            ArrayRef<Output> outputs) {
  Domain kept;
  SmallVector<unsigned> position(domain.size(), 0);
  for (auto [loop, extent] : llvm::enumerate(domain.extents))
    if (domain.iterators[loop] == IteratorType::parallel) {
      position[loop] = kept.size();
      kept.add(extent, IteratorType::parallel);
    }
  SmallVector<Output> moved(outputs);
  for (Output &output : moved) {
    for (unsigned &loop : output.loops)
      loop = position[loop];
    output.init = {};
  }
  return buildGeneric(b, kept, {}, moved, [&](BodyContext &context) {
    return llvm::map_to_vector(outputs, [&](const Output &output) -> Value {
      return arith::ConstantOp::create(context.b, output.init);
    });
  });
}

SmallVector<LazyTensor> fuse::buildGeneric(ImplicitLocOpBuilder &b, const Domain &domain,
                                           ArrayRef<Input> inputs, ArrayRef<Output> outputs,
                                           BodyBuilder body, bool recompute) {
  MLIRContext *context = b.getContext();
  for (auto [extent, iterator] : llvm::zip_equal(domain.extents, domain.iterators))
    if (iterator == IteratorType::reduction && isConstantIntValue(extent, 0))
      return buildNeutral(b, domain, outputs);
  KeptLoops loops(context, domain);
  unsigned count = loops.extents.size();

  // Inputs; what is read twice at the same place is one operand.
  SmallVector<Operand> ins;
  SmallVector<int64_t> operandOf;
  for (const Input &input : inputs) {
    if (!input.value.base) {
      operandOf.push_back(-1);
      continue;
    }
    Operand operand = makeOperand(b, input.value, input.map, loops);
    auto *same = llvm::find_if(ins, [&](const Operand &other) {
      return other.tensor == operand.tensor && other.map == operand.map;
    });
    operandOf.push_back(same - ins.begin());
    if (same == ins.end())
      ins.push_back(operand);
  }

  // Outputs.
  bool reduces = llvm::is_contained(loops.iterators, IteratorType::reduction);
  SmallVector<AffineMap> outMaps;
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (const Output &output : outputs) {
    SmallVector<AffineExpr> exprs;
    SmallVector<OpFoldResult> extents;
    for (unsigned loop : output.loops) {
      if (loops.position[loop] < 0)
        continue;
      exprs.push_back(loops.replacements[loop]);
      extents.push_back(domain.extents[loop]);
    }
    outMaps.push_back(AffineMap::get(count, 0, exprs, context));
    Value init = tensor::EmptyOp::create(b, extents, getStorageType(output.element));
    if (reduces && output.init) {
      Value neutral = arith::ConstantOp::create(b, toStorage(output.init));
      init = linalg::FillOp::create(b, neutral, init).getResult(0);
    }
    inits.push_back(init);
    types.push_back(init.getType());
  }

  // Every loop needs an operand that runs along it.
  llvm::SmallBitVector bare(count, true);
  auto cover = [&](AffineMap map) {
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        bare.reset(loop.getPosition());
  };
  for (const Operand &operand : ins)
    cover(operand.map);
  llvm::for_each(outMaps, cover);
  if (bare.any()) {
    SmallVector<AffineExpr> exprs;
    SmallVector<OpFoldResult> extents;
    for (unsigned loop : bare.set_bits()) {
      exprs.push_back(getAffineDimExpr(loop, context));
      extents.push_back(loops.extents[loop]);
    }
    Type element = ins.empty() ? getStorageType(outputs.front().element)
                               : getElementTypeOrSelf(ins.front().tensor);
    ins.push_back({tensor::EmptyOp::create(b, extents, element),
                   AffineMap::get(count, 0, exprs, context)});
  }

  SmallVector<Value> tensors;
  SmallVector<AffineMap> maps;
  for (const Operand &operand : ins) {
    tensors.push_back(operand.tensor);
    maps.push_back(operand.map);
  }
  llvm::append_range(maps, outMaps);
  auto buildBody = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    ImplicitLocOpBuilder inner(loc, nested);
    BodyContext bodyContext{inner, {}, {}, loops.position};
    DenseMap<int64_t, Value> converted;
    for (auto [input, operand] : llvm::zip(inputs, operandOf)) {
      if (operand < 0) {
        bodyContext.inputs.push_back(arith::ConstantOp::create(inner, input.value.splat));
        continue;
      }
      Value &element = converted[operand];
      if (!element)
        element = fromStorage(inner, input.value.element, arguments[operand]);
      bodyContext.inputs.push_back(element);
    }
    for (auto [position, output] : llvm::enumerate(outputs))
      if (output.init)
        bodyContext.accumulators.push_back(
            reduces ? fromStorage(inner, output.element, arguments[ins.size() + position])
                    : arith::ConstantOp::create(inner, output.init).getResult());
    SmallVector<Value> results = body(bodyContext);
    for (auto [result, output] : llvm::zip(results, outputs))
      result = toStorage(inner, output.element, result);
    linalg::YieldOp::create(inner, results);
  };
  auto generic =
      linalg::GenericOp::create(b, types, tensors, inits, maps, loops.iterators, buildBody);
  if (recompute)
    generic->setDiscardableAttr(attr::kRecompute, b.getUnitAttr());

  SmallVector<LazyTensor> results;
  for (auto [output, result] : llvm::zip(outputs, generic.getResults())) {
    SmallVector<int64_t> shape;
    for (unsigned loop : output.loops)
      shape.push_back(getConstantIntValue(domain.extents[loop]).value_or(ShapedType::kDynamic));
    results.push_back(LazyTensor::inOrder(result, shape, output.element));
  }
  return results;
}

SmallVector<OpFoldResult> fuse::getExtents(ImplicitLocOpBuilder &b, const LazyTensor &value) {
  SmallVector<OpFoldResult> extents;
  for (int64_t dim = 0; dim < value.getRank(); ++dim)
    extents.push_back(getExtent(b, value, dim));
  return extents;
}

LazyTensor fuse::buildMap(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> extents,
                          ArrayRef<LazyTensor> inputs, Type element,
                          llvm::function_ref<Value(BodyContext &)> body, bool recompute) {
  AffineMap identity = AffineMap::getMultiDimIdentityMap(extents.size(), b.getContext());
  SmallVector<Input> read;
  for (const LazyTensor &input : inputs)
    read.push_back({input, identity});
  Output output{element, llvm::to_vector(llvm::seq<unsigned>(0, extents.size())), {}};
  auto wrapped = [&](BodyContext &context) { return SmallVector<Value>{body(context)}; };
  return buildGeneric(b, Domain::parallel(extents), read, output, wrapped, recompute).front();
}

LazyTensor fuse::materialize(ImplicitLocOpBuilder &b, const LazyTensor &value) {
  return buildMap(b, getExtents(b, value), value, value.element,
                  [](BodyContext &context) { return context.inputs[0]; });
}

LazyTensor fuse::reshapeOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value,
                               ArrayRef<int64_t> shape) {
  FailureOr<LazyTensor> result = reshape(b, value, shape);
  if (succeeded(result))
    return *result;
  return *reshape(b, materialize(b, value), shape);
}

Value fuse::readElement(ImplicitLocOpBuilder &b, const LazyTensor &value, ValueRange position) {
  if (!value.base)
    return arith::ConstantOp::create(b, value.splat);
  SmallVector<Value> indices(cast<RankedTensorType>(value.base.getType()).getRank());
  for (auto [dim, index] : llvm::zip(value.dims, position))
    if (dim >= 0)
      indices[dim] = index;
  return fromStorage(b, value.element, tensor::ExtractOp::create(b, value.base, indices));
}
