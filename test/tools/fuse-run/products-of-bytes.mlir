// Products of dequantized tensors are products of bytes where the CPU that code is for has an instruction for them.
// RUN: fuse-run %s --random-inputs 1 --check --cpu x86-64-v3 --explain 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: env FUSE_TARGET_FILE= fuse-run %s --random-inputs 1 --check --explain 2>&1 | FileCheck %s
// RUN: env FUSE_TARGET_FILE= fuse-run %s --random-inputs 1 --check --explain --numerics exact 2>&1 | FileCheck %s --check-prefix=EXACT
// PLAIN: [Missed] no-instruction
// CHECK: [Passed] integer-product
// CHECK: against the interpreter
// EXACT: [Missed] numerics
// EXACT: against the interpreter

func.func @main(%x: tensor<8x64xui8>, %w: tensor<64x32xi8> {fuse.param}) -> tensor<8x32xf32> {
  %s = arith.constant dense<1.000000e-01> : tensor<f32>
  %z = arith.constant dense<7.000000e+00> : tensor<f32>
  %0 = fuse.cast %x : (tensor<8x64xui8>) -> tensor<8x64xf32>
  %1 = fuse.binary sub %0, %z : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %2 = fuse.binary mul %1, %s : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %3 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %4 = fuse.matmul %2, %3 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %4 : tensor<8x32xf32>
}
