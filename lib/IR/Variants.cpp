//===- Variants.cpp - Code for some sizes of a function --------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/IR/Variants.h"

#include "fuse/IR/FuseDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <utility>

using namespace mlir;
using namespace mlir::fuse;

/// Reads "128" or "2..32".
static bool readRange(StringRef text, VariantSize &size) {
  auto [least, most] = text.contains("..") ? text.split("..") : std::pair(text, text);
  if (least.getAsInteger(10, size.least) || most.getAsInteger(10, size.most) || size.least < 0 || size.most < size.least)
    return false;
  size.likely = std::llround(std::sqrt(static_cast<double>(std::max<int64_t>(size.least, 1)) * size.most));
  if (size.least == size.most)
    size.likely = size.most;
  return true;
}

std::optional<SmallVector<VariantSizes>> mlir::fuse::parseVariants(StringRef text) {
  SmallVector<VariantSizes> variants;
  SmallVector<StringRef> lists, items;
  text.split(lists, ';');
  for (StringRef list : lists) {
    variants.emplace_back();
    items.clear();
    list.split(items, ',');
    bool hasLikely = false; // of the last size
    for (StringRef item : items) {
      auto [name, sizes] = item.rsplit('=');
      VariantSize *last = variants.back().empty() ? nullptr : &variants.back().back();
      if (name == "likely" && last && last->least < last->most) {
        if (std::exchange(hasLikely, true) || sizes.getAsInteger(10, last->likely) || last->likely < last->least ||
            last->likely > last->most)
          return std::nullopt;
        continue;
      }
      hasLikely = false;
      VariantSize size{name.str()};
      if (name.empty() || !readRange(sizes, size))
        return std::nullopt;
      if (llvm::any_of(variants.back(), [&](const VariantSize &other) { return other.name == name; }))
        variants.emplace_back();
      variants.back().push_back(std::move(size));
    }
  }
  return variants;
}

std::string mlir::fuse::formatVariants(ArrayRef<VariantSizes> variants) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const VariantSizes &variant : variants) {
    os << (text.empty() ? "" : ";");
    llvm::interleave(variant, os, [&](const VariantSize &size) {
      os << size.name << "=" << size.least;
      if (size.least < size.most)
        os << ".." << size.most << ",likely=" << size.likely;
    }, ",");
  }
  return text;
}

/// Whether a variant's value of type `variant` may stand for one of type `open`.
static bool isOfType(Type variant, Type open) {
  auto from = dyn_cast<ShapedType>(open), to = dyn_cast<ShapedType>(variant);
  if (!from || !to || !from.hasRank() || !to.hasRank())
    return variant == open;
  return from.getElementType() == to.getElementType() && isa<MemRefType>(from) == isa<MemRefType>(to) &&
         from.getRank() == to.getRank() &&
         llvm::all_of(llvm::zip(from.getShape(), to.getShape()), [](auto extents) {
           auto [open, fixed] = extents;
           return open == fixed || ShapedType::isDynamic(open) || ShapedType::isDynamic(fixed);
         });
}

/// The types of the arguments that callers give; what is prepared of parameters is another matter.
static SmallVector<Type> getGiven(func::FuncOp function) {
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!function.getArgAttr(i, attr::kPrepared))
      types.push_back(type);
  return types;
}

static LogicalResult verifyTypes(func::FuncOp variant, StringRef what, TypeRange found, TypeRange open) {
  if (found.size() != open.size())
    return variant.emitError() << "is a variant and has " << found.size() << " " << what << "s, expected " << open.size()
                               << ", as the function that it is a variant of";
  for (auto [i, types] : llvm::enumerate(llvm::zip(found, open)))
    if (auto [type, expected] = types; !isOfType(type, expected))
      return variant.emitError() << "is a variant and has the " << what << " " << i << " of type " << type
                                 << ", expected one like " << expected << ", of the function that it is a variant of";
  return success();
}

FailureOr<SmallVector<func::FuncOp>> mlir::fuse::getVariants(func::FuncOp function) {
  SmallVector<func::FuncOp> variants;
  auto symbols = function->getAttrOfType<ArrayAttr>(attr::kVariants);
  if (!symbols)
    return variants;
  auto module = function->getParentOfType<ModuleOp>();
  for (auto symbol : symbols.getAsRange<FlatSymbolRefAttr>()) {
    auto variant = module.lookupSymbol<func::FuncOp>(symbol.getValue());
    if (!variant || variant.isExternal())
      return function.emitError() << "expected @" << symbol.getValue() << ", which '" << attr::kVariants
                                  << "' names, to be a function with a body, found "
                                  << (variant ? "a declaration" : "none");
    if (!variant->hasAttr(attr::kVariantSizes) || variant->hasAttr(attr::kVariants))
      return function.emitError() << "expected @" << symbol.getValue() << ", which '" << attr::kVariants
                                  << "' names, to have '" << attr::kVariantSizes << "' and no variants of its own";
    if (failed(getVariantDims(variant)) ||
        failed(verifyTypes(variant, "argument", getGiven(variant), getGiven(function))) ||
        failed(verifyTypes(variant, "result", variant.getResultTypes(), function.getResultTypes())))
      return failure();
    variants.push_back(variant);
  }
  return variants;
}

bool mlir::fuse::isVariant(func::FuncOp function) {
  auto isNamedBy = [&](func::FuncOp other) {
    auto symbols = other->getAttrOfType<ArrayAttr>(attr::kVariants);
    return symbols && llvm::is_contained(symbols, FlatSymbolRefAttr::get(function.getNameAttr()));
  };
  return llvm::any_of(function->getParentOfType<ModuleOp>().getOps<func::FuncOp>(), isNamedBy);
}

FailureOr<SmallVector<VariantDim>> mlir::fuse::getVariantDims(func::FuncOp variant) {
  SmallVector<VariantDim> dims;
  auto list = variant->getAttrOfType<DenseI64ArrayAttr>(attr::kVariantSizes);
  ArrayRef<int64_t> numbers = list ? list.asArrayRef() : ArrayRef<int64_t>();
  for (; numbers.size() >= 4; numbers = numbers.drop_front(4)) {
    int64_t argument = numbers[0], dim = numbers[1];
    auto type = argument >= 0 && argument < static_cast<int64_t>(variant.getNumArguments())
                    ? dyn_cast<ShapedType>(variant.getArgumentTypes()[argument])
                    : ShapedType();
    if (!type || !type.hasRank() || dim < 0 || dim >= type.getRank())
      return variant.emitError() << "'" << attr::kVariantSizes << "' expects dimensions of arguments, found dimension "
                                 << dim << " of argument " << argument;
    dims.push_back({static_cast<unsigned>(argument), dim, numbers[2], numbers[3]});
  }
  return dims;
}
