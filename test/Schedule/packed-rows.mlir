// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules{stream}))" | FileCheck %s

// The projection of an attention's queries, whose weights lie in blocks of 32 columns, in one kernel with the attention:
// 12 heads of 64 columns, 64 queries. The elements of the attention's result are no rows of the projection: its tiles
// have 32 rows, and the weights are read twice.
// CHECK: <block, dims = [0, 1, 2], sizes = [1, 32, 64]>
func.func @attention(%x: tensor<64x768xf32>, %w: tensor<24x768x32xf32> {fuse.param}, %k: tensor<12x64x64xf32>, %v: tensor<12x64x64xf32>) -> tensor<12x64x64xf32> {
  %0 = fuse.kernel (%a = %x, %b = %w, %c = %k, %d = %v) : (tensor<64x768xf32>, tensor<24x768x32xf32>, tensor<12x64x64xf32>, tensor<12x64x64xf32>) -> tensor<12x64x64xf32> {
    %1 = fuse.transpose %b permutation = [1, 0, 2] : tensor<24x768x32xf32> -> tensor<768x24x32xf32>
    %2 = fuse.reshape %1 : tensor<768x24x32xf32> -> tensor<768x768xf32>
    %3 = fuse.matmul %a, %2 : (tensor<64x768xf32>, tensor<768x768xf32>) -> tensor<64x768xf32>
    %4 = fuse.reshape %3 : tensor<64x768xf32> -> tensor<64x12x64xf32>
    %5 = fuse.transpose %4 permutation = [1, 0, 2] : tensor<64x12x64xf32> -> tensor<12x64x64xf32>
    %6 = fuse.matmul %5, %c transpose_rhs : (tensor<12x64x64xf32>, tensor<12x64x64xf32>) -> tensor<12x64x64xf32>
    %7 = fuse.reduce max %6 dimensions = [2] keep_dims : tensor<12x64x64xf32> -> tensor<12x64x1xf32>
    %8 = fuse.binary sub %6, %7 : (tensor<12x64x64xf32>, tensor<12x64x1xf32>) -> tensor<12x64x64xf32>
    %9 = fuse.unary exp %8 : tensor<12x64x64xf32>
    %10 = fuse.reduce sum %9 dimensions = [2] keep_dims : tensor<12x64x64xf32> -> tensor<12x64x1xf32>
    %11 = fuse.binary div %9, %10 : (tensor<12x64x64xf32>, tensor<12x64x1xf32>) -> tensor<12x64x64xf32>
    %12 = fuse.matmul %11, %d : (tensor<12x64x64xf32>, tensor<12x64x64xf32>) -> tensor<12x64x64xf32>
    fuse.yield %12 : tensor<12x64x64xf32>
  }
  return %0 : tensor<12x64x64xf32>
}
