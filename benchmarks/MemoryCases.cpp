//===- MemoryCases.cpp - Kernels that memory bounds ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "MemoryCases.h"

using namespace mlir::fuse::bench;

std::vector<MemoryCase> mlir::fuse::bench::getMemoryCases() {
  return {
      {"relu, sigmoid, exp", R"mlir(
func.func @main(%x: XTYPE) -> XTYPE {
  %0 = fuse.unary relu %x : XTYPE
  %1 = fuse.unary sigmoid %0 : XTYPE
  %2 = fuse.unary exp %1 : XTYPE
  return %2 : XTYPE
})mlir",
       Reference::Triad, 2, 1.15, true, true},
      {"chain of ten", R"mlir(
func.func @main(%x: XTYPE) -> XTYPE {
  %tenth = arith.constant dense<0.1> : tensor<f32>
  %fifth = arith.constant dense<0.2> : tensor<f32>
  %half = arith.constant dense<0.5> : tensor<f32>
  %most = arith.constant dense<0.7> : tensor<f32>
  %0 = fuse.binary mul %x, %most : (XTYPE, tensor<f32>) -> XTYPE
  %1 = fuse.binary add %0, %tenth : (XTYPE, tensor<f32>) -> XTYPE
  %2 = fuse.unary tanh %1 : XTYPE
  %3 = fuse.binary mul %2, %x : XTYPE
  %4 = fuse.unary sigmoid %3 : XTYPE
  %5 = fuse.binary sub %4, %half : (XTYPE, tensor<f32>) -> XTYPE
  %6 = fuse.unary abs %5 : XTYPE
  %7 = fuse.unary sqrt %6 : XTYPE
  %8 = fuse.binary max %7, %fifth : (XTYPE, tensor<f32>) -> XTYPE
  %9 = fuse.binary add %8, %x : XTYPE
  return %9 : XTYPE
})mlir",
       Reference::Triad, 2, 1.15, true, false},
      {"scale, shift, relu", R"mlir(
func.func @main(%x: XTYPE, %scale: COLTYPE, %shift: COLTYPE) -> XTYPE {
  %0 = fuse.binary mul %x, %scale : (XTYPE, COLTYPE) -> XTYPE
  %1 = fuse.binary add %0, %shift : (XTYPE, COLTYPE) -> XTYPE
  %2 = fuse.unary relu %1 : XTYPE
  return %2 : XTYPE
})mlir",
       Reference::Triad, 2, 1.15, true, true},
      {"bias, gelu", R"mlir(
func.func @main(%x: XTYPE, %bias: COLTYPE) -> XTYPE {
  %0 = fuse.binary add %x, %bias : (XTYPE, COLTYPE) -> XTYPE
  %1 = fuse.unary gelu %0 approximate = none : XTYPE
  return %1 : XTYPE
})mlir",
       Reference::Triad, 2, 1.15, true, false},
      {"row sums", R"mlir(
func.func @main(%x: XTYPE) -> ROWTYPE {
  %0 = fuse.reduce sum %x dimensions = [1] : XTYPE -> ROWTYPE
  return %0 : ROWTYPE
})mlir",
       Reference::Read, 1, 1.1, false, true},
      {"column sums", R"mlir(
func.func @main(%x: XTYPE) -> COLTYPE {
  %0 = fuse.reduce sum %x dimensions = [0] : XTYPE -> COLTYPE
  return %0 : COLTYPE
})mlir",
       Reference::Read, 1, 1.1, false, true},
      {"full sum", R"mlir(
func.func @main(%x: XTYPE) -> tensor<f32> {
  %0 = fuse.reduce sum %x dimensions = [0, 1] : XTYPE -> tensor<f32>
  return %0 : tensor<f32>
})mlir",
       Reference::Read, 1, 1.1, false, false},
      {"log of sum of exp", R"mlir(
func.func @main(%x: XTYPE) -> ONETYPE {
  %0 = fuse.reduce max %x dimensions = [1] keep_dims : XTYPE -> ONETYPE
  %1 = fuse.binary sub %x, %0 : (XTYPE, ONETYPE) -> XTYPE
  %2 = fuse.unary exp %1 : XTYPE
  %3 = fuse.reduce sum %2 dimensions = [1] keep_dims : XTYPE -> ONETYPE
  %4 = fuse.unary log %3 : ONETYPE
  %5 = fuse.binary add %4, %0 : ONETYPE
  return %5 : ONETYPE
})mlir",
       Reference::Read, 1, 1.15, true, false},
      {"softmax", R"mlir(
func.func @main(%x: XTYPE) -> XTYPE {
  %0 = fuse.softmax %x dimension = 1 : XTYPE
  return %0 : XTYPE
})mlir",
       Reference::Copy, 2, 1.4, false, true},
      {"layer norm", R"mlir(
func.func @main(%x: XTYPE, %g: COLTYPE, %b: COLTYPE) -> XTYPE {
  %0 = fuse.layer_norm %x, %g, %b dimensions = [1] epsilon = 1.0e-05 : (XTYPE, COLTYPE, COLTYPE) -> XTYPE
  return %0 : XTYPE
})mlir",
       Reference::Copy, 2, 1.4, false, true},
      {"RMS norm", R"mlir(
func.func @main(%x: XTYPE, %g: COLTYPE) -> XTYPE {
  %epsilon = arith.constant dense<1.0e-05> : tensor<f32>
  %0 = fuse.binary mul %x, %x : XTYPE
  %1 = fuse.reduce mean %0 dimensions = [1] keep_dims : XTYPE -> ONETYPE
  %2 = fuse.binary add %1, %epsilon : (ONETYPE, tensor<f32>) -> ONETYPE
  %3 = fuse.unary rsqrt %2 : ONETYPE
  %4 = fuse.binary mul %x, %3 : (XTYPE, ONETYPE) -> XTYPE
  %5 = fuse.binary mul %4, %g : (XTYPE, COLTYPE) -> XTYPE
  return %5 : XTYPE
})mlir",
       Reference::Copy, 2, 1.4, false, false},
      {"residual, layer norm", R"mlir(
func.func @main(%x: XTYPE, %r: XTYPE, %g: COLTYPE, %b: COLTYPE) -> XTYPE {
  %0 = fuse.binary add %x, %r : XTYPE
  %1 = fuse.layer_norm %0, %g, %b dimensions = [1] epsilon = 1.0e-05 : (XTYPE, COLTYPE, COLTYPE) -> XTYPE
  return %1 : XTYPE
})mlir",
       Reference::Copy, 3, 1.4, false, false},
      {"layer norm, gelu", R"mlir(
func.func @main(%x: XTYPE, %g: COLTYPE, %b: COLTYPE) -> XTYPE {
  %0 = fuse.layer_norm %x, %g, %b dimensions = [1] epsilon = 1.0e-05 : (XTYPE, COLTYPE, COLTYPE) -> XTYPE
  %1 = fuse.unary gelu %0 approximate = none : XTYPE
  return %1 : XTYPE
})mlir",
       Reference::Copy, 2, 1.8, false, false},
  };
}

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::string mlir::fuse::bench::makeProgram(const MemoryCase &test, const MatrixShape &shape) {
  std::string rows = shape.isDynamic ? "?" : std::to_string(shape.rows);
  std::string columns = shape.isDynamic ? "?" : std::to_string(shape.columns);
  std::string text = test.source;
  replaceAll(text, "XTYPE", "tensor<" + rows + "x" + columns + "xf32>");
  replaceAll(text, "ONETYPE", "tensor<" + rows + "x1xf32>");
  replaceAll(text, "ROWTYPE", "tensor<" + rows + "xf32>");
  replaceAll(text, "COLTYPE", "tensor<" + columns + "xf32>");
  return text;
}

std::vector<std::vector<int64_t>> mlir::fuse::bench::getInputShapes(const MemoryCase &test,
                                                                    const MatrixShape &shape) {
  // The arguments, in order: only large operands and vectors of columns are passed.
  std::string text = test.source;
  text = text.substr(0, text.find("->"));
  std::vector<std::vector<int64_t>> shapes;
  for (size_t at = 0; (at = text.find("TYPE", at)) != std::string::npos; at += 4) {
    if (text[at - 1] == 'X')
      shapes.push_back({shape.rows, shape.columns});
    else
      shapes.push_back({shape.columns});
  }
  return shapes;
}
