//===- OutlineKernels.cpp - Kernels into modules of their own ----------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/SymbolicShapes.h"
#include "fuse/Analysis/ValueSizes.h"
#include "fuse/Codegen/Kernel/Passes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/KernelMemory.h"
#include "fuse/IR/Shapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEOUTLINEKERNELS
#include "fuse/Codegen/Kernel/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// What a kernel's function takes for an operand. A number comes as the extent of a buffer that is not read.
RankedTensorType tensorTypeOf(Value value) {
  if (value.getType().isIndex())
    return RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(value.getContext(), 8));
  if (auto type = dyn_cast<MemRefType>(value.getType()))
    return RankedTensorType::get(type.getShape(), type.getElementType());
  return cast<RankedTensorType>(value.getType());
}

/// The arguments' dimensions with names that an extent depends on; in a kernel, or in front of it.
class OpenDims {
public:
  explicit OpenDims(KernelOp kernel)
      : kernel(kernel), function(kernel->getParentOfType<FunctionOpInterface>()) {}

  SmallVector<StringRef> find(Value value, int64_t dim) {
    add(value, dim);
    while (!pending.empty()) {
      auto [next, at] = pending.pop_back_val();
      follow(next, at);
    }
    return std::move(names);
  }

private:
  void add(Value value, int64_t dim) {
    auto type = dyn_cast<ShapedType>(value.getType());
    if (type && type.hasRank() && type.isDynamicDim(dim) && seen.insert({value, dim}).second)
      pending.push_back({value, dim});
  }

  void follow(Value value, int64_t dim) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return addArgument(argument, dim);
    Operation *def = value.getDefiningOp();
    if (auto launch = dyn_cast<LaunchOp>(def)) {
      // Outlined before: made room for by the extents of its operands.
      if (auto empty = launch.getTiedOpOperand(cast<OpResult>(value))
                           ->get()
                           .getDefiningOp<tensor::EmptyOp>())
        if (auto size = empty.getDynamicSize(dim).getDefiningOp<tensor::DimOp>())
          if (std::optional<int64_t> index = size.getConstantIndex())
            return add(size.getSource(), *index);
    }
    auto fusable = dyn_cast<FusableOpInterface>(def);
    AffineMap written =
        fusable ? fusable.getIndexingMapMatchingResult(cast<OpResult>(value)) : AffineMap();
    for (OpOperand &operand : def->getOpOperands()) {
      auto from = dyn_cast<ShapedType>(operand.get().getType());
      if (!from || !from.hasRank())
        continue;
      AffineMap read = fusable && written ? fusable.getMatchingIndexingMap(&operand) : AffineMap();
      for (int64_t i = 0; i < from.getRank(); ++i)
        if (!read || sharesLoop(written.getResult(dim), read.getResult(i)))
          add(operand.get(), i);
    }
  }

  static bool sharesLoop(AffineExpr left, AffineExpr right) {
    bool shares = false;
    left.walk([&](AffineExpr part) {
      if (auto loop = dyn_cast<AffineDimExpr>(part))
        shares |= right.isFunctionOfDim(loop.getPosition());
    });
    return shares;
  }

  void addArgument(BlockArgument argument, int64_t dim) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel)
      return add(kernel.getInputs()[argument.getArgNumber()], dim);
    if (owner != function)
      return;
    StringRef name = getDimName(function, argument.getArgNumber(), dim);
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(name);
  }

  KernelOp kernel;
  FunctionOpInterface function;
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  SmallVector<std::pair<Value, int64_t>> pending;
  SmallVector<StringRef> names;
};

/// "; give the extents with --dim length=N" of a model, which has names for what it leaves open.
std::string describeOpenDims(KernelOp kernel, Value value, int64_t dim) {
  std::string text;
  for (StringRef name : OpenDims(kernel).find(value, dim))
    text += " " + getDimOption(name);
  return text.empty() ? text : "; give the extents with" + text;
}

/// Notes which dimensions of a reshape hold the same elements, as far as what its extents are computed from says so: of
/// ?x8x?x? and ?x8x? where the one last extent is the product of the two.
void noteGroups(ReshapeOp reshape, SymbolicShapes &shapes) {
  auto count = [&](Value value) { return cast<ShapedType>(value.getType()).getRank(); };
  int64_t numFrom = count(reshape.getOperand()), numTo = count(reshape.getResult());
  auto multiply = [&](Value value, int64_t begin, int64_t size) {
    AffineExpr product = getAffineConstantExpr(1, reshape.getContext());
    for (int64_t dim = begin; dim < begin + size; ++dim)
      product = product * shapes.getExtent(value, dim);
    return product;
  };
  AffineExpr zero = getAffineConstantExpr(0, reshape.getContext());
  SmallVector<int64_t> groups;
  int64_t i = 0, j = 0;
  auto appendNext = [&] {
    for (int64_t size = 2; size <= numFrom - i + numTo - j; ++size)
      for (int64_t from = std::max<int64_t>(1, size - (numTo - j)); from <= std::min(numFrom - i, size - 1); ++from) {
        AffineExpr left = multiply(reshape.getOperand(), i, from), right = multiply(reshape.getResult(), j, size - from);
        if (simplifyExtent(left - right) != zero)
          continue;
        groups.append({from, size - from});
        i += from;
        j += size - from;
        return true;
      }
    return false;
  };
  while (i < numFrom && j < numTo && appendNext()) {
  }
  if (i == numFrom && j == numTo && groups.size() > 2)
    reshape->setAttr(kReshapeGroups, DenseI64ArrayAttr::get(reshape.getContext(), groups));
}

class Outliner {
public:
  Outliner(ModuleOp module, ArrayRef<KernelOp> kernels) : module(module), symbols(module) {
    SymbolicShapes shapes(module.getContext());
    for (KernelOp kernel : kernels)
      kernel.walk([&](ReshapeOp reshape) {
        auto from = cast<RankedTensorType>(reshape.getOperand().getType()), to = reshape.getResult().getType();
        if (std::max(from.getNumDynamicDims(), cast<RankedTensorType>(to).getNumDynamicDims()) > 1)
          noteGroups(reshape, shapes);
      });
    ValueSizes sizes; // reads the program as it is before the first kernel is outlined
    for (KernelOp kernel : kernels)
      for (Value value : llvm::concat<Value>(SmallVector<Value>(kernel.getBody().getArguments()),
                                             SmallVector<Value>(kernel.getYield().getOperands())))
        hints.try_emplace(value, sizes.getHints(value));
  }

  LogicalResult outline(KernelOp kernel) {
    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    // Stores are results whose destination is a buffer.
    SmallVector<StoreOp> stores(kernel.getBody().getOps<StoreOp>());
    SmallVector<Value> outs;
    SymbolicShapes shapes(kernel.getContext(), [&](Value value) { return isInput(kernel, value); });
    for (auto [i, result] : llvm::enumerate(kernel.getResults())) {
      FailureOr<Value> empty = makeEmpty(builder, kernel, i, shapes);
      if (failed(empty))
        return failure();
      outs.push_back(*empty);
    }
    llvm::SmallPtrSet<Value, 4> written;
    for (StoreOp store : stores) {
      auto argument = cast<BlockArgument>(store.getDestination());
      outs.push_back(kernel.getInputs()[argument.getArgNumber()]);
      written.insert(argument);
    }
    SmallVector<Value> ins;
    SmallVector<BlockArgument> reads;
    for (auto [argument, input] : llvm::zip(kernel.getBody().getArguments(), kernel.getInputs())) {
      bool isRead = !written.contains(argument) ||
                    llvm::any_of(argument.getUsers(), llvm::IsaPred<LoadOp>);
      if (!isRead)
        continue;
      ins.push_back(input);
      reads.push_back(argument);
    }
    StringAttr name = getOrCreateModule(kernel, reads, stores);
    auto launch = LaunchOp::create(builder, loc, kernel.getResultTypes(),
                                   FlatSymbolRefAttr::get(name), ins, outs);
    kernel.replaceAllUsesWith(launch);
    kernel.erase();
    return success();
  }

private:
  /// Whether a value within the kernel is one of its operands.
  static bool isInput(KernelOp kernel, Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner()->getParentOp() == kernel;
  }

  FailureOr<Value> makeEmpty(OpBuilder &builder, KernelOp kernel, unsigned resultNumber,
                             SymbolicShapes &shapes) {
    auto type = cast<RankedTensorType>(kernel.getResult(resultNumber).getType());
    Location loc = kernel.getLoc();
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      AffineExpr extent = shapes.getExtent(kernel.getYield().getOperand(resultNumber), dim);
      if (!shapes.isOfArguments(extent, kernel.getBlock()))
        return kernel.emitError() << "dynamic dimension " << dim << " of result " << resultNumber
                                  << " is not the extent of any input's dimension"
                                  << describeOpenDims(
                                         kernel, kernel.getYield().getOperand(resultNumber), dim);
      auto toInput = [&](Value argument) {
        return kernel.getInputs()[cast<BlockArgument>(argument).getArgNumber()];
      };
      OpFoldResult size = shapes.materialize(builder, loc, extent, toInput);
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    }
    return Value(tensor::EmptyOp::create(builder, loc, type, sizes));
  }

  /// The kernel as a function on tensors, in a module named by its content.
  StringAttr getOrCreateModule(KernelOp kernel, ArrayRef<BlockArgument> reads,
                               ArrayRef<StoreOp> stores) {
    Location loc = kernel.getLoc();
    OpBuilder builder(module.getContext());
    SmallVector<Type> argumentTypes, resultTypes(kernel.getResultTypes());
    for (BlockArgument argument : reads)
      argumentTypes.push_back(tensorTypeOf(argument));
    for (StoreOp store : stores)
      resultTypes.push_back(store.getValue().getType());
    unsigned numIns = argumentTypes.size();
    llvm::append_range(argumentTypes, resultTypes);

    ModuleOp holder = ModuleOp::create(loc);
    builder.setInsertionPointToStart(holder.getBody());
    auto function = func::FuncOp::create(builder, loc, "kernel",
                                         builder.getFunctionType(argumentTypes, resultTypes));
    function.setPrivate();
    for (auto [i, argument] : llvm::enumerate(reads))
      setHints(function, i, argument);
    for (auto [i, value] : llvm::enumerate(kernel.getYield().getOperands()))
      setHints(function, numIns + i, value);
    for (unsigned i = numIns; i < argumentTypes.size(); ++i)
      function.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName,
                          builder.getBoolAttr(true));
    if (Attribute schedule = kernel->getAttr(attr::kSchedule))
      function->setAttr(attr::kSchedule, schedule);
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    IRMapping mapping;
    for (auto [argument, value] : llvm::zip(reads, entry->getArguments())) {
      bool isNumber = argument.getType().isIndex();
      mapping.map(argument, isNumber ? tensor::DimOp::create(builder, loc, value, 0).getResult() : Value(value));
    }
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (isa<StoreOp>(op))
        continue;
      if (auto load = dyn_cast<LoadOp>(op)) {
        mapping.map(load.getResult(), mapping.lookup(load.getSource()));
        continue;
      }
      Operation *clone = builder.clone(op, mapping);
      for (StringRef name : {attr::kGroup, attr::kOrigin, attr::kAlone, attr::kTogether,
                             attr::kClosed})
        clone->removeAttr(name);
    }
    SmallVector<Value> results;
    auto addResult = [&](Value value) {
      Value mapped = mapping.lookup(value);
      // What is passed through, and what is returned twice, is work of its own.
      Operation *def = mapped.getDefiningOp();
      if (!def || llvm::is_contained(results, mapped) || def->hasTrait<OpTrait::ConstantLike>())
        mapped = CopyOp::create(builder, loc, mapped.getType(), mapped);
      results.push_back(mapped);
    };
    for (Value value : kernel.getYield().getOperands())
      addResult(value);
    for (StoreOp store : stores)
      addResult(store.getValue());
    func::ReturnOp::create(builder, loc, results);

    std::string text;
    llvm::raw_string_ostream os(text);
    function.print(os, OpPrintingFlags().useLocalScope());
    auto [slot, isNew] = names.try_emplace(text, nullptr);
    // What a caller stores to he may read as well, under this name or another.
    auto noteStores = [&](Operation *kernelModule) {
      if (!stores.empty())
        kernelModule->setAttr(kWritesOperands, builder.getUnitAttr());
    };
    if (!isNew) {
      holder->erase();
      noteStores(symbols.lookup(slot->second));
      return slot->second;
    }
    noteStores(holder);
    std::string name = "kernel_" + llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
    function.setName(name);
    holder.setName(name);
    slot->second = symbols.insert(holder, module.getBody()->begin());
    function.setName(slot->second);
    return slot->second;
  }

  /// What its tiles are chosen for.
  void setHints(func::FuncOp function, unsigned argument, Value value) {
    ArrayRef<int64_t> list = hints.at(value);
    if (llvm::any_of(list, [](int64_t hint) { return hint >= 0; }))
      function.setArgAttr(argument, attr::kDimHints, DenseI64ArrayAttr::get(function.getContext(), list));
  }

  ModuleOp module;
  SymbolTable symbols;
  DenseMap<Value, SmallVector<int64_t>> hints; ///< of the kernels' arguments, and of what they yield
  llvm::StringMap<StringAttr> names;
};

struct OutlineKernels : fuse::impl::FuseOutlineKernelsBase<OutlineKernels> {
  void getDependentDialects(DialectRegistry &registry) const override {
    FuseOutlineKernelsBase::getDependentDialects(registry);
    registry.insert<affine::AffineDialect, arith::ArithDialect>();
  }

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    Outliner outliner(getOperation(), kernels);
    for (KernelOp kernel : kernels)
      if (failed(outliner.outline(kernel)))
        return signalPassFailure();
  }
};

} // namespace
