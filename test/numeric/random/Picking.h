//===- Picking.h - How operands are drawn -------------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_RANDOM_PICKING_H
#define FUSE_TEST_NUMERIC_RANDOM_PICKING_H

#include "Generator.h"

namespace mlir::fuse::random {

/// A tensor that `accepts` takes: what nobody has read more often than not, so that programs hang
/// together, else one of the latest, else any.
template <typename Fn>
int Generator::pick(Fn accepts) {
  if (focus >= 0)
    return accepts(graph.nodes[focus]) ? focus : -1;
  auto isTensor = [&](size_t i) {
    const Node &node = graph.nodes[i];
    return node.kind != Node::Effect && !node.isMemref &&
           !llvm::StringRef(node.text).starts_with("arith.constant") && accepts(node);
  };
  auto count = static_cast<int64_t>(graph.nodes.size());
  int64_t draw = random.below(4);
  if (draw < 2) {
    SmallVector<int> unused;
    for (int64_t i = count - 1; i >= 0 && unused.size() < 6; --i)
      if (!isUsed[i] && isTensor(i))
        unused.push_back(static_cast<int>(i));
    if (!unused.empty())
      return unused[random.below(unused.size())];
  }
  int64_t from = draw == 2 ? std::max<int64_t>(0, count - 12) : 0;
  for (int tries = 0; tries < 24; ++tries) {
    int64_t i = from + random.below(count - from);
    if (isTensor(i))
      return static_cast<int>(i);
  }
  return -1;
}

} // namespace mlir::fuse::random

#endif // FUSE_TEST_NUMERIC_RANDOM_PICKING_H
