// RUN: fuse-opt %s --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s

func.func @labels(%x: tensor<8x4xf32>, %m: memref<8x4xf32>, %i: tensor<1x1x8x8xf32>) {
  // One op is no chain.
  // CHECK: [[#@LINE+1]]:8: remark: [Analysis] label {{.*}} Remark=other{{$}}
  %0 = fuse.unary relu %x : tensor<8x4xf32>
  // CHECK: Remark=row-reduction{{$}}
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<8x4xf32> -> tensor<8xf32>
  // CHECK: Remark=row-reduction{{$}}
  %2 = fuse.argmax %0 dimension = 1 : tensor<8x4xf32> -> tensor<8xi64>
  // CHECK: Remark=contraction{{$}}
  %3 = fuse.matmul %0, %0 transpose_rhs : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  // CHECK: Remark=copy{{$}}
  fuse.store %0, %m : tensor<8x4xf32>, memref<8x4xf32>
  // CHECK: Remark=copy{{$}}
  %4 = fuse.concat %0, %0 dimension = 0 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  // CHECK: Remark=other{{$}}
  %5 = fuse.max_pool2d %i kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x1x8x8xf32> -> tensor<1x1x4x4xf32>
  // CHECK: Remark=elementwise-chain{{$}}
  %6 = fuse.unary exp %x {fuse.group = array<i64: 0>} : tensor<8x4xf32>
  %7 = fuse.unary neg %6 {fuse.group = array<i64: 0>} : tensor<8x4xf32>
  return
}
