// Pipelines put together by hand, of which one pass is missing, end in an error, not in a crash.
// RUN: fuse-opt %s --fuse-pipeline="numerics=folds" -o %t.mlir && %python %S/leave_out.py fuse-opt %t.mlir --fuse-to-llvm --fuse-to-gpu | FileCheck %s
// CHECK: {{^1[0-9][0-9]}} pipelines, 0 failed

func.func @mixed(%x: tensor<1x16x12x12xf32>, %w: tensor<16x16x3x3xf32> {fuse.param}, %i: tensor<5xi64>, %u: tensor<5x16xf32>, %t: tensor<?x16xf32>) -> (tensor<1x16x6x6xf32>, tensor<12x16xf32>, tensor<?x16xf32>, tensor<12x12xf32>) {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x12x12xf32>
  %1 = fuse.unary relu %0 : tensor<1x16x12x12xf32>
  %2 = fuse.max_pool2d %1 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x16x12x12xf32> -> tensor<1x16x6x6xf32>
  %3 = fuse.slice %1 offsets = [0, 0, 0, 0] sizes = [1, 12, 1, 12] strides = [1, 1, 1, 1] : tensor<1x16x12x12xf32> -> tensor<1x12x1x12xf32>
  %4 = fuse.reshape %3 : tensor<1x12x1x12xf32> -> tensor<12x12xf32>
  %5 = fuse.softmax %4 dimension = 1 : tensor<12x12xf32>
  %6 = fuse.gather %5, %i dimension = 0 : (tensor<12x12xf32>, tensor<5xi64>) -> tensor<5x12xf32>
  %7 = fuse.matmul %6, %u transpose_lhs : (tensor<5x12xf32>, tensor<5x16xf32>) -> tensor<12x16xf32>
  %8 = fuse.unary exp %t : tensor<?x16xf32>
  %9 = fuse.reduce sum %8 dimensions = [1] keep_dims : tensor<?x16xf32> -> tensor<?x1xf32>
  %10 = fuse.binary div %8, %9 : (tensor<?x16xf32>, tensor<?x1xf32>) -> tensor<?x16xf32>
  %11 = fuse.scatter add %5, %i, %6 dimension = 0 : (tensor<12x12xf32>, tensor<5xi64>, tensor<5x12xf32>) -> tensor<12x12xf32>
  return %2, %7, %10, %11 : tensor<1x16x6x6xf32>, tensor<12x16xf32>, tensor<?x16xf32>, tensor<12x12xf32>
}
