// A program that nobody asks to partition stays as it is, kernel for kernel.
// RUN: fuse-opt %s -o %t.before
// RUN: fuse-opt %s -fuse-shard-check -fuse-distribute -fuse-fold-collectives -o %t.behind
// RUN: diff %t.before %t.behind
// RUN: fuse-opt %s -fuse-pipeline -o %t.kernels
// RUN: fuse-opt %s -fuse-distribute -fuse-fold-collectives -fuse-pipeline -o %t.again
// RUN: diff %t.kernels %t.again
// Of one rank, too, kernels are the same.
// RUN: fuse-opt %s -fuse-distribute=shard=data=1 -fuse-pipeline | FileCheck %s
// CHECK-COUNT-1: fuse.kernel
// CHECK-NOT: fuse.kernel
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32> {fuse.param}, %b: tensor<32xf32> {fuse.param}) -> tensor<8x32xf32> {
  %0 = fuse.matmul %x, %w : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = fuse.binary add %0, %b : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %2 = fuse.unary relu %1 : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}
