// RUN: fuse-opt %s --fuse-split-reductions --split-input-file | FileCheck %s

// Two threads: a sum to one number is cut in 16 parts; sums of rows are blocks enough as they are.
// CHECK-LABEL: func.func @whole(
// CHECK: fuse.reduce sum %{{.*}} : tensor<16x256x1024xf32> -> tensor<16xf32>
// CHECK: fuse.reduce sum %{{.*}} : tensor<16xf32> -> tensor<f32>
// CHECK-LABEL: func.func @rows(
// CHECK: fuse.reduce sum %{{.*}} : tensor<4096x1024xf32> -> tensor<4096xf32>
module attributes {fuse.target = #fuse.target<"two threads", cpu, {max_threads = 2.0}>} {
  func.func @whole(%x: tensor<4096x1024xf32>) -> tensor<f32> {
    %0 = fuse.reduce sum %x dimensions = [0, 1] : tensor<4096x1024xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @rows(%x: tensor<4096x1024xf32>) -> tensor<4096xf32> {
    %0 = fuse.reduce sum %x dimensions = [1] : tensor<4096x1024xf32> -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
}

// -----

// One thread, or nobody knows how many.
// CHECK-LABEL: func.func @one(
// CHECK: fuse.reduce sum %{{.*}} : tensor<4096x1024xf32> -> tensor<f32>
module attributes {fuse.target = #fuse.target<"one thread", cpu, {max_threads = 1.0}>} {
  func.func @one(%x: tensor<4096x1024xf32>) -> tensor<f32> {
    %0 = fuse.reduce sum %x dimensions = [0, 1] : tensor<4096x1024xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// CHECK-LABEL: func.func @unknown(
// CHECK: fuse.reduce sum %{{.*}} : tensor<4096x1024xf32> -> tensor<f32>
func.func @unknown(%x: tensor<4096x1024xf32>) -> tensor<f32> {
  %0 = fuse.reduce sum %x dimensions = [0, 1] : tensor<4096x1024xf32> -> tensor<f32>
  return %0 : tensor<f32>
}
