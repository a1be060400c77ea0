//===- ThinProduct.cpp - Products with few rows or columns ----------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Schedule/ThinProduct.h"
#include "fuse/Analysis/ProductSide.h"
#include "fuse/Support/Saturating.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::describeThinProduct(ArrayRef<ContractionLoop> loops, KernelFacts::Member &entry) {
  int64_t sides[2] = {1, 1}, elements[2] = {1, 1};
  for (const ContractionLoop &loop : loops) {
    if (ShapedType::isDynamic(loop.extent))
      return;
    if (!loop.reduces && loop.dims.empty() && loop.extent > 1)
      return;
    for (unsigned i = 0; i < 2; ++i) {
      if (!loop.isIn[i])
        continue;
      elements[i] = mulSaturating(elements[i], loop.extent);
      if (!loop.reduces && !loop.isIn[1 - i])
        sides[i] = mulSaturating(sides[i], loop.extent);
    }
  }
  if (sides[0] >= kLeastProductSide && sides[1] >= kLeastProductSide)
    return;
  unsigned larger = elements[1] > elements[0];
  bool folds = false, isAlongPoints = false;
  ThinProduct thin;
  for (const ContractionLoop &loop : loops) {
    if (loop.extent == 1)
      continue;
    if (!loop.reduces && !loop.isIn[larger])
      thin.rereadDims.append(loop.dims.begin(), loop.dims.end());
    if (!loop.isLast[larger])
      continue;
    folds |= loop.reduces;
    isAlongPoints |= !loop.reduces;
    if (!loop.reduces)
      thin.columns = loop.dims.back();
  }
  thin.order = folds == isAlongPoints ? ThinProduct::Order::Windows
               : folds                ? ThinProduct::Order::Rows
                                      : ThinProduct::Order::Columns;
  entry.thin = std::move(thin);
}
