//===- PackParameters.cpp - The pass fuse-pack-parameters -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The weights of a product are read in blocks of columns, all rows of one block after the other.
// Row-major weights have those rows on as many pages; the pass lays them out as they are read:
//
//   w[k, n] = packed[n / block, k, n % block]
//
// Outside the kernel stand the ops that pack (parameters in, so they may run once), inside it the
// views that undo them. Lowering reads through the views: no code moves anything in the kernel.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/FuseDialect.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEPACKPARAMETERS
#include "fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Columns of a block: two vectors of 16 floats, which eight rows share in sixteen accumulators;
/// or what divides the columns.
static constexpr int64_t kBlocks[] = {32, 48, 16};
/// Products of fewer rows read their weights once, at the speed of memory in any order.
static constexpr int64_t kLeastRows = 4;

namespace {

/// How a filter lies in memory, and how its readers see it.
struct Packing {
  /// Splits one dimension of the parameter in two, `block` behind; then permutes.
  SmallVector<int64_t> splitShape, permutation;
  bool operator==(const Packing &other) const {
    return splitShape == other.splitShape && permutation == other.permutation;
  }
};

std::optional<int64_t> getBlock(int64_t columns) {
  for (int64_t block : kBlocks)
    if (columns % block == 0 && columns > block)
      return block;
  return std::nullopt;
}

Value permute(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t from : permutation)
    shape.push_back(type.getDimSize(from));
  return TransposeOp::create(builder, loc, type.clone(shape), value, permutation);
}

Value reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  return ReshapeOp::create(builder, loc, type.clone(shape), value);
}

class Packer {
public:
  explicit Packer(func::FuncOp function) : function(function), top(function.getContext()) {
    top.setInsertionPointToStart(&function.front());
  }

  void run() {
    SmallVector<KernelOp> kernels;
    function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      for (OpOperand &operand : kernel->getOpOperands())
        if (isParameter(operand.get()))
          pack(kernel, operand);
  }

private:
  bool isParameter(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return argument && argument.getOwner() == &function.front() && type &&
           type.hasStaticShape() && function.getArgAttr(argument.getArgNumber(), attr::kParam);
  }

  void pack(KernelOp kernel, OpOperand &operand) {
    BlockArgument inside = kernel.getBody().getArgument(operand.getOperandNumber());
    if (!inside.hasOneUse())
      return;
    OpOperand &use = *inside.use_begin();
    if (auto product = dyn_cast<MatmulOp>(use.getOwner()); product && use.getOperandNumber() == 1)
      packProduct(product, operand, inside);
  }

  void packProduct(MatmulOp product, OpOperand &operand, BlockArgument inside) {
    auto type = cast<RankedTensorType>(inside.getType());
    if (type.getRank() != 2 || countRows(product) < kLeastRows)
      return;
    bool isTransposed = product.getTransposeRhs();
    int64_t columns = type.getDimSize(isTransposed ? 0 : 1);
    int64_t inner = type.getDimSize(isTransposed ? 1 : 0);
    std::optional<int64_t> block = getBlock(columns);
    if (!block || inner == 0)
      return;
    int64_t blocks = columns / *block;
    Packing packing;
    if (isTransposed)
      packing = {{blocks, *block, inner}, {0, 2, 1}};
    else
      packing = {{inner, blocks, *block}, {1, 0, 2}};
    operand.set(getPacked(operand.get(), packing));
    inside.setType(cast<RankedTensorType>(operand.get().getType()));
    OpBuilder builder(product);
    Location loc = product.getLoc();
    Value seen = permute(builder, loc, inside, {1, 0, 2});
    product.getRhsMutable().assign(reshape(builder, loc, seen, {inner, columns}));
    product.setTransposeRhs(false);
  }

  /// Rows of all batches together; unknown ones count as many.
  static int64_t countRows(MatmulOp product) {
    auto type = cast<RankedTensorType>(product.getResult().getType());
    if (!type.hasStaticShape())
      return kLeastRows;
    return type.getDimSize(type.getRank() - 1) == 0
               ? 0
               : type.getNumElements() / type.getDimSize(type.getRank() - 1);
  }

  /// The parameter as `packing` says; one for all kernels that want the same.
  Value getPacked(Value parameter, const Packing &packing) {
    SmallVector<std::pair<Packing, Value>> &made = packed[parameter];
    for (auto &[known, value] : made)
      if (known == packing)
        return value;
    Location loc = parameter.getLoc();
    Value split = reshape(top, loc, parameter, packing.splitShape);
    Value turned = permute(top, loc, split, packing.permutation);
    Value value = CopyOp::create(top, loc, turned.getType(), turned);
    made.push_back({packing, value});
    return value;
  }

  func::FuncOp function;
  OpBuilder top;
  llvm::MapVector<Value, SmallVector<std::pair<Packing, Value>>> packed;
};

struct PackParameters : fuse::impl::FusePackParametersBase<PackParameters> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.isExternal())
      Packer(function).run();
  }
};

} // namespace
