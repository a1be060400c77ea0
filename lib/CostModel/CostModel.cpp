//===- CostModel.cpp - What a merge is worth -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/CostModel.h"
#include "Models.h"

using namespace mlir;
using namespace mlir::fuse;

CostModel::~CostModel() = default;

double CostModel::scoreGroup(ArrayRef<LaunchFacts> apart, const LaunchFacts &together) const {
  double sum = 0;
  for (const LaunchFacts &launch : apart)
    sum += estimateNs(launch);
  return sum - estimateNs(together);
}

namespace {

struct Model {
  StringLiteral name;
  std::unique_ptr<CostModel> (*create)(TargetAttr target, Numerics numerics);
};

/// A new model is one row here.
constexpr Model models[] = {{"io", createIoCostModel}, {"roofline", createRooflineCostModel}};

} // namespace

ArrayRef<StringRef> mlir::fuse::getCostModelNames() {
  static const SmallVector<StringRef> names =
      llvm::map_to_vector(models, [](const Model &model) { return StringRef(model.name); });
  return names;
}

std::unique_ptr<CostModel> mlir::fuse::createCostModel(StringRef name, TargetAttr target,
                                                       Numerics numerics) {
  for (const Model &model : models)
    if (model.name == name)
      return model.create(target, numerics);
  return nullptr;
}
