//===- LocationText.cpp - Where an op was written ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LocationText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

/// Whether a text is file:line:column.
static bool isPlaceInFile(llvm::StringRef text) {
  for (int i = 0; i < 2; ++i) {
    auto [before, number] = text.rsplit(':');
    if (number.empty() || !llvm::all_of(number, llvm::isDigit))
      return false;
    text = before;
  }
  return true;
}

std::string mlir::fuse::findLayer(llvm::ArrayRef<std::string> texts) {
  std::vector<llvm::SmallVector<llvm::StringRef>> paths;
  for (llvm::StringRef text : texts) {
    if (isPlaceInFile(text))
      continue;
    llvm::SmallVector<llvm::StringRef> &path = paths.emplace_back();
    text.split(path, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (!path.empty())
      path.pop_back(); // the op itself
  }
  std::string layer;
  for (size_t depth = 0;; ++depth) {
    llvm::MapVector<llvm::StringRef, size_t> counts;
    for (const auto &path : paths)
      if (depth < path.size())
        ++counts[path[depth]];
    auto most = llvm::max_element(counts, llvm::less_second());
    if (most == counts.end() || 2 * most->second <= texts.size())
      return layer;
    llvm::StringRef name = most->first;
    layer += (layer.empty() ? "" : "/") + name.str();
    llvm::erase_if(paths, [&](const auto &path) {
      return depth >= path.size() || path[depth] != name;
    });
  }
}
