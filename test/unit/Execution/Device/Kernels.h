//===- Kernels.h - Small kernels in text for the tests ----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_EXECUTION_DEVICE_KERNELS_H
#define FUSE_TEST_UNIT_EXECUTION_DEVICE_KERNELS_H

#include <string>

namespace fusetest {

/// A kernel @k of one thread's worth of work: `body` sees %x, an f32 loaded from the first
/// argument, and must define %y, which is stored to the second.
inline std::string makeUnaryKernel(const std::string &body, const std::string &globals = "",
                                   const std::string &attribute = "nvvm.kernel") {
  return globals + "llvm.func @k(%from: !llvm.ptr, %to: !llvm.ptr) attributes {" + attribute +
         "} {\n  %x = llvm.load %from : !llvm.ptr -> f32\n" + body +
         "\n  llvm.store %y, %to : f32, !llvm.ptr\n  llvm.return\n}\n";
}

} // namespace fusetest

#endif // FUSE_TEST_UNIT_EXECUTION_DEVICE_KERNELS_H
