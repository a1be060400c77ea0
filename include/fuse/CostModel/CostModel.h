//===- CostModel.h - What a merge is worth -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What the planner asks of a cost model: plain facts in, nanoseconds out. A model holds the figures
// of one target and no state, so it may be asked from several threads.
//
// The planner orders merges by their score, lets groups grow, and then keeps a group if all of it
// together, against its members apart, brings at least the target's min_gain_ns: judged merge by
// merge, a chain that pays as a whole would be refused at every step.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_COSTMODEL_H
#define FUSE_COSTMODEL_COSTMODEL_H

#include "fuse/CostModel/IoCost.h"
#include "fuse/CostModel/LaunchFacts.h"
#include "fuse/IR/FuseAttributes.h"
#include "fuse/Support/Numerics.h"

#include <memory>

namespace mlir::fuse {

class CostModel {
public:
  virtual ~CostModel();

  /// The name that options know it by.
  virtual StringRef getName() const = 0;

  /// How long one launch takes, in ns.
  virtual double estimateNs(const LaunchFacts &launch) const = 0;

  /// What saving `benefit` is worth, in ns; without the penalty for added waits.
  virtual double scoreMerge(const Benefit &benefit) const = 0;

  /// How much less `together` takes than `apart`, in ns. The default takes the difference of the
  /// estimates.
  virtual double scoreGroup(ArrayRef<LaunchFacts> apart, const LaunchFacts &together) const;

  /// The least score, in ns, that makes a group worth keeping.
  double getMinGainNs() const { return minGainNs; }
  bool isWorthwhile(double scoreNs) const { return scoreNs >= minGainNs; }

  /// What the code of the kernels that are priced may do: code of class `exact` keeps the order of sums, so that it streams
  /// no dim, and a kernel has another schedule than one whose sums may be reassociated.
  Numerics getNumerics() const { return numerics; }

protected:
  CostModel(double minGainNs, Numerics numerics) : minGainNs(minGainNs), numerics(numerics) {}

private:
  double minGainNs;
  Numerics numerics;
};

/// The names of the cost models, in the order of their table in CostModel.cpp.
ArrayRef<StringRef> getCostModelNames();

/// The model `name` for `target`; null for an unknown name.
std::unique_ptr<CostModel> createCostModel(StringRef name, TargetAttr target,
                                           Numerics numerics = Numerics::Exact);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_COSTMODEL_H
