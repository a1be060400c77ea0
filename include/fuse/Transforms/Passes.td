//===- Passes.td - Passes on programs -----*- tablegen -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TRANSFORMS_PASSES_TD
#define FUSE_TRANSFORMS_PASSES_TD

include "fuse/Transforms/PreparationPasses.td"
include "fuse/Transforms/NumbersPasses.td"
include "fuse/Transforms/PlanningPasses.td"
include "fuse/Transforms/LayoutPasses.td"

#endif // FUSE_TRANSFORMS_PASSES_TD
