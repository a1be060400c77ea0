//===- RandomProgram.cpp - Programs of random ops and annotations ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "fuse/IR/FuseBuilder.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {

using Shape = SmallVector<int64_t>;

class Generator {
public:
  Generator(MLIRContext *context, unsigned seed, bool mayNotDivide)
      : random(seed), mayNotDivide(mayNotDivide), module(ModuleOp::create(UnknownLoc::get(context))),
        b(UnknownLoc::get(context), OpBuilder(context)), f(b) {}

  OwningOpRef<ModuleOp> make() {
    static const Shape grids[] = {{2}, {2, 2}, {1, 2}, {2, 1}, {4}, {3}, {2, 3}};
    grid = grids[pick(std::size(grids))];
    b.setInsertionPointToEnd(module->getBody());
    shard::GridOp::create(b, "g", grid);
    makeFunction();
    return std::move(module);
  }

private:
  unsigned pick(unsigned count) { return random() % count; }
  bool chance(unsigned percent) { return pick(100) < percent; }
  int64_t pickExtent() {
    static const int64_t even[] = {2, 4, 6, 8, 12, 12}, any[] = {1, 3, 5, 7};
    return chance(mayNotDivide ? 30 : 8) ? any[pick(4)] : even[pick(6)];
  }
  Shape pickShape(int64_t least = 1) {
    Shape shape(least + pick(4 - least));
    for (int64_t &extent : shape)
      extent = pickExtent();
    return shape;
  }

  void makeFunction() {
    Type f32 = b.getF32Type();
    SmallVector<Type> types;
    for (unsigned i = 0, e = 2 + pick(3); i < e; ++i)
      types.push_back(RankedTensorType::get(pickShape(), f32));
    auto function = func::FuncOp::create(b, "f", b.getFunctionType(types, {}));
    Block *body = function.addEntryBlock();
    b.setInsertionPointToEnd(body);
    // Products, tables and so on take more arguments as they need them.
    this->function = function;
    for (BlockArgument argument : body->getArguments())
      add(argument);
    for (unsigned i = 0, e = 3 + pick(8); i < e; ++i)
      addOp();
    SmallVector<Value> results{values.back()};
    if (chance(40))
      results.push_back(values[pick(values.size())]);
    func::ReturnOp::create(b, results);
    function.setFunctionType(
        b.getFunctionType(body->getArgumentTypes(), ValueRange(results).getTypes()));
  }

  Value newArgument(ArrayRef<int64_t> shape, Type element = Type()) {
    Block &body = function.getBody().front();
    Value argument = body.addArgument(
        RankedTensorType::get(shape, element ? element : b.getF32Type()), b.getLoc());
    SmallVector<Type> types(body.getArgumentTypes());
    // Kept in step: attributes of arguments are counted by the type.
    function.setFunctionType(b.getFunctionType(types, {}));
    return maybeAnnotate(argument);
  }

  Value maybeAnnotate(Value value) {
    if (!chance(35))
      return value;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<SmallVector<int16_t>> axes(type.getRank());
    for (unsigned axis = 0; axis < grid.size(); ++axis) {
      int64_t dim = type.getRank() ? pick(type.getRank() + 1) : 0;
      if (dim == type.getRank())
        continue;
      int64_t parts = grid[axis];
      for (int16_t other : axes[dim])
        parts *= grid[other];
      if (mayNotDivide || type.getDimSize(dim) % parts == 0)
        axes[dim].push_back(axis);
    }
    SmallVector<shard::GridAxesAttr> attributes;
    for (ArrayRef<int16_t> list : axes)
      attributes.push_back(shard::GridAxesAttr::get(b.getContext(), list));
    if (attributes.empty())
      return value;
    Value sharding = shard::ShardingOp::create(
        b, FlatSymbolRefAttr::get(b.getContext(), "g"), ArrayRef(attributes), ArrayRef<int64_t>(),
        ArrayRef<int64_t>());
    return shard::ShardOp::create(b, value, sharding, /*annotate_for_users=*/false);
  }

  /// Values stay small: gathers of gathers would not.
  void add(Value value) {
    constexpr int64_t kMostElements = 5000;
    if (FuseBuilder::typeOf(value).getNumElements() > kMostElements)
      value.getDefiningOp()->erase();
    else
      values.push_back(maybeAnnotate(value));
  }
  Value any() { return values[pick(values.size())]; }
  /// A value of at least that rank; a new argument where there is none.
  Value anyOfRank(int64_t least) {
    for (int i = 0; i < 8; ++i)
      if (Value value = any(); f.rankOf(value) >= least)
        return value;
    return newArgument(pickShape(least));
  }
  int64_t anyDim(Value x) { return pick(f.rankOf(x)); }

  /// What broadcasts against `x`.
  Value broadcastable(Value x) {
    if (chance(20))
      return f.scalar(0.5, b.getF32Type());
    Shape shape(f.shapeOf(x));
    if (!shape.empty() && chance(50))
      shape.erase(shape.begin(), shape.begin() + pick(shape.size()));
    for (int64_t &extent : shape)
      if (chance(25))
        extent = 1;
    for (Value other : values)
      if (f.shapeOf(other) == ArrayRef(shape) && chance(70))
        return other;
    if (chance(15))
      return f.splat(0.25, RankedTensorType::get(shape, b.getF32Type()));
    if (chance(15)) {
      HostArray array(ElementType::F32, shape);
      for (int64_t i = 0; i < array.getNumElements(); ++i)
        array.setFloat(i, static_cast<double>(pick(17)) / 16 - 0.5);
      return f.constant(array);
    }
    return newArgument(shape);
  }

  void addOp() {
    switch (pick(20)) {
    case 0: {
      static const UnaryKind kinds[] = {UnaryKind::Tanh, UnaryKind::Relu, UnaryKind::Sigmoid,
                                        UnaryKind::Abs, UnaryKind::Neg};
      return add(f.unary(kinds[pick(5)], any()));
    }
    case 1:
    case 2: {
      static const BinaryKind kinds[] = {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul,
                                         BinaryKind::Max, BinaryKind::Min};
      Value x = any();
      return add(f.binary(kinds[pick(5)], x, broadcastable(x)));
    }
    case 3: {
      static const ReduceKind kinds[] = {ReduceKind::Sum, ReduceKind::Max, ReduceKind::Min,
                                         ReduceKind::Mean, ReduceKind::Prod};
      Value x = anyOfRank(1);
      Shape dims{anyDim(x)};
      if (f.rankOf(x) > 1 && chance(30))
        for (int64_t dim = 0; dim < f.rankOf(x); ++dim)
          if (dim > dims.back())
            dims.push_back(dim);
      return add(f.reduce(kinds[pick(5)], x, dims, chance(50)));
    }
    case 4:
    case 5:
    case 6:
      return addProduct();
    case 7: {
      Value x = anyOfRank(2);
      Shape order(f.rankOf(x));
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), random);
      return add(f.transpose(x, order));
    }
    case 8:
    case 9:
      return addReshape();
    case 10: {
      Value x = anyOfRank(1);
      int64_t dim = anyDim(x), extent = f.shapeOf(x)[dim], size = 1 + pick(extent);
      return add(f.slice(x, dim, pick(extent - size + 1), size));
    }
    case 11: {
      Value x = anyOfRank(1);
      return add(f.concat({x, chance(50) ? x : newArgument(f.shapeOf(x))}, anyDim(x)));
    }
    case 12: {
      Value x = anyOfRank(1);
      Shape low(f.rankOf(x), 0), high(low);
      low[anyDim(x)] = pick(3);
      high[anyDim(x)] = pick(3);
      return add(f.pad(x, low, high, 1.5));
    }
    case 13: {
      Value x = anyOfRank(1);
      int64_t dim = anyDim(x);
      if (f.shapeOf(x)[dim] < 2)
        return;
      return add(f.gather(x, newArgument(pickShape(), b.getI64Type()), dim));
    }
    case 14: {
      Value x = anyOfRank(1);
      return add(SoftmaxOp::create(b, x.getType(), x, anyDim(x)));
    }
    case 15: {
      Value x = anyOfRank(1);
      int64_t last = f.rankOf(x) - 1;
      Value scale = newArgument({f.shapeOf(x)[last]});
      return add(LayerNormOp::create(b, x.getType(), x, scale, chance(50) ? scale : Value(),
                                     b.getDenseI64ArrayAttr({last}), b.getF64FloatAttr(1e-5)));
    }
    case 16:
      return addAttention();
    case 17:
      return addConvolution();
    case 18: {
      Value x = anyOfRank(1);
      return add(f.add(x, f.cast(f.iota(f.shapeOf(x), anyDim(x), b.getI64Type()), b.getF32Type())));
    }
    case 19: {
      Value x = anyOfRank(1);
      int64_t dim = anyDim(x);
      if (f.shapeOf(x)[dim] < 2)
        return;
      if (chance(50))
        return add(f.cast(f.argmax(x, dim, chance(50)), b.getF32Type()));
      Shape updates(f.shapeOf(x));
      updates[dim] = 3;
      return add(f.scatter(chance(50) ? ScatterKind::Add : ScatterKind::Max, x,
                           newArgument({3}, b.getI64Type()), newArgument(updates), dim));
    }
    }
  }

  void addProduct() {
    Value x = anyOfRank(2);
    ArrayRef<int64_t> shape = f.shapeOf(x);
    bool transposeLhs = chance(20), transposeRhs = chance(30);
    int64_t k = transposeLhs ? shape.end()[-2] : shape.back(), n = pickExtent();
    Shape weights;
    if (chance(30))
      weights.assign(shape.begin(), shape.end() - 2);
    weights.append(transposeRhs ? Shape{n, k} : Shape{k, n});
    add(f.matmul(x, newArgument(weights), transposeLhs, transposeRhs));
  }

  /// Joins two dimensions, or splits one.
  void addReshape() {
    Value x = anyOfRank(1);
    Shape shape(f.shapeOf(x));
    int64_t dim = anyDim(x);
    if (chance(50) && dim + 1 < f.rankOf(x)) {
      shape[dim] *= shape[dim + 1];
      shape.erase(shape.begin() + dim + 1);
    } else {
      int64_t factor = shape[dim] % 2 == 0 ? 2 : 1;
      if (shape.size() > 4)
        return;
      if (shape[dim] % 6 == 0 && chance(50))
        factor = chance(50) ? 3 : 6;
      shape[dim] /= factor;
      shape.insert(shape.begin() + dim + pick(2), factor);
    }
    add(f.reshape(x, shape));
  }

  void addAttention() {
    int64_t groups = chance(50) ? 2 : 4, heads = groups * (1 + pick(2)), batch = pickExtent(),
            rows = pickExtent(), keys = chance(50) ? rows : pickExtent(), width = 4;
    Value query = newArgument({batch, heads, rows, width});
    Value key = newArgument({batch, groups, keys, width});
    Value value = newArgument({batch, groups, keys, width});
    Value mask = chance(40) ? newArgument({chance(50) ? batch : 1, 1, 1, keys}) : Value();
    add(AttentionOp::create(b, query.getType(), query, key, value, mask, APFloat(0.5),
                            chance(50)));
  }

  void addConvolution() {
    int64_t groups = chance(70) ? 1 : 2, channels = 4, features = chance(50) ? 4 : 8, size = 6;
    bool nchw = chance(50);
    int64_t batch = pickExtent();
    Shape image = nchw ? Shape{batch, channels, size, size} : Shape{batch, size, size, channels};
    Shape weights = nchw ? Shape{features, channels / groups, 3, 3}
                         : Shape{3, 3, channels / groups, features};
    Shape result = nchw ? Shape{batch, features, size, size} : Shape{batch, size, size, features};
    ConvLayout layout = nchw ? ConvLayout::NchwFchw : ConvLayout::NhwcHwcf;
    Value bias = chance(40) ? newArgument({features}) : Value();
    const Shape ones{1, 1}, padding{1, 1, 1, 1};
    Value y = Conv2dOp::create(b, RankedTensorType::get(result, b.getF32Type()), newArgument(image),
                               newArgument(weights), bias, ones, ones, padding, groups, layout);
    if (chance(40)) {
      Shape pooled = result;
      pooled[nchw ? 2 : 1] = pooled[nchw ? 3 : 2] = 3;
      const Shape twos{2, 2}, none{0, 0, 0, 0};
      y = MaxPool2dOp::create(b, RankedTensorType::get(pooled, b.getF32Type()), y, twos, twos, ones,
                              none, layout);
    }
    if (chance(40)) {
      Value v = newArgument({features});
      Value variance = f.unary(UnaryKind::Abs, v);
      y = BatchNormOp::create(b, y.getType(), y, v, v, v, variance, APFloat(1e-3),
                              nchw ? 1 : 3);
    }
    add(y);
  }

  std::mt19937 random;
  bool mayNotDivide;
  OwningOpRef<ModuleOp> module;
  ImplicitLocOpBuilder b;
  FuseBuilder f;
  Shape grid;
  func::FuncOp function;
  SmallVector<Value> values;
};

} // namespace

OwningOpRef<ModuleOp> fuse::test::makeRandomProgram(MLIRContext *context, unsigned seed,
                                                    bool mayNotDivide) {
  return Generator(context, seed, mayNotDivide).make();
}

SmallVector<HostArray> fuse::test::makeRandomArguments(func::FuncOp function, unsigned seed) {
  std::mt19937 random(seed + 1);
  SmallVector<HostArray> arguments;
  for (Type type : function.getArgumentTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    HostArray array(*toElementType(tensor.getElementType()), tensor.getShape());
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      if (isFloatElement(array.getElementType()))
        array.setFloat(i, static_cast<double>(random() % 2001) / 1000 - 1);
      else
        array.setInt(i, random() % 2);
    arguments.push_back(array);
  }
  return arguments;
}
