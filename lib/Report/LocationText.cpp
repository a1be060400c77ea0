//===- LocationText.cpp - Where an op was written ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LocationText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

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

void mlir::fuse::addLocations(Location loc, std::vector<std::string> &texts) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      addLocations(part, texts);
    return;
  }
  if (std::string text = formatLocation(loc); text != "unknown" && !llvm::is_contained(texts, text))
    texts.push_back(std::move(text));
}
