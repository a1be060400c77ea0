//===- Places.h - Begins and ends of slices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_OPS_PLACES_H
#define FUSE_IMPORT_TORCH_OPS_PLACES_H

#include "../../Common/ComputedNumbers.h"
#include "../OpTable.h"

namespace mlir::fuse::torch {

/// A begin or an end along an extent, and what it takes: each first is at least the second.
struct Place {
  AffineExpr at;
  SmallVector<std::pair<AffineExpr, AffineExpr>, 2> conditions;
};

/// What a begin or an end may be, the likeliest first: itself, or clamped to the extent; counted from the end, or clamped to 0.
inline SmallVector<Place> listPlaces(Node &n, AffineExpr at, AffineExpr extent) {
  AffineExpr zero = n.getConstant(0), fromEnd = simplifyExtent(extent + at);
  std::optional<int64_t> least = n.getLeast(at), most = n.getMost(at);
  SmallVector<Place> places;
  bool isPositive = least && *least >= 0;
  if (isPositive || !most || *most >= 0)
    places = {Place{at, {{at, zero}, {extent, at}}}, Place{extent, {{at, extent}}}};
  if (!isPositive)
    places.append({Place{fromEnd, {{n.getConstant(-1), at}, {fromEnd, zero}}}, Place{zero, {{zero, fromEnd}}}});
  llvm::erase_if(places, [&](const Place &place) {
    return llvm::any_of(place.conditions, [&](auto condition) {
      return n.getMost(simplifyExtent(condition.first - condition.second)).value_or(0) < 0;
    });
  });
  // Which always holds is the only one.
  for (const Place &place : places)
    if (llvm::all_of(place.conditions, [&](auto condition) {
          return n.getLeast(simplifyExtent(condition.first - condition.second)).value_or(-1) >= 0;
        }))
      return {place};
  return places;
}

/// A begin or an end as slices take it: counted from the end where it is negative, and in [`least`, extent]. Where expressions leave
/// open which of these holds, it is computed.
inline AffineExpr clampPlace(Node &n, AffineExpr at, AffineExpr extent, AffineExpr least) {
  ComputedNumbers a(n);
  return a.max({a.min({n.getPlace(at, extent), extent}), least});
}

/// from, from + step …: `count` of them, as indices.
inline Value listSteps(Node &n, AffineExpr from, AffineExpr count, AffineExpr step) {
  Type index = n.b.getBuilder().getI64Type();
  Value places = n.b.iota(n.getSizes({count}), 0, index);
  return n.b.add(n.b.mul(places, n.getNumber(step, index)), n.getNumber(from, index));
}

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_OPS_PLACES_H
