//===- Listing.h - Which node went to which kernel --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_LISTING_H
#define FUSE_DRIVER_LISTING_H

#include "fuse/Driver/WrittenNodes.h"

namespace mlir::fuse {

/// One line per node, in the order in which they were written: its name, its operator, and what
/// became of it. The nodes are placed.
void printListing(const WrittenNodes &nodes, const FunctionReport &report, raw_ostream &os);

/// A digraph for Graphviz: a cluster per kernel with the nodes that it is made of, and the values
/// between them. Parameters and what nothing needs are left out.
void printGraph(const WrittenNodes &nodes, func::FuncOp function, const FunctionReport &report,
                raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_LISTING_H
