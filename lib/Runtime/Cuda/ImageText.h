//===- ImageText.h - What an image was made for -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_CUDA_IMAGETEXT_H
#define FUSE_LIB_RUNTIME_CUDA_IMAGETEXT_H

#include <cstdint>

namespace mlir::fuse::runtime::cuda {

/// An image as text, for messages: "a cubin for sm_90", "PTX 8.0 for sm_80".
struct ImageText {
  ImageText(const void *image, int64_t bytes);
  char text[64];
};

} // namespace mlir::fuse::runtime::cuda

#endif // FUSE_LIB_RUNTIME_CUDA_IMAGETEXT_H
