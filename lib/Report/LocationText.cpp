//===- LocationText.cpp - Where an op was written ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LocationText.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

std::string mlir::fuse::formatLocation(Location loc) {
  std::string place, name;
  loc->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part)) {
      place = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
              std::to_string(file.getColumn());
      return WalkResult::interrupt();
    }
    if (auto named = dyn_cast<NameLoc>(part); named && name.empty())
      name = named.getName().str();
    return WalkResult::advance();
  });
  if (!place.empty())
    return place;
  return name.empty() ? "unknown" : name;
}
