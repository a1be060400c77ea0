//===- Budget.h - What a function may cost at most -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_COSTMODEL_BUDGET_H
#define FUSE_COSTMODEL_BUDGET_H

#include "fuse/CostModel/Profile.h"
#include "llvm/Support/Error.h"

namespace mlir::fuse {

/// Limits on the counts of a profile; what is not given is not limited.
struct Budget {
  std::optional<int64_t> launches;
  std::optional<int64_t> syncs;
  std::optional<int64_t> readbackBytes;
  std::optional<int64_t> trafficBytes;
  std::optional<int64_t> collectiveBytes;

  bool isEmpty() const {
    return !launches && !syncs && !readbackBytes && !trafficBytes && !collectiveBytes;
  }
  /// Both hold: of each limit the lower one.
  Budget operator&(const Budget &other) const;

  static Budget fromAttr(BudgetAttr attr);
  BudgetAttr toAttr(MLIRContext *context) const;
};

/// One limit, and the count of the profile that it is for.
struct BudgetLimit {
  StringRef name;     ///< as `#fuse.budget` has it
  StringRef longName; ///< as `#fuse.profile` and reports have it
  StringRef unit;     ///< for messages, behind a number
  std::optional<int64_t> Budget::*limit;
  int64_t Profile::*count;
};
ArrayRef<BudgetLimit> getBudgetLimits();

/// Reads `launches=2,traffic_bytes=1024`; either name of a limit serves. An error says what was
/// expected and what was found.
llvm::Expected<Budget> parseBudget(StringRef text);

} // namespace mlir::fuse

#endif // FUSE_COSTMODEL_BUDGET_H
