//===- GenericBuilder.cpp - linalg.generic over lazy tensors -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "SplitLoops.h"
#include "fuse/Conversion/FuseToLinalg/FuseToLinalg.h"
#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/Views.h"
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

Value ElementIndex::getWhole(ImplicitLocOpBuilder &b) const {
  if (digits.empty())
    return arith::ConstantIndexOp::create(b, 0);
  Value whole = digits.front().index;
  for (const Digit &digit : ArrayRef(digits).drop_front()) {
    Value extent = arith::ConstantIndexOp::create(b, digit.extent);
    whole = arith::AddIOp::create(b, arith::MulIOp::create(b, whole, extent), digit.index);
  }
  return whole;
}

ElementIndex BodyContext::getDigits(unsigned loop) const {
  ElementIndex index;
  index.digits.clear();
  for (const TensorFactor &factor : loops[loop])
    index.digits.push_back({linalg::IndexOp::create(b, factor.dim), factor.extent});
  return index;
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

/// A tensor whose type has the extents that the loops along its dimensions have: of tensor<?x?xf32>, added to
/// tensor<?x2xf32>, the second dimension is 2, which tiles are cut by.
Value knowExtents(ImplicitLocOpBuilder &b, Value tensor, ArrayRef<AffineExpr> read, const SplitLoops &loops) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, expr] : llvm::zip_equal(shape, read))
    if (auto loop = dyn_cast_if_present<AffineDimExpr>(expr); loop && ShapedType::isDynamic(extent))
      extent = getConstantIntValue(loops.extents[loop.getPosition()]).value_or(ShapedType::kDynamic);
  if (ArrayRef<int64_t>(shape) == type.getShape())
    return tensor;
  return tensor::CastOp::create(b, type.clone(shape), tensor);
}

/// The tensor behind `input` and where it is read. Positions that do not depend on a loop are sliced out,
/// and so is what a loop does not reach.
Operand makeOperand(ImplicitLocOpBuilder &b, const Input &input, const Domain &domain,
                    const SplitLoops &loops) {
  LazyTensor value = input.value;
  SliceRange range(b.getContext(), value.getRank());
  for (auto [dim, expr] : llvm::enumerate(input.map.getResults())) {
    if (value.isRepeated(dim))
      continue;
    auto loop = dyn_cast<AffineDimExpr>(expr);
    std::optional<int64_t> reach;
    if (loop)
      reach = getConstantIntValue(domain.extents[loop.getPosition()]);
    else if (auto constant = dyn_cast<AffineConstantExpr>(loops.convert(expr))) {
      range.offsets[dim] = b.getIndexAttr(constant.getValue());
      reach = 1;
    }
    if (reach && !ShapedType::isDynamic(value.shape[dim]) && *reach < value.shape[dim])
      range.sizes[dim] = b.getIndexAttr(*reach);
  }
  value = sliceOrCopy(b, value, range);

  // Each dimension as its loop is.
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> along;
  for (auto [dim, expr] : llvm::enumerate(input.map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    ArrayRef<TensorFactor> factors;
    if (loop)
      factors = loops.factors[loop.getPosition()];
    if (factors.size() < 2 || value.shape[dim] == 1) {
      shape.push_back(value.shape[dim]);
      along.push_back(factors.empty() ? loops.convert(expr) : loops.getDim(factors.front().dim));
      continue;
    }
    for (const TensorFactor &factor : factors) {
      shape.push_back(factor.extent);
      along.push_back(loops.getDim(factor.dim));
    }
  }
  if (ArrayRef<int64_t>(shape) != ArrayRef<int64_t>(value.shape))
    value = reshapeOrCopy(b, value, shape);
  value = joinOrCopy(b, value);
  SmallVector<AffineExpr> read(cast<RankedTensorType>(value.base.getType()).getRank());
  for (auto [factors, expr] : llvm::zip_equal(value.factors, along))
    for (const TensorFactor &factor : factors)
      if (factor.dim != TensorFactor::kRepeated)
        read[factor.dim] = expr;
  return {knowExtents(b, value.base, read, loops), loops.getMap(read)};
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
                                           ArrayRef<Input> given, ArrayRef<Output> outputs,
                                           BodyBuilder body, bool recompute) {
  MLIRContext *context = b.getContext();
  for (auto [extent, iterator] : llvm::zip_equal(domain.extents, domain.iterators))
    if (iterator == IteratorType::reduction && isConstantIntValue(extent, 0))
      return buildNeutral(b, domain, outputs);
  SmallVector<int64_t> known;
  for (OpFoldResult extent : domain.extents)
    known.push_back(getConstantIntValue(extent).value_or(ShapedType::kDynamic));
  SmallVector<Input> inputs(given);
  for (Input &input : inputs)
    input.map = dropUnitLoops(input.map, known);
  SplitLoops loops(context, domain, inputs, outputs);
  unsigned count = loops.extents.size();

  // Inputs; what is read twice at the same place is one operand.
  SmallVector<Operand> ins;
  SmallVector<int64_t> operandOf;
  for (const Input &input : inputs) {
    if (!input.value.base) {
      operandOf.push_back(-1);
      continue;
    }
    Operand operand = makeOperand(b, input, domain, loops);
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
    for (unsigned loop : output.loops)
      for (const TensorFactor &factor : loops.factors[loop]) {
        exprs.push_back(loops.getDim(factor.dim));
        extents.push_back(loops.extents[factor.dim]);
      }
    outMaps.push_back(loops.getMap(exprs));
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
    BodyContext bodyContext{inner, {}, {}, loops.factors};
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
    LazyTensor &value = results.emplace_back();
    value.base = result;
    value.element = output.element;
    int64_t next = 0;
    for (unsigned loop : output.loops) {
      value.shape.push_back(
          getConstantIntValue(domain.extents[loop]).value_or(ShapedType::kDynamic));
      auto &factors = value.factors.emplace_back();
      for (const TensorFactor &factor : loops.factors[loop])
        factors.push_back({next++, factor.extent});
    }
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
                          llvm::function_ref<Value(BodyContext &)> body,
                          const DimFactors &factors, bool recompute) {
  AffineMap identity = AffineMap::getMultiDimIdentityMap(extents.size(), b.getContext());
  SmallVector<Input> read;
  for (const LazyTensor &input : inputs)
    read.push_back({input, identity});
  Output output{element, llvm::to_vector(llvm::seq<unsigned>(0, extents.size())), {}, factors};
  auto wrapped = [&](BodyContext &context) { return SmallVector<Value>{body(context)}; };
  return buildGeneric(b, Domain::parallel(extents), read, output, wrapped, recompute).front();
}

LazyTensor fuse::materialize(ImplicitLocOpBuilder &b, const LazyTensor &value,
                             const DimFactors &factors) {
  return buildMap(
      b, getExtents(b, value), value, value.element,
      [](BodyContext &context) { return context.inputs[0]; }, factors);
}

LazyTensor fuse::reshapeOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value,
                               ArrayRef<int64_t> shape, ValueRange sizes, ArrayRef<int64_t> groups) {
  FailureOr<LazyTensor> result = reshape(b, value, shape, sizes, groups);
  return succeeded(result) ? *result : *reshape(b, materialize(b, value), shape, sizes, groups);
}

LazyTensor fuse::joinOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value) {
  FailureOr<LazyTensor> joined = joinFactors(b, value);
  return succeeded(joined) ? *joined : *joinFactors(b, materialize(b, value));
}

LazyTensor fuse::sliceOrCopy(ImplicitLocOpBuilder &b, const LazyTensor &value,
                             const SliceRange &range) {
  FailureOr<LazyTensor> result = slice(b, value, range);
  if (succeeded(result))
    return *result;
  SmallVector<int64_t> cut;
  for (auto [dim, size] : llvm::enumerate(range.sizes))
    if (size)
      cut.push_back(dim);
  FailureOr<LazyTensor> joined = joinFactors(b, value, cut);
  if (failed(joined))
    joined = joinFactors(b, materialize(b, value), cut);
  return *slice(b, *joined, range);
}

LazyTensor fuse::prepareForReads(ImplicitLocOpBuilder &b, const LazyTensor &value) {
  if (!value.base || isComputed(value.base))
    return value;
  FailureOr<LazyTensor> joined = joinFactors(b, value);
  return succeeded(joined) ? *joined : value;
}

/// Whether the digits of a position are those of the factors it is read at.
static bool hasFactors(const ElementIndex &index, ArrayRef<TensorFactor> factors) {
  return index.digits.size() == factors.size() &&
         (factors.size() == 1 ||
          llvm::equal(index.digits, factors,
                      [](const ElementIndex::Digit &digit, const TensorFactor &factor) {
                        return digit.extent == factor.extent;
                      }));
}

Value fuse::readElement(ImplicitLocOpBuilder &b, const LazyTensor &value,
                        ArrayRef<ElementIndex> position) {
  if (!value.base)
    return arith::ConstantOp::create(b, value.splat);
  SmallVector<Value> indices(cast<RankedTensorType>(value.base.getType()).getRank());
  for (auto [dim, index] : llvm::enumerate(position)) {
    ArrayRef<TensorFactor> factors = value.factors[dim];
    if (value.isRepeated(dim))
      continue;
    if (hasFactors(index, factors)) {
      for (auto [factor, digit] : llvm::zip_equal(factors, index.digits))
        if (factor.dim != TensorFactor::kRepeated)
          indices[factor.dim] = digit.index;
      continue;
    }
    Value rest = index.getWhole(b);
    for (auto [number, factor] : llvm::enumerate(llvm::reverse(factors))) {
      bool isOutermost = number + 1 == factors.size();
      Value extent = isOutermost ? Value() : arith::ConstantIndexOp::create(b, factor.extent);
      if (factor.dim != TensorFactor::kRepeated)
        indices[factor.dim] = isOutermost ? rest : arith::RemUIOp::create(b, rest, extent).getResult();
      if (!isOutermost)
        rest = arith::DivUIOp::create(b, rest, extent);
    }
  }
  return fromStorage(b, value.element, tensor::ExtractOp::create(b, value.base, indices));
}
