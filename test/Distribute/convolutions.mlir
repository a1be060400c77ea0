// A block of a residual network on parts of a batch: nothing is exchanged.
// RUN: fuse-opt %s -fuse-distribute=shard=data=2 | FileCheck %s
// RUN: fuse-opt %s -test-fuse-distribute=shard=data=2 -o /dev/null | FileCheck %s --check-prefix=RANKS
// RUN: fuse-opt %s -test-fuse-distribute=shard=data=4 -o /dev/null | FileCheck %s --check-prefix=RANKS
// RUN: fuse-opt %s -test-fuse-distribute=shard=tensor=2,data=2 -o /dev/null | FileCheck %s --check-prefix=BOTH

// CHECK: func.func @residual(%{{.*}}: tensor<2x3x8x8xf32> {fuse.sharding = #fuse.sharding<grid = [2], dims = {{\[\[}}0], [], [], []]>}
// CHECK-NOT: fuse.all_
// CHECK: -> tensor<2x10xf32>
// RANKS: residual: equal within 1e-5
// BOTH: residual: {{.*}} equal within 1e-5
func.func @residual(%x: tensor<4x3x8x8xf32>, %stem: tensor<8x3x3x3xf32> {fuse.param}, %w1: tensor<8x8x3x3xf32> {fuse.param}, %w2: tensor<8x8x1x1xf32> {fuse.param},
                    %v: tensor<8xf32> {fuse.param}, %head: tensor<8x10xf32> {fuse.param}) -> tensor<4x10xf32> {
  %variance = fuse.unary abs %v : tensor<8xf32>
  %0 = fuse.conv2d %x, %stem, %v strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<4x3x8x8xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<4x8x8x8xf32>
  %1 = fuse.max_pool2d %0 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<4x8x8x8xf32> -> tensor<4x8x4x4xf32>
  %2 = fuse.conv2d %1, %w1 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<4x8x4x4xf32>, tensor<8x8x3x3xf32>) -> tensor<4x8x4x4xf32>
  %3 = fuse.batch_norm %2, %v, %v, %v, %variance epsilon = 1.000000e-02 feature_dimension = 1 : (tensor<4x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x4x4xf32>
  %4 = fuse.unary relu %3 : tensor<4x8x4x4xf32>
  %5 = fuse.conv2d %4, %w2 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<4x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<4x8x4x4xf32>
  %6 = fuse.binary add %1, %5 : tensor<4x8x4x4xf32>
  %7 = fuse.reduce mean %6 dimensions = [2, 3] : tensor<4x8x4x4xf32> -> tensor<4x8xf32>
  %8 = fuse.matmul %7, %head : (tensor<4x8xf32>, tensor<8x10xf32>) -> tensor<4x10xf32>
  return %8 : tensor<4x10xf32>
}
