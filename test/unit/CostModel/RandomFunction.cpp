//===- RandomFunction.cpp - Small functions made up from bytes -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RandomFunction.h"
#include "fuse/Analysis/FusionGraph.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::test;

namespace {

class Generator {
public:
  Generator(MLIRContext &context, Choices &choose)
      : choose(choose), builder(UnknownLoc::get(&context), &context) {}

  OwningOpRef<ModuleOp> run() {
    OwningOpRef<ModuleOp> module(ModuleOp::create(builder.getLoc()));
    builder.setInsertionPointToEnd(module->getBody());
    FloatType f32 = builder.getF32Type(), f16 = builder.getF16Type();
    SmallVector<Type> inputs = {RankedTensorType::get({4, 8}, f32), RankedTensorType::get({8}, f16),
                                RankedTensorType::get({ShapedType::kDynamic, 8}, f32),
                                MemRefType::get({4, 8}, f32), MemRefType::get({4, 8}, f32)};
    auto function = func::FuncOp::create(builder, "f", builder.getFunctionType(inputs, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToStart(block);
    for (BlockArgument argument : block->getArguments())
      (isa<MemRefType>(argument.getType()) ? buffers : values).push_back(argument);
    auto type = RankedTensorType::get({4, 8}, f32);
    values.push_back(arith::ConstantOp::create(builder, DenseElementsAttr::get(type, 1.5f)));
    SmallVector<float> numbers(32);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    values.push_back(
        arith::ConstantOp::create(builder, DenseElementsAttr::get(type, ArrayRef<float>(numbers))));
    while (!choose.empty())
      addOp();
    SmallVector<Value> results;
    // The last values too: what is made late is else seldom read.
    results.push_back(values.back());
    for (size_t i = 0, count = values.size() % 4; i < count; ++i)
      results.push_back(values[(values.size() * 7 + i * 5) % values.size()]);
    if (values.size() % 3 == 0)
      results.push_back(results.front());
    func::ReturnOp::create(builder, results);
    function.setType(builder.getFunctionType(inputs, ValueRange(results).getTypes()));
    return module;
  }

private:
  /// Late values more often than early ones.
  Value pick() {
    size_t back = choose(values.size() * 2);
    return values[values.size() - 1 - (back < values.size() ? back : (back % values.size()) / 2)];
  }
  static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

  Value pickLike(Value other) {
    Value value = pick();
    return value.getType() == other.getType() ? value : other;
  }

  void addOp() {
    size_t kind = choose(12);
    Value x = pick();
    RankedTensorType type = typeOf(x);
    SmallVector<int64_t> shape(type.getShape());
    auto reshaped = [&](ArrayRef<int64_t> to) {
      return RankedTensorType::get(to, type.getElementType());
    };
    switch (kind) {
    case 0: {
      constexpr UnaryKind kinds[] = {UnaryKind::Relu, UnaryKind::Exp, UnaryKind::Neg};
      values.push_back(UnaryOp::create(builder, kinds[choose(3)], x));
      break;
    }
    case 1:
      values.push_back(
          BinaryOp::create(builder, choose(2) ? BinaryKind::Mul : BinaryKind::Add, x, pickLike(x)));
      break;
    case 2: {
      Type element =
          type.getElementType().isF16() ? Type(builder.getF32Type()) : Type(builder.getF16Type());
      values.push_back(CastOp::create(builder, type.clone(element), x));
      break;
    }
    case 3: {
      if (shape.empty())
        return;
      size_t dim = choose(shape.size());
      shape.erase(shape.begin() + dim);
      values.push_back(ReduceOp::create(builder, reshaped(shape), ReduceKind::Sum, x,
                                        static_cast<int64_t>(dim)));
      break;
    }
    case 4:
      if (!type.hasStaticShape() || type.getNumElements() % 2)
        return;
      values.push_back(ReshapeOp::create(builder, reshaped({2, type.getNumElements() / 2}), x));
      break;
    case 5: {
      SmallVector<int64_t> permutation(shape.size());
      std::iota(permutation.rbegin(), permutation.rend(), 0);
      std::reverse(shape.begin(), shape.end());
      values.push_back(TransposeOp::create(builder, reshaped(shape), x, permutation));
      break;
    }
    case 6: {
      SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
      for (int64_t &extent : shape)
        extent = ShapedType::isDynamic(extent) ? -1 : (extent + 1) / 2;
      SmallVector<int64_t> sizes = shape;
      for (int64_t &extent : shape)
        extent = extent < 0 ? ShapedType::kDynamic : extent;
      values.push_back(SliceOp::create(builder, reshaped(shape), x, offsets, sizes, strides));
      break;
    }
    case 7:
      if (shape.size() == 4)
        return;
      shape.insert(shape.begin(), 3);
      values.push_back(BroadcastOp::create(builder, reshaped(shape), x, static_cast<int64_t>(0)));
      break;
    case 8: {
      Value y = pick();
      // Results of host calls are of static shape.
      auto fixed = [&](RankedTensorType like) {
        return like.hasStaticShape() ? like : RankedTensorType::get({8}, like.getElementType());
      };
      SmallVector<Type> results = {fixed(type)};
      if (choose(2))
        results.push_back(fixed(typeOf(y)));
      auto call = HostCallOp::create(builder, results, "filter", ValueRange{x, y}, choose(4) != 0);
      llvm::append_range(values, call.getResults());
      break;
    }
    case 9:
      if (shape.empty())
        return;
      values.push_back(SoftmaxOp::create(builder, type, x, 0));
      break;
    case 10:
      if (choose(2) || shape.empty() || ShapedType::isDynamic(shape[0])) {
        values.push_back(CopyOp::create(builder, type, x));
        break;
      }
      shape[0] *= 2;
      values.push_back(ConcatOp::create(builder, reshaped(shape), ValueRange{x, x}, 0));
      break;
    case 11: {
      Value buffer = buffers[choose(2)];
      if (choose(2) && shape == ArrayRef<int64_t>({4, 8}) && type.getElementType().isF32()) {
        StoreOp::create(builder, x, buffer);
        break;
      }
      values.push_back(
          LoadOp::create(builder, RankedTensorType::get({4, 8}, builder.getF32Type()), buffer));
      break;
    }
    }
  }

  Choices &choose;
  ImplicitLocOpBuilder builder;
  SmallVector<Value> values, buffers;
};

/// Whether `op` can go into a kernel together with its reader.
bool isAbsorbable(Operation *op) {
  return op && (classifyNode(op) == NodeKind::View || classifyNode(op) == NodeKind::Constant);
}

/// The ops to clone into the kernel, producers first, and what they read from outside.
void absorb(Value value, Choices &choose, llvm::SetVector<Operation *> &inner,
            llvm::SetVector<Value> &outer) {
  Operation *def = value.getDefiningOp();
  if (inner.contains(def))
    return;
  if (outer.contains(value) || !isAbsorbable(def) || choose(2)) {
    outer.insert(value);
    return;
  }
  for (Value operand : def->getOperands())
    absorb(operand, choose, inner, outer);
  inner.insert(def);
}

} // namespace

OwningOpRef<ModuleOp> test::makeRandomModule(MLIRContext &context, Choices &choose) {
  return Generator(context, choose).run();
}

func::FuncOp test::getFunction(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

KernelOp test::wrapInKernel(Operation *op, Choices &choose) {
  llvm::SetVector<Operation *> inner;
  llvm::SetVector<Value> outer;
  for (Value operand : op->getOperands())
    absorb(operand, choose, inner, outer);
  OpBuilder builder(op);
  auto kernel = KernelOp::create(builder, op->getLoc(), op->getResultTypes(), outer.getArrayRef());
  builder.setInsertionPointToEnd(kernel.getBlock());
  IRMapping mapping;
  for (auto [value, argument] : llvm::zip_equal(outer, kernel.getBlock()->getArguments()))
    mapping.map(value, argument);
  for (Operation *view : inner)
    builder.clone(*view, mapping);
  Operation *member = builder.clone(*op, mapping);
  YieldOp::create(builder, op->getLoc(), member->getResults());
  op->replaceAllUsesWith(kernel.getResults());
  op->erase();
  return kernel;
}

void test::reorder(func::FuncOp function, Choices &choose) {
  Block &block = function.getBody().front();
  SmallVector<Operation *> left;
  for (Operation &op : block.without_terminator())
    left.push_back(&op);
  llvm::DenseSet<Operation *> placed;
  Operation *end = block.getTerminator();
  while (!left.empty()) {
    SmallVector<size_t> ready;
    bool sawEffect = false;
    for (auto [index, op] : llvm::enumerate(left)) {
      bool hasEffect = !isMemoryEffectFree(op);
      bool isReady = !(hasEffect && sawEffect) && llvm::all_of(op->getOperands(), [&](Value value) {
        Operation *def = value.getDefiningOp();
        return !def || placed.contains(def);
      });
      sawEffect |= hasEffect;
      if (isReady)
        ready.push_back(index);
    }
    // Without choices, from the back: another order than the one there is.
    size_t index = choose.empty() ? ready.back() : ready[choose(ready.size())];
    placed.insert(left[index]);
    left[index]->moveBefore(end);
    left.erase(left.begin() + index);
  }
}
