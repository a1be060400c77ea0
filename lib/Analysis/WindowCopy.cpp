//===- WindowCopy.cpp - What blocks lay out anew of what a window goes over ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupDomain.h"
#include "fuse/Support/Saturating.h"

using namespace mlir;
using namespace mlir::fuse;

std::optional<WindowCopy> mlir::fuse::getWindowCopy(const MemberTable &table,
                                                    const GroupDomain &domain, unsigned m,
                                                    const MemberRead &read) {
  if (read.window.empty()) // nearly all that is read; asked of each operand for each price
    return std::nullopt;
  bool isMade = domain.contains(read.producer) &&
                table[read.producer].pattern == OpPattern::Elementwise;
  if (!read.isCopied && !isMade)
    return std::nullopt;
  const Member &member = table[domain.nodes[m]];
  WindowCopy copy;
  for (const WindowPosition &position : read.window) {
    std::optional<WindowDim> along; // where the position is a window that blocks cut
    bool isCut = false;
    int64_t taps = 1, reach = 1;
    for (auto [loop, step] : llvm::zip_equal(position.loops, position.steps)) {
      bool isShared = false;
      int64_t own = 1; // the part of a loop that is cut that each block goes over
      for (auto [atom, dim] : llvm::zip(domain.atoms[m], domain.shared.loops[m])) {
        if (atom.loop != loop || (!ShapedType::isDynamic(atom.extent) &&
                                  atom.divisor * atom.extent <= position.divisor))
          continue;
        if (dim == SharedDomain::kPrivate) {
          own = mulCounts(own, member.getLikely(atom));
          continue;
        }
        isShared = true;
        if (!llvm::is_contained(copy.dims, static_cast<unsigned>(dim)))
          copy.dims.push_back(dim);
        if (position.isWindow())
          along = WindowDim{static_cast<unsigned>(dim), step, 1};
      }
      isCut |= isShared;
      if (isShared) {
        copy.elements = mulCounts(copy.elements, own);
      } else {
        taps = mulCounts(taps, member.likely[loop]);
        reach = addCounts(reach, mulCounts(step, member.likely[loop] - 1));
      }
    }
    if (!isCut)
      copy.elements = mulCounts(copy.elements, position.likely);
    else
      copy.taps = mulCounts(copy.taps, taps);
    if (along) {
      along->reach = reach;
      copy.windows.push_back(*along);
    }
  }
  return copy;
}

int64_t mlir::fuse::getWindowExtent(ArrayRef<WindowDim> windows, unsigned dim, int64_t tile) {
  for (const WindowDim &along : windows)
    if (along.dim == dim)
      return addCounts(mulCounts(along.step, tile - 1), along.reach);
  return tile;
}
