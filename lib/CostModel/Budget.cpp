//===- Budget.cpp - What a function may cost at most -----*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/CostModel/Budget.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

ArrayRef<BudgetLimit> mlir::fuse::getBudgetLimits() {
  static const BudgetLimit limits[] = {
      {"launches", "kernel_launches", "launches", &Budget::launches, &Profile::kernelLaunches},
      {"syncs", "sync_points", "syncs", &Budget::syncs, &Profile::syncPoints},
      {"readback_bytes", "host_output_bytes", "bytes read back", &Budget::readbackBytes,
       &Profile::hostOutputBytes},
      {"traffic_bytes", "device_traffic_bytes", "bytes of traffic", &Budget::trafficBytes,
       &Profile::deviceTrafficBytes},
      {"collective_bytes", "collective_bytes", "bytes sent to other processes",
       &Budget::collectiveBytes, &Profile::collectiveBytes}};
  return limits;
}

Budget Budget::operator&(const Budget &other) const {
  Budget both = *this;
  for (const BudgetLimit &each : getBudgetLimits()) {
    std::optional<int64_t> &limit = both.*each.limit;
    const std::optional<int64_t> &second = other.*each.limit;
    if (second)
      limit = std::min(limit.value_or(*second), *second);
  }
  return both;
}

Budget Budget::fromAttr(BudgetAttr attr) {
  auto given = [](int64_t limit) {
    return limit == BudgetAttr::kNoLimit ? std::nullopt : std::optional(limit);
  };
  return {given(attr.getLaunches()), given(attr.getSyncs()), given(attr.getReadbackBytes()),
          given(attr.getTrafficBytes()), given(attr.getCollectiveBytes())};
}

BudgetAttr Budget::toAttr(MLIRContext *context) const {
  auto stored = [](std::optional<int64_t> limit) { return limit.value_or(BudgetAttr::kNoLimit); };
  return BudgetAttr::get(context, stored(launches), stored(syncs), stored(readbackBytes),
                         stored(trafficBytes), stored(collectiveBytes));
}

llvm::Expected<Budget> mlir::fuse::parseBudget(StringRef text) {
  auto fail = [&](const Twine &wanted, StringRef found) {
    return llvm::createStringError("expected " + wanted + ", found '" + found + "'");
  };
  std::string names;
  for (const BudgetLimit &each : getBudgetLimits())
    names += (names.empty() ? "" : ", ") + each.name.str();
  Budget budget;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    const BudgetLimit *limit = llvm::find_if(getBudgetLimits(), [&, name = name](auto &each) {
      return each.name == name || each.longName == name;
    });
    if (limit == getBudgetLimits().end())
      return fail("LIMIT=N,… with limits of " + names, part);
    int64_t value;
    if (number.getAsInteger(10, value) || value < 0)
      return fail(name + "=N, N an integer of at least 0", part);
    if (budget.*limit->limit)
      return fail("one limit for " + limit->name, text);
    budget.*limit->limit = value;
  }
  return budget;
}
