//===- SplitLoops.cpp - The loops of a generic: those of a domain, in factors -----===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SplitLoops.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::fuse;

SplitLoops::SplitLoops(MLIRContext *context, const Domain &domain, ArrayRef<Input> inputs,
                       ArrayRef<Output> outputs)
    : context(context), domain(domain) {
  cuts.resize(domain.size());
  isWhole.assign(domain.size(), false);
  for (const Input &input : inputs)
    for (AffineExpr expr : input.map.getResults())
      if (!isa<AffineDimExpr>(expr)) // a window goes over the loop
        for (unsigned loop = 0; loop < domain.size(); ++loop)
          isWhole[loop] = isWhole[loop] || expr.isFunctionOfDim(loop);
  for (const Output &output : outputs)
    if (!output.factors.empty())
      for (auto [loop, factors] : llvm::zip_equal(output.loops, output.factors)) {
        addCuts(loop, factors);
        isWhole[loop] = true; // but for those
      }
  for (const Input &input : inputs)
    if (input.value.base)
      addCuts(input);
  makeLoops();
}

AffineExpr SplitLoops::convert(AffineExpr expr) const {
  SmallVector<AffineExpr> replacements;
  for (ArrayRef<TensorFactor> loop : factors)
    replacements.push_back(loop.size() == 1 ? getDim(loop.front().dim)
                                            : getAffineConstantExpr(0, context));
  return expr.replaceDimsAndSymbols(replacements, {});
}

/// What other members computed is read by loops with its factors, and so is what has factors that lie
/// apart in memory.
void SplitLoops::addCuts(const Input &input) {
  for (auto [dim, expr] : llvm::enumerate(input.map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    ArrayRef<TensorFactor> parts = input.value.factors[dim];
    if (!loop || parts.size() < 2 ||
        getConstantIntValue(domain.extents[loop.getPosition()]) != input.value.shape[dim])
      continue;
    auto getExtent = [](const TensorFactor &part) { return part.extent; };
    // What reshapes have split may be joined again.
    bool isOwn = isComputed(input.value.base, /*throughReshapes=*/false);
    addCuts(loop.getPosition(), isOwn ? llvm::map_to_vector<6>(parts, getExtent)
                                      : getJoinedFactors(input.value, dim));
  }
}

/// Each cut of a loop divides the next: those of `extents` are not added where that would not hold.
void SplitLoops::addCuts(unsigned loop, ArrayRef<int64_t> extents) {
  std::optional<int64_t> whole = getConstantIntValue(domain.extents[loop]);
  if (isWhole[loop] || extents.size() < 2 || !whole || *whole == 0)
    return;
  SmallVector<int64_t> all(cuts[loop]);
  int64_t cut = 1;
  for (int64_t extent : llvm::reverse(extents)) {
    cut *= extent;
    if (cut != *whole && !llvm::is_contained(all, cut))
      all.push_back(cut);
  }
  llvm::sort(all);
  int64_t last = 1;
  for (int64_t next : all) {
    if (next % last != 0)
      return;
    last = next;
  }
  if (*whole % last == 0)
    cuts[loop] = all;
}

void SplitLoops::makeLoops() {
  for (auto [loop, extent] : llvm::enumerate(domain.extents)) {
    auto &list = factors.emplace_back();
    std::optional<int64_t> known = getConstantIntValue(extent);
    if (known == 1)
      continue;
    auto add = [&, loop = loop](OpFoldResult extent) {
      list.push_back({static_cast<int64_t>(extents.size()),
                      getConstantIntValue(extent).value_or(ShapedType::kDynamic)});
      extents.push_back(extent);
      iterators.push_back(domain.iterators[loop]);
    };
    if (cuts[loop].empty()) {
      add(extent);
      continue;
    }
    int64_t rest = *known;
    for (int64_t cut : llvm::reverse(cuts[loop])) {
      add(IntegerAttr::get(IndexType::get(context), rest / cut));
      rest = cut;
    }
    add(IntegerAttr::get(IndexType::get(context), rest));
  }
}
