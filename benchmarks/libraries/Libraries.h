//===- Libraries.h - Products and convolutions of OpenBLAS and oneDNN ------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_BENCHMARKS_LIBRARIES_LIBRARIES_H
#define FUSE_BENCHMARKS_LIBRARIES_LIBRARIES_H

#include <cstdint>
#include <functional>
#include <string>

namespace mlir::fuse::bench {

/// rows x inner times inner x columns, f32.
struct ProductShape {
  int64_t rows, columns, inner;
  /// "512x1024x256": rows, columns, inner.
  std::string describe() const;
};

/// A convolution of an image of height x width, f32, with square windows and as much padding on
/// all sides; `groups` is 1 or the number of channels.
struct ConvolutionShape {
  int64_t inputs, outputs, height, width, window, stride, padding, groups;

  int64_t getOutHeight() const { return (height + 2 * padding - window) / stride + 1; }
  int64_t getOutWidth() const { return (width + 2 * padding - window) / stride + 1; }
  /// "64→128 56x56 3x3 /2", and "depthwise".
  std::string describe() const;
};

/// How many threads both libraries take from now on.
void setLibraryThreads(int threads);

/// A call of cblas_sgemm alone.
std::function<void()> makeBlasProduct(const ProductShape &shape);

/// oneDNN's product with bias and relu; the weights are in the layout that it wants.
std::function<void()> makeDnnlProduct(const ProductShape &shape);

/// oneDNN's product alone: of bf16 to f32, or of 8-bit integers to i32; the weights as above.
enum class ShortType { BF16, I8 };
std::function<void()> makeDnnlShortProduct(const ProductShape &shape, ShortType type);

/// oneDNN's convolution with bias and relu; image, weights and result are in the layouts that it
/// wants.
std::function<void()> makeDnnlConvolution(const ConvolutionShape &shape);

} // namespace mlir::fuse::bench

#endif // FUSE_BENCHMARKS_LIBRARIES_LIBRARIES_H
