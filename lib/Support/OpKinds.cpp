//===- OpKinds.cpp - The kinds of element-wise and reduce ops -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/OpKinds.h"

#include "fuse/Support/OpKinds.cpp.inc"
