//===- FuseOps.td - All ops of the dialect -*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IR_FUSEOPS_TD
#define FUSE_IR_FUSEOPS_TD

include "fuse/IR/CollectiveOps.td"
include "fuse/IR/ElementwiseOps.td"
include "fuse/IR/HostOps.td"
include "fuse/IR/KernelOps.td"
include "fuse/IR/MemoryOps.td"
include "fuse/IR/ReductionOps.td"
include "fuse/IR/ScalarOps.td"
include "fuse/IR/ScanOps.td"
include "fuse/IR/StructuredOps.td"

#endif // FUSE_IR_FUSEOPS_TD
