//===- CBackend.h - Kernels as C text -------------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A backend that an outside project brings along: "c" prints each kernel as a function in C. It
// knows element-wise ops and sums of rows, on f32, and refuses kernels of anything else.
//
//===----------------------------------------------------------------------------------------===//

#ifndef OUTSIDE_CBACKEND_H
#define OUTSIDE_CBACKEND_H

#include "fuse/Execution/Backend.h"

/// CompiledObjects::images of its programs hold a kernel's text each; there is no binary, and
/// nothing is run. A kernel's function takes pointers to its operands, then to its results:
///
///   void kernel_0(const float *in0, const float *in1, float *out0) { … }
std::unique_ptr<mlir::fuse::Backend> createCBackend();

#endif // OUTSIDE_CBACKEND_H
