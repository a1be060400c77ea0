// RUN: fuse-opt %s --fuse-split-reductions --split-input-file | FileCheck %s

module attributes {fuse.target = #fuse.target<"a GPU", gpu, {max_threads = 100.0}>} {
  // 256 parts: the least divisor of the extent that gives each of 100 processors two.
  // CHECK-LABEL: func.func @sum
  // CHECK: %[[CUT:.*]] = fuse.reshape %{{.*}} : tensor<1048576xf32> -> tensor<256x4096xf32>
  // CHECK: %[[PARTS:.*]] = fuse.reduce sum %[[CUT]] dimensions = [1] : tensor<256x4096xf32> -> tensor<256xf32>
  // CHECK: %[[SUM:.*]] = fuse.reduce sum %[[PARTS]] dimensions = [0] : tensor<256xf32> -> tensor<f32>
  // CHECK: return %[[SUM]]
  func.func @sum(%x: tensor<1048576xf32>) -> tensor<f32> {
    %0 = fuse.reduce sum %x dimensions = [0] : tensor<1048576xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }

  // Partial results of f16 are f32, and the result has its shape again.
  // CHECK-LABEL: func.func @halves
  // CHECK: %[[WIDE:.*]] = fuse.cast %{{.*}} : (tensor<512x1024xf16>) -> tensor<512x1024xf32>
  // CHECK: fuse.reshape %[[WIDE]] : tensor<512x1024xf32> -> tensor<256x2x1024xf32>
  // CHECK: fuse.reduce mean %{{.*}} dimensions = [1, 2] : tensor<256x2x1024xf32> -> tensor<256xf32>
  // CHECK: fuse.reduce mean %{{.*}} dimensions = [0] : tensor<256xf32> -> tensor<f32>
  // CHECK: fuse.cast %{{.*}} : (tensor<f32>) -> tensor<f16>
  // CHECK: fuse.reshape %{{.*}} : tensor<f16> -> tensor<1x1xf16>
  func.func @halves(%x: tensor<512x1024xf16>) -> tensor<1x1xf16> {
    %0 = fuse.reduce mean %x dimensions = [0, 1] keep_dims : tensor<512x1024xf16> -> tensor<1x1xf16>
    return %0 : tensor<1x1xf16>
  }

  // Columns are summed up 128 side by side: 4 blocks without parts.
  // CHECK-LABEL: func.func @columns
  // CHECK: fuse.reshape %{{.*}} : tensor<4096x512xf32> -> tensor<64x64x512xf32>
  // CHECK: fuse.reduce max %{{.*}} dimensions = [1] : tensor<64x64x512xf32> -> tensor<64x512xf32>
  // CHECK: fuse.reduce max %{{.*}} dimensions = [0] : tensor<64x512xf32> -> tensor<512xf32>
  func.func @columns(%x: tensor<4096x512xf32>) -> tensor<512xf32> {
    %0 = fuse.reduce max %x dimensions = [0] : tensor<4096x512xf32> -> tensor<512xf32>
    return %0 : tensor<512xf32>
  }

  // Enough rows, few elements, a plan of the user's: all stay.
  // CHECK-LABEL: func.func @kept
  // CHECK-NOT: fuse.reshape
  // CHECK: return
  func.func @kept(%rows: tensor<1024x1024xf32>, %few: tensor<1024xf32>, %mine: tensor<1048576xf32>) -> (tensor<1024xf32>, tensor<f32>, tensor<f32>) {
    %0 = fuse.reduce sum %rows dimensions = [1] : tensor<1024x1024xf32> -> tensor<1024xf32>
    %1 = fuse.reduce sum %few dimensions = [0] : tensor<1024xf32> -> tensor<f32>
    %2 = fuse.reduce sum %mine dimensions = [0] {fuse.alone} : tensor<1048576xf32> -> tensor<f32>
    return %0, %1, %2 : tensor<1024xf32>, tensor<f32>, tensor<f32>
  }
}

// -----

// On the CPU partial results are combined within one launch.
// CHECK-LABEL: func.func @cpu
// CHECK-NOT: fuse.reshape
func.func @cpu(%x: tensor<1048576xf32>) -> tensor<f32> {
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<1048576xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
