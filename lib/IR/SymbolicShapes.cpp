//===- SymbolicShapes.cpp - Extents of values as expressions of open dimensions --------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/SymbolicShapes.h"
#include "fuse/IR/CollectiveShapes.h"
#include "fuse/IR/DimNames.h"
#include "fuse/IR/FuseOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

//===- Symbols ------------------------------------------------------------------------------===//

void SymbolicShapes::addOpenDims(ArrayRef<OpenDim> dims) {
  SmallVector<std::pair<OpenDim, DimExpression>> expressions;
  auto addPlain = [&](const OpenDim &dim) {
    StringRef key = dim.key.empty() ? dim.name : StringRef(dim.key);
    AffineExpr extent = key.empty() ? AffineExpr() : named.lookup(key);
    if (!extent)
      extent = makeSymbol({dim.argument, dim.dim});
    extents[{dim.argument, dim.dim}] = extent;
    for (StringRef name : {key, dim.name})
      if (!name.empty())
        named.try_emplace(name, extent);
  };
  for (const OpenDim &dim : dims)
    if (std::optional<DimExpression> said = parseDimExpression(dim.name, context))
      expressions.emplace_back(dim, *said);
    else
      addPlain(dim);
  // Those of known names first: a name is solved for only where nothing else says what it is.
  for (bool solves = false; !expressions.empty();) {
    auto *it = expressions.begin();
    AffineExpr extent;
    for (; it != expressions.end() && !extent; ++it)
      extent = computeNamed(it->first, it->second, solves);
    if (extent) {
      const OpenDim &dim = std::prev(it)->first;
      extents[{dim.argument, dim.dim}] = extent;
      computed.push_back({dim.argument, dim.dim});
      expressions.erase(std::prev(it));
      solves = false;
    } else if (!solves) {
      solves = true;
    } else {
      for (auto &[dim, said] : expressions)
        addPlain(dim);
      return;
    }
  }
}

AffineExpr SymbolicShapes::computeNamed(const OpenDim &dim, const DimExpression &expression, bool solves) {
  SmallVector<AffineExpr> values;
  std::string unknown;
  for (const std::string &name : expression.names) {
    values.push_back(named.lookup(name));
    if (values.back())
      continue;
    if (!solves || expression.names.size() > 1)
      return {};
    unknown = name;
  }
  if (!unknown.empty()) {
    // times * name + plus.
    auto at = [&](int64_t number) {
      return dyn_cast<AffineConstantExpr>(
          simplifyExtent(expression.extent.replaceSymbols(getAffineConstantExpr(number, context))));
    };
    AffineConstantExpr plus = at(0), one = at(1);
    if (!plus || !one || one.getValue() - plus.getValue() < 1)
      return {};
    int64_t times = one.getValue() - plus.getValue();
    AffineExpr name = getAffineSymbolExpr(0, context);
    if (simplifyExtent(expression.extent - name * times - plus.getValue()) != getAffineConstantExpr(0, context))
      return {};
    values = {named[unknown] = makeSymbol({dim.argument, dim.dim}, times, plus.getValue())};
  }
  return simplifyExtent(expression.extent.replaceSymbols(values));
}

AffineExpr SymbolicShapes::makeSymbol(Key key, int64_t times, int64_t plus) {
  symbols.push_back({key.first, key.second, times, plus});
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

std::optional<ExtentSymbol> SymbolicShapes::getSingle(AffineExpr expr) const {
  auto symbol = dyn_cast<AffineSymbolExpr>(expr);
  if (!symbol || !getSource(symbol).isWhole())
    return std::nullopt;
  return getSource(symbol);
}

bool SymbolicShapes::isOf(AffineExpr expr, llvm::function_ref<bool(Value)> holds) const {
  bool all = true;
  expr.walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      all &= holds(symbols[symbol.getPosition()].value);
  });
  return all;
}

bool SymbolicShapes::isOfArguments(AffineExpr expr, Block *entry) const {
  return isOf(expr, [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == entry;
  });
}

bool SymbolicShapes::isOfExtents(AffineExpr expr) const {
  return isOf(expr, [](Value value) { return isa<ShapedType>(value.getType()); });
}

OpFoldResult SymbolicShapes::materialize(OpBuilder &builder, Location loc, AffineExpr expr,
                                         llvm::function_ref<Value(Value)> map) const {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return builder.getIndexAttr(number.getValue());
  SmallVector<Value> operands;
  DenseMap<AffineExpr, AffineExpr> renamed;
  expr.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (!symbol)
      return;
    ExtentSymbol source = getSource(symbol);
    if (!renamed.try_emplace(part, source.getOf(getAffineSymbolExpr(operands.size(), context))).second)
      return;
    Value value = map ? map(source.value) : source.value;
    if (source.dim == ExtentSymbol::kNumber)
      operands.push_back(value);
    else if (isa<MemRefType>(value.getType()))
      operands.push_back(memref::DimOp::create(builder, loc, value, source.dim));
    else
      operands.push_back(tensor::DimOp::create(builder, loc, value, source.dim));
  });
  if (getSingle(expr))
    return operands.front();
  auto applied = AffineMap::get(0, operands.size(), expr.replace(renamed));
  return affine::AffineApplyOp::create(builder, loc, applied, operands).getResult();
}

//===- Extents ------------------------------------------------------------------------------===//

AffineExpr SymbolicShapes::find(Value value, int64_t dim, SmallVectorImpl<Key> &missing) const {
  if (dim == ExtentSymbol::kNumber) {
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number)))
      return getAffineConstantExpr(number.getSExtValue(), context);
  } else {
    int64_t known = cast<ShapedType>(value.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(known))
      return getAffineConstantExpr(known, context);
  }
  AffineExpr found = extents.lookup({value, dim});
  if (!found)
    missing.push_back({value, dim});
  return found;
}

AffineExpr SymbolicShapes::getExtent(Value value, unsigned dim) { return get({value, dim}); }

AffineExpr SymbolicShapes::getNumber(Value number) { return get({number, ExtentSymbol::kNumber}); }

// Not recursive: chains of ops are long.
AffineExpr SymbolicShapes::get(Key key) {
  SmallVector<Key> missing;
  if (AffineExpr found = find(key.first, key.second, missing))
    return found;
  SmallVector<Key> path = {key};
  llvm::SmallDenseSet<Key> isOnPath = {key};
  while (!path.empty()) {
    Key next = path.back();
    missing.clear();
    std::optional<AffineExpr> found = compute(next, missing);
    // Two extents of a shape may each follow from the other; then neither is known.
    if (!missing.empty() && isOnPath.insert(missing.front()).second) {
      path.push_back(missing.front());
      continue;
    }
    AffineExpr &extent = extents[next];
    found = missing.empty() ? found : std::nullopt;
    if (!extent)
      extent = found && *found ? simplifyExtent(*found) : makeSymbol(next);
    path.pop_back();
    isOnPath.erase(next);
  }
  return extents.lookup(key);
}

std::optional<AffineExpr> SymbolicShapes::compute(Key key, SmallVectorImpl<Key> &missing) {
  auto [value, dim] = key;
  if (isSource && isSource(value))
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeArgument(argument, dim, missing);
  if (dim == ExtentSymbol::kNumber)
    return computeNumber(value, missing);
  return computeExtent(cast<OpResult>(value), dim, missing);
}

std::optional<AffineExpr> SymbolicShapes::computeArgument(BlockArgument argument, int64_t dim,
                                                          SmallVectorImpl<Key> &missing) {
  Operation *owner = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto scan = dyn_cast<ScanOp>(owner)) { // of a sequence, an element
    bool isElement = number >= scan.getNumStates() && number < scan.getNumStates() + scan.getSequences().size();
    return find(scan->getOperand(number), dim + isElement, missing);
  }
  if (auto kernel = dyn_cast<KernelOp>(owner))
    return find(kernel.getInputs()[number], dim, missing);
  auto function = dyn_cast_or_null<FunctionOpInterface>(owner);
  if (!function || !argument.getOwner()->isEntryBlock() || getDimName(function, number, dim).empty())
    return std::nullopt;
  addNamedArguments(function);
  AffineExpr extent = extents.lookup({argument, dim});
  return extent ? std::optional(extent) : std::nullopt;
}

/// Those that nobody has added yet.
void SymbolicShapes::addNamedArguments(FunctionOpInterface function) {
  SmallVector<OpenDim> dims;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<ShapedType>(argument.getType()); type && type.hasRank())
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        if (StringRef name = getDimName(function, argument.getArgNumber(), dim);
            !name.empty() && type.isDynamicDim(dim) && !extents.contains({argument, dim}))
          dims.push_back({argument, static_cast<unsigned>(dim), name});
  addOpenDims(dims);
}

std::optional<AffineExpr> SymbolicShapes::computeNumber(Value number, SmallVectorImpl<Key> &missing) {
  Operation *op = number.getDefiningOp();
  std::optional<int64_t> index;
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    index = dim.getConstantIndex();
  else if (auto dim = dyn_cast<memref::DimOp>(op))
    index = dim.getConstantIndex();
  if (index && *index >= 0 && *index < cast<ShapedType>(op->getOperand(0).getType()).getRank())
    return find(op->getOperand(0), *index, missing);
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (!apply)
    return std::nullopt;
  SmallVector<AffineExpr> operands =
      llvm::map_to_vector(apply.getMapOperands(), [&](Value operand) { return find(operand, ExtentSymbol::kNumber, missing); });
  if (!missing.empty())
    return std::nullopt;
  AffineMap map = apply.getAffineMap();
  return map.getResult(0).replaceDimsAndSymbols(ArrayRef(operands).take_front(map.getNumDims()),
                                                ArrayRef(operands).drop_front(map.getNumDims()));
}

/// The number of positions of a window along an extent; see getWindowExtent.
static AffineExpr countWindows(AffineExpr extent, int64_t kernel, int64_t stride, int64_t dilation, int64_t padding) {
  return (extent + (padding - dilation * (kernel - 1) - 1)).floorDiv(stride) + 1;
}

std::optional<AffineExpr> SymbolicShapes::computeExtent(OpResult result, unsigned dim, SmallVectorImpl<Key> &missing) {
  Operation *op = result.getOwner();
  auto getOf = [&](Value value, ArrayRef<int64_t> dims) {
    return llvm::map_to_vector(dims, [&](int64_t each) { return find(value, each, missing); });
  };
  /// The size of the dynamic dimension `dim` of `shape`, which are listed in order.
  auto getSize = [&](ArrayRef<int64_t> shape, ValueRange sizes) {
    return find(sizes[llvm::count_if(shape.take_front(dim), ShapedType::isDynamic)], ExtentSymbol::kNumber, missing);
  };
  ArrayRef<int64_t> shape = cast<ShapedType>(result.getType()).getShape();
  if (auto kernel = dyn_cast<KernelOp>(op))
    return find(kernel.getYield().getOperand(result.getResultNumber()), dim, missing);
  if (auto branch = dyn_cast<scf::IfOp>(op)) { // where both branches agree
    if (branch.getElseRegion().empty())
      return std::nullopt;
    AffineExpr one = find(branch.thenYield().getOperand(result.getResultNumber()), dim, missing);
    AffineExpr other = find(branch.elseYield().getOperand(result.getResultNumber()), dim, missing);
    return one == other ? one : AffineExpr();
  }
  if (auto tensorReshape = dyn_cast<tensor::ReshapeOp>(op)) {
    auto sizes = tensorReshape.getShape().getDefiningOp<tensor::FromElementsOp>();
    return sizes ? std::optional(find(sizes.getElements()[dim], ExtentSymbol::kNumber, missing)) : std::nullopt;
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return find(empty.getDynamicSize(dim), ExtentSymbol::kNumber, missing);
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return find(destination.getTiedOpOperand(result)->get(), dim, missing);
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    if (!reshape.getSizes().empty())
      return getSize(shape, reshape.getSizes());
    for (const ReshapeGroup &group : reshape.getGroups()) {
      if (!llvm::is_contained(group.to, dim))
        continue;
      SmallVector<int64_t> others = llvm::to_vector(ArrayRef(group.to));
      llvm::erase(others, dim);
      SmallVector<AffineExpr> above = getOf(reshape.getOperand(), group.from), below = getOf(result, others);
      return missing.empty() ? divideExactly(above, below, context) : std::nullopt;
    }
    return std::nullopt;
  }
  if (auto concat = dyn_cast<ConcatOp>(op); concat && concat.getDimension() == dim) {
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (Value operand : concat->getOperands())
      if (AffineExpr extent = find(operand, dim, missing))
        sum = sum + extent;
    return sum;
  }
  if (auto pad = dyn_cast<PadOp>(op)) {
    AffineExpr extent = find(pad.getOperand(), dim, missing);
    return extent ? extent + (pad.getLow()[dim] + pad.getHigh()[dim]) : extent;
  }
  if (auto slice = dyn_cast<SliceOp>(op)) {
    if (slice.getSizes()[dim] != -1)
      return find(cast<Value>(slice.getMixedSizes()[dim]), ExtentSymbol::kNumber, missing);
    AffineExpr extent = find(slice.getOperand(), dim, missing);
    return extent ? extent - slice.getOffsets()[dim] : extent;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op); broadcast && llvm::is_contained(broadcast.getDimensions(), dim)) {
    SmallVector<int64_t> added;
    for (int64_t each : broadcast.getDimensions())
      added.push_back(shape[each]);
    dim = llvm::find(broadcast.getDimensions(), dim) - broadcast.getDimensions().begin();
    return getSize(added, broadcast.getSizes());
  }
  if (auto iota = dyn_cast<IotaOp>(op))
    return getSize(shape, iota.getSizes());
  if (auto resize = dyn_cast<ResizeNearestOp>(op))
    return resize.getSizes().empty() ? find(resize.getOperand(), dim, missing) : getSize(shape, resize.getSizes());
  auto throughWindow = [&](auto window, ArrayRef<int64_t> kernel) -> std::optional<AffineExpr> {
    int64_t axis = dim - (window.getLayout() == ConvLayout::NchwFchw ? 2 : 1);
    if (axis < 0 || axis > 1)
      return std::nullopt;
    AffineExpr extent = find(window->getOperand(0), dim, missing);
    return extent ? countWindows(extent, kernel[axis], window.getStrides()[axis], window.getDilations()[axis],
                                 window.getPadding()[axis] + window.getPadding()[axis + 2])
                  : extent;
  };
  std::optional<AffineExpr> count;
  if (auto conv = dyn_cast<Conv2dOp>(op)) {
    ArrayRef<int64_t> filter = cast<ShapedType>(conv.getFilter().getType()).getShape();
    count = throughWindow(conv, filter.slice(conv.getLayout() == ConvLayout::NchwFchw ? 2 : 0, 2));
  } else if (auto pool = dyn_cast<MaxPool2dOp>(op)) {
    count = throughWindow(pool, pool.getKernel());
  } else if (auto pool = dyn_cast<AvgPool2dOp>(op)) {
    count = throughWindow(pool, pool.getKernel());
  }
  if (count)
    return count;
  // Composite ops keep their first operand's shape, but for the last dimension of attention, which is the values'.
  if (auto attention = dyn_cast<AttentionOp>(op))
    return find(dim + 1 == shape.size() ? attention.getValue() : attention.getQuery(), dim, missing);
  if (isa<BatchNormOp, SoftmaxOp, LayerNormOp, LogMelOp, LogMelBackwardOp>(op))
    return find(op->getOperand(0), dim, missing);
  if (auto peaks = dyn_cast<WelchPeaksOp>(op)) {
    AffineExpr rows = find(peaks.getSpectrum(), 0, missing);
    return rows ? rows.floorDiv(static_cast<int64_t>(peaks.getNSegments())) : rows;
  }
  if (std::optional<ExtentChange> change = getCollectiveExtentChange(op, dim)) {
    AffineExpr extent = find(op->getOperand(0), dim, missing);
    return extent ? (extent * change->times).floorDiv(change->over) : extent;
  }
  // A scatter's result has the operand's shape; each output of a scan has an element for each step.
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return find(scatter.getOperand(), dim, missing);
  if (auto scan = dyn_cast<ScanOp>(op)) {
    unsigned number = result.getResultNumber(), numStates = scan.getNumStates();
    if (number < numStates)
      return find(op->getOperand(number), dim, missing);
    return dim == 0 ? find(scan.getSequences().front(), 0, missing)
                    : find(scan.getYield().getOperand(number), dim - 1, missing);
  }
  // A loop that the result and an operand both run along.
  auto fusable = dyn_cast<FusableOpInterface>(op);
  AffineMap written = fusable ? fusable.getIndexingMapMatchingResult(result) : AffineMap();
  if (!written || !isa<AffineDimExpr>(written.getResult(dim)))
    return std::nullopt;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap read = fusable.getMatchingIndexingMap(&operand);
    if (!read)
      continue;
    if (std::optional<unsigned> position = read.getResultPosition(written.getResult(dim)))
      return find(operand.get(), *position, missing);
  }
  return std::nullopt;
}

/// Multiplies `number` by the constant factors of an expression, and lists the others. Fails from 2^63 on.
static LogicalResult addFactors(AffineExpr expr, int64_t &number,
                                SmallVectorImpl<AffineExpr> &factors) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return failure(llvm::MulOverflow(number, constant.getValue(), number) != 0);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || binary.getKind() != AffineExprKind::Mul) {
    factors.push_back(expr);
    return success();
  }
  return success(succeeded(addFactors(binary.getLHS(), number, factors)) &&
                 succeeded(addFactors(binary.getRHS(), number, factors)));
}

/// The product of `factors`.
static AffineExpr multiply(ArrayRef<AffineExpr> factors, MLIRContext *context) {
  AffineExpr product = getAffineConstantExpr(1, context);
  for (AffineExpr factor : factors)
    product = product * factor;
  return product;
}

std::optional<AffineExpr> mlir::fuse::divideExactly(ArrayRef<AffineExpr> dividend,
                                                          ArrayRef<AffineExpr> divisor,
                                                          MLIRContext *context) {
  SmallVector<AffineExpr> above, below;
  int64_t times = 1, over = 1;
  for (AffineExpr expr : dividend)
    if (failed(addFactors(expr, times, above)))
      return std::nullopt;
  for (AffineExpr expr : divisor)
    if (failed(addFactors(expr, over, below)))
      return std::nullopt;
  for (AffineExpr factor : below) {
    AffineExpr *equal = llvm::find(above, factor);
    if (equal == above.end())
      return std::nullopt;
    above.erase(equal);
  }
  // The elements of a reshape divide without a rest.
  if (over <= 0)
    return std::nullopt;
  int64_t common = std::gcd(times, over);
  return (multiply(above, context) * (times / common)).floorDiv(over / common);
}

AffineExpr mlir::fuse::simplifyExtent(AffineExpr expr) {
  unsigned numSymbols = 0;
  expr.walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      numSymbols = std::max(numSymbols, symbol.getPosition() + 1);
  });
  return simplifyAffineExpr(expr, /*numDims=*/0, numSymbols);
}

int64_t mlir::fuse::getStaticExtent(AffineExpr expr) {
  auto number = dyn_cast_or_null<AffineConstantExpr>(expr);
  return number ? number.getValue() : ShapedType::kDynamic;
}

SmallVector<int64_t> mlir::fuse::getStaticExtents(ArrayRef<AffineExpr> list) {
  return llvm::map_to_vector(list, getStaticExtent);
}

/// The least value, or the greatest one.
static std::optional<int64_t> bound(AffineExpr expr, bool isLeast) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return number.getValue();
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return isLeast ? std::optional<int64_t>(0) : std::nullopt;
  AffineExpr left = binary.getLHS(), right = binary.getRHS();
  auto factor = dyn_cast<AffineConstantExpr>(right);
  int64_t result;
  switch (expr.getKind()) {
  case AffineExprKind::Add: {
    std::optional<int64_t> one = bound(left, isLeast), other = bound(right, isLeast);
    return one && other && !llvm::AddOverflow(*one, *other, result) ? std::optional(result) : std::nullopt;
  }
  case AffineExprKind::Mul: {
    if (!factor) { // of extents: at least 0 where both are
      std::optional<int64_t> one = bound(left, true), other = bound(right, true);
      return isLeast && one && other && *one >= 0 && *other >= 0 ? std::optional<int64_t>(0) : std::nullopt;
    }
    std::optional<int64_t> one = bound(left, isLeast == (factor.getValue() >= 0));
    return one && !llvm::MulOverflow(*one, factor.getValue(), result) ? std::optional(result) : std::nullopt;
  }
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv: {
    std::optional<int64_t> one = bound(left, isLeast);
    if (!one || !factor || factor.getValue() <= 0)
      return std::nullopt;
    return expr.getKind() == AffineExprKind::FloorDiv ? llvm::divideFloorSigned(*one, factor.getValue())
                                                      : llvm::divideCeilSigned(*one, factor.getValue());
  }
  default: // a rest
    return isLeast ? std::optional<int64_t>(0) : factor ? std::optional(factor.getValue() - 1) : std::nullopt;
  }
}

std::optional<int64_t> mlir::fuse::getLeast(AffineExpr expr) { return bound(expr, /*isLeast=*/true); }
std::optional<int64_t> mlir::fuse::getMost(AffineExpr expr) { return bound(expr, /*isLeast=*/false); }
