//===- ValueSizes.cpp - Bytes of values, dynamic ones too -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/ValueSizes.h"
#include "fuse/IR/StatedExtents.h"
#include "fuse/IR/FuseOps.h"
#include "fuse/IR/Shapes.h"
#include "fuse/IR/SymbolicShapes.h"
#include "fuse/Support/Saturating.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Both are of the same extent: the firmer one; of two bounds the lower.
StatedSize getFirmer(StatedSize a, StatedSize b) {
  return std::pair(b.source, b.count) < std::pair(a.source, a.count) ? b : a;
}

//===- Arguments ----------------------------------------------------------------------------===//

/// What a size is wanted for: a promise holds for every call, a price for the usual one.
enum class Purpose { Promise, Price };

/// What an argument states of one of its dimensions.
StatedSize readStated(FunctionOpInterface function, int64_t argument, int64_t dim, Purpose purpose) {
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[argument]);
  if (!type || !type.hasRank() || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return {type.getDimSize(dim), SizeSource::Static};
  auto read = [&](StringRef name, SizeSource source) {
    std::optional<int64_t> extent = readExtent(function, argument, name, dim);
    return extent ? StatedSize{*extent, source} : StatedSize();
  };
  StatedSize bound = read(attr::kDimBounds, SizeSource::Bound), hint = read(attr::kDimHints, SizeSource::Hint);
  bool takesHint = hint.isKnown() && (purpose == Purpose::Price || !bound.isKnown());
  return takesHint ? hint : bound;
}

/// The same, where dimensions that must be equal speak for each other.
StatedSize findStated(FunctionOpInterface function, int64_t argument, int64_t dim, Purpose purpose) {
  StatedSize own = readStated(function, argument, dim, purpose);
  auto pairs = function->getAttrOfType<DenseI64ArrayAttr>(attr::kEqualDims);
  if (!pairs || own.source == SizeSource::Static)
    return own;
  using Dim = std::pair<int64_t, int64_t>;
  // Each pair names the first dimension of its class; -1 stands for a constant.
  Dim self(argument, dim), first = self;
  for (ArrayRef<int64_t> list = pairs; list.size() >= 4; list = list.drop_front(4))
    if (Dim(list[0], list[1]) == self) {
      if (list[2] < 0)
        return {list[3], SizeSource::Bound};
      first = {list[2], list[3]};
    }
  auto choose = [&](StatedSize a, StatedSize b) {
    bool isUsual = purpose == Purpose::Price && a.source == SizeSource::Bound && b.source == SizeSource::Hint;
    return isUsual ? b : getFirmer(a, b);
  };
  auto isArgument = [&](int64_t number) {
    return number >= 0 && number < static_cast<int64_t>(function.getNumArguments());
  };
  if (isArgument(first.first))
    own = choose(own, readStated(function, first.first, first.second, purpose));
  for (ArrayRef<int64_t> list = pairs; list.size() >= 4; list = list.drop_front(4))
    if (Dim(list[2], list[3]) == first && isArgument(list[0]))
      own = choose(own, readStated(function, list[0], list[1], purpose));
  return own;
}

//===- Expressions --------------------------------------------------------------------------===//

/// What an expression comes to where each symbol is what `find` says. The count is given for unknown sizes, too.
StatedSize evaluate(AffineExpr expr, llvm::function_ref<StatedSize(AffineSymbolExpr)> find) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return {number.getValue(), SizeSource::Static};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return find(symbol);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  StatedSize left = evaluate(binary.getLHS(), find), right = evaluate(binary.getRHS(), find);
  StatedSize result{0, std::max(left.source, right.source)};
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    result.count = addSaturating(left.count, right.count);
    break;
  case AffineExprKind::Mul:
    result.count = mulSaturating(left.count, right.count);
    break;
  case AffineExprKind::FloorDiv:
    result.count = right.count > 0 ? llvm::divideFloorSigned(left.count, right.count) : 0;
    break;
  case AffineExprKind::CeilDiv:
    result.count = right.count > 0 ? llvm::divideCeilSigned(left.count, right.count) : 0;
    break;
  default:
    result.count = right.count > 0 ? llvm::mod(left.count, right.count) : 0;
  }
  // What grows where a symbol shrinks is not bounded by what that is at most.
  bool isFalling = expr.getKind() == AffineExprKind::Mod || (expr.getKind() == AffineExprKind::Mul && right.count < 0);
  if (isFalling && result.source == SizeSource::Bound)
    result.source = SizeSource::Hint;
  return result;
}

} // namespace

//===- ValueSizes ---------------------------------------------------------------------------===//

ValueSizes::ValueSizes() = default;
ValueSizes::~ValueSizes() = default;

SymbolicShapes &ValueSizes::getShapes(MLIRContext *context) {
  if (!shapes)
    shapes = std::make_unique<SymbolicShapes>(context);
  return *shapes;
}

bool ValueSizes::followsFromOperands(OpResult result, int64_t dim) {
  SymbolicShapes &shapes = getShapes(result.getContext());
  // What follows from nothing is a symbol of its own.
  return shapes.isOf(shapes.getExtent(result, dim), [&](Value value) { return value.getDefiningOp() != result.getOwner(); });
}

StatedSize ValueSizes::findSymbol(ExtentSymbol symbol, bool isPrice) {
  StatedSize unknown{kUnknownExtent, SizeSource::Unknown};
  auto argument = dyn_cast<BlockArgument>(symbol.value);
  if (!argument || symbol.dim == ExtentSymbol::kNumber || !argument.getOwner()->isEntryBlock())
    return unknown;
  auto function = dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  StatedSize stated = function
                          ? findStated(function, argument.getArgNumber(), symbol.dim, isPrice ? Purpose::Price : Purpose::Promise)
                               : StatedSize();
  if (!stated.isKnown())
    return unknown;
  stated.count = std::max<int64_t>(stated.count - symbol.plus, 0) / symbol.times;
  return stated;
}

StatedSize ValueSizes::find(Value value, int64_t dim, bool isPrice) {
  bool isNumber = dim == ExtentSymbol::kNumber;
  if (auto type = dyn_cast<ShapedType>(value.getType()); type && !isNumber && !type.isDynamicDim(dim))
    return {type.getDimSize(dim), SizeSource::Static};
  auto [known, isNew] = found[isPrice].try_emplace({value, dim});
  if (!isNew)
    return known->second;
  SymbolicShapes &shapes = getShapes(value.getContext());
  AffineExpr extent = isNumber ? shapes.getNumber(value) : shapes.getExtent(value, dim);
  StatedSize size = evaluate(extent, [&](AffineSymbolExpr symbol) {
    return findSymbol(shapes.getSource(symbol), isPrice);
  });
  size.count = std::max<int64_t>(size.count, 0);
  return known->second = size;
}

StatedSize ValueSizes::findBytes(Value value, bool isPrice) {
  auto type = dyn_cast<ShapedType>(value.getType());
  if (!type || (type.hasRank() && type.hasStaticShape()))
    return {getByteSize(value.getType()), SizeSource::Static};
  if (!type.hasRank())
    return {};
  if (llvm::is_contained(type.getShape(), 0))
    return {0, SizeSource::Static};
  StatedSize total{llvm::divideCeil(type.getElementTypeBitWidth(), 8), SizeSource::Static};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    StatedSize extent = find(value, dim, isPrice);
    total.count = mulSaturating(total.count, extent.count);
    total.source = std::max(total.source, extent.source);
  }
  return total;
}

StatedSize ValueSizes::getBytes(Value value) {
  StatedSize bytes = findBytes(value, /*isPrice=*/false);
  return bytes.isKnown() ? bytes : StatedSize();
}

StatedSize ValueSizes::getExtent(Value value, int64_t dim) {
  StatedSize extent = find(value, dim, /*isPrice=*/false);
  return extent.isKnown() ? extent : StatedSize();
}

SmallVector<int64_t> ValueSizes::getHints(Value value) {
  SmallVector<int64_t> hints;
  auto add = [&](StatedSize size) { hints.push_back(size.isKnown() ? size.count : -1); };
  if (value.getType().isIndex()) {
    add(find(value, ExtentSymbol::kNumber, /*isPrice=*/true));
    return hints;
  }
  auto type = cast<ShapedType>(value.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    add(type.isDynamicDim(dim) ? find(value, dim, /*isPrice=*/true) : StatedSize());
  return hints;
}
