//===- WindowCopy.cpp - What blocks lay out anew of what a window goes over ---------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Analysis/GroupDomain.h"
#include "llvm/Support/MathExtras.h"

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
  auto multiply = [&](int64_t a, int64_t b) {
    return static_cast<int64_t>(
        std::min<uint64_t>(llvm::SaturatingMultiply<uint64_t>(a, b), int64_t(1) << 60));
  };
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
          own = multiply(own, member.getLikely(atom));
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
        copy.elements = multiply(copy.elements, own);
      } else {
        taps = multiply(taps, member.likely[loop]);
        reach += multiply(step, member.likely[loop]) - step;
      }
    }
    if (!isCut)
      copy.elements = multiply(copy.elements, position.likely);
    else
      copy.taps = multiply(copy.taps, taps);
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
      return std::min<uint64_t>(
          llvm::SaturatingMultiplyAdd<uint64_t>(along.step, tile - 1, along.reach),
          int64_t(1) << 60);
  return tile;
}
