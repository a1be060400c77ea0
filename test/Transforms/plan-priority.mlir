// What the strategy priority decides, and what it refuses.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels | FileCheck %s
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-plan --fuse-form-kernels | FileCheck %s

// A whole row kernel: reductions with what they read and what reads them.
// CHECK-LABEL: func.func @row_kernel
// CHECK: fuse.kernel
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @row_kernel(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary relu %x : tensor<64x128xf32>
  %1 = fuse.softmax %0 dimension = 1 : tensor<64x128xf32>
  %2 = fuse.unary neg %1 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// What is read by two members and returned is computed once, as a second result.
// CHECK-LABEL: func.func @several_results
// CHECK: %[[K:.*]]:2 = fuse.kernel
// CHECK-NOT: fuse.kernel
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @several_results(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x1xf32>) {
  %0 = fuse.unary exp %x : tensor<64x128xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] keep_dims : tensor<64x128xf32> -> tensor<64x1xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<64x1xf32>
}

// Readers of one value become one launch, which reads it once.
// CHECK-LABEL: func.func @siblings
// CHECK: %[[K:.*]]:2 = fuse.kernel (%{{.*}} = %{{.*}}) : (tensor<64x128xf32>)
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @siblings(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %0 = fuse.unary exp %x : tensor<64x128xf32>
  %1 = fuse.unary neg %x : tensor<64x128xf32>
  return %0, %1 : tensor<64x128xf32>, tensor<64x128xf32>
}

// A full reduction is one block: what it reads has more to do than one thread should.
// CHECK-LABEL: func.func @full_reduction
// CHECK: fuse.kernel
// CHECK: fuse.unary relu
// CHECK: fuse.kernel
// CHECK: fuse.reduce sum
// CHECK: return
func.func @full_reduction(%x: tensor<512x512xf32>) -> tensor<f32> {
  %0 = fuse.unary relu %x : tensor<512x512xf32>
  %1 = fuse.reduce sum %0 dimensions = [0, 1] : tensor<512x512xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// A small one may be one block with all that it reads.
// CHECK-LABEL: func.func @small_reduction
// CHECK: fuse.kernel
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @small_reduction(%x: tensor<16x16xf32>) -> tensor<f32> {
  %0 = fuse.unary relu %x : tensor<16x16xf32>
  %1 = fuse.reduce sum %0 dimensions = [0, 1] : tensor<16x16xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// The host op between needs the first and is needed by the last.
// CHECK-LABEL: func.func @host_between
// CHECK: fuse.kernel
// CHECK: fuse.host_call
// CHECK: fuse.kernel
// CHECK: return
func.func @host_between(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary exp %x : tensor<64x128xf32>
  %1 = fuse.host_call @h(%0) pure : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = fuse.binary add %0, %1 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// Reading the weights of both layers again for each row tile costs more than the launch.
// CHECK-LABEL: func.func @weights_are_read_again
// CHECK: fuse.kernel
// CHECK: fuse.kernel
// CHECK: return
func.func @weights_are_read_again(%x: tensor<128x2048xf32>, %w: tensor<2048x2048xf32>, %v: tensor<2048x2048xf32>) -> tensor<128x2048xf32> {
  %0 = fuse.matmul %x, %w : (tensor<128x2048xf32>, tensor<2048x2048xf32>) -> tensor<128x2048xf32>
  %1 = fuse.matmul %0, %v : (tensor<128x2048xf32>, tensor<2048x2048xf32>) -> tensor<128x2048xf32>
  return %1 : tensor<128x2048xf32>
}

// A window needs its neighbours' values: computing them again costs more than it saves.
// CHECK-LABEL: func.func @two_convolutions
// CHECK: fuse.kernel
// CHECK: fuse.kernel
// CHECK: return
func.func @two_convolutions(%x: tensor<1x16x64x64xf32>, %w: tensor<16x16x3x3xf32>) -> tensor<1x16x64x64xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x16x64x64xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x64x64xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x16x64x64xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x64x64xf32>
  return %1 : tensor<1x16x64x64xf32>
}

// In place, element by element, is one kernel; what is stored and read by position elsewhere is not.
// CHECK-LABEL: func.func @in_place
// CHECK: fuse.kernel
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @in_place(%m: memref<64x128xf32>) {
  %0 = fuse.load %m : memref<64x128xf32> -> tensor<64x128xf32>
  %1 = fuse.unary exp %0 : tensor<64x128xf32>
  fuse.store %1, %m : tensor<64x128xf32>, memref<64x128xf32>
  return
}

// CHECK-LABEL: func.func @not_in_place
// CHECK: fuse.kernel
// CHECK: fuse.kernel
// CHECK: return
func.func @not_in_place(%m: memref<64x64xf32>) {
  %0 = fuse.load %m : memref<64x64xf32> -> tensor<64x64xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = fuse.unary exp %1 : tensor<64x64xf32>
  fuse.store %2, %m : tensor<64x64xf32>, memref<64x64xf32>
  return
}
