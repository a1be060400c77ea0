// From TOSA and from linalg to the LLVM dialect, as docs/conversions.md has it.
// RUN: fuse-opt %s --pass-pipeline='builtin.module(func.func(convert-tosa-to-fuse, convert-linalg-to-fuse), fuse-pipeline{numerics=folds prepare=true layouts}, fuse-to-llvm{stream})' | FileCheck %s --implicit-check-not=unrealized_conversion_cast --implicit-check-not='fuse.kernel ('

// One kernel each.
// CHECK:     llvm.func @kernel_
// CHECK:     llvm.func @kernel_
// CHECK-DAG: llvm.func @fuse_run_tosa(
// CHECK-DAG: llvm.func @fuse_run_linalg(

func.func @tosa(%x: tensor<2x8xf32>, %y: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = tosa.add %x, %y : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %1 = tosa.tanh %0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

func.func @linalg(%x: tensor<8x16xf32>, %w: tensor<16x4xf32> {fuse.param}) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%init : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.softmax dimension(1) ins(%0 : tensor<8x4xf32>) outs(%empty : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
