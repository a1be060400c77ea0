// RUN: fuse-opt %s --convert-linalg-to-fuse --split-input-file | FileCheck %s --implicit-check-not=fuse.

// What has no form in the dialect stays as it is, and nothing is left of an attempt.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @index(
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.index 0
func.func @index(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.exp %a : f32
    %2 = linalg.index 0 : index
    %3 = arith.index_cast %2 : index to i32
    %4 = arith.sitofp %3 : i32 to f32
    %5 = arith.addf %1, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A map that is no permutation; a reduction with a body after the sum; a scalar that is not known.
// CHECK-LABEL: func.func @structures(
// CHECK-COUNT-3: linalg.generic
func.func @structures(%x: tensor<9xf32>, %y: tensor<4x3xf32>, %s: f32) -> (tensor<4xf32>, tensor<4xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i * 2 + 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<9xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<4x3xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %3 = arith.addf %a, %acc : f32
    %4 = arith.mulf %3, %a : f32
    linalg.yield %4 : f32
  } -> tensor<4xf32>
  %n = tensor.empty() : tensor<9xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %s : tensor<9xf32>, f32) outs(%n : tensor<9xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.addf %a, %b : f32
    linalg.yield %3 : f32
  } -> tensor<9xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<9xf32>
}

// -----

// On buffers, and of types that the dialect has not.
// CHECK-LABEL: func.func @others(
// CHECK: linalg.exp
// CHECK: linalg.add
func.func @others(%m: memref<4xf32>, %x: tensor<4xi4>) -> tensor<4xi4> {
  linalg.exp ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  %e = tensor.empty() : tensor<4xi4>
  %0 = linalg.add ins(%x, %x : tensor<4xi4>, tensor<4xi4>) outs(%e : tensor<4xi4>) -> tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

// Windows without elements or channels.
// CHECK-LABEL: func.func @empty_windows(
// CHECK: linalg.pooling_nhwc_sum
// CHECK: linalg.pooling_nhwc_max
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc
func.func @empty_windows(%x: tensor<1x8x8x0xf32>, %w: tensor<3x3xf32>, %z: tensor<1x6x6x0xf32>, %y: tensor<1x8x8x2xf32>, %v: tensor<0x3xf32>, %u: tensor<1x9x6x2xf32>, %f: tensor<3x3x0xf32>) -> (tensor<1x6x6x0xf32>, tensor<1x9x6x2xf32>, tensor<1x6x6x0xf32>) {
  %0 = linalg.pooling_nhwc_sum ins(%x, %w : tensor<1x8x8x0xf32>, tensor<3x3xf32>) outs(%z : tensor<1x6x6x0xf32>) -> tensor<1x6x6x0xf32>
  %1 = linalg.pooling_nhwc_max ins(%y, %v : tensor<1x8x8x2xf32>, tensor<0x3xf32>) outs(%u : tensor<1x9x6x2xf32>) -> tensor<1x9x6x2xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %f : tensor<1x8x8x0xf32>, tensor<3x3x0xf32>) outs(%z : tensor<1x6x6x0xf32>) -> tensor<1x6x6x0xf32>
  return %0, %1, %2 : tensor<1x6x6x0xf32>, tensor<1x9x6x2xf32>, tensor<1x6x6x0xf32>
}

// -----

// A zero point that is an argument, one at a place that is not known, and one that the accumulator does not hold.
// CHECK-LABEL: func.func @zero_points(
// CHECK: linalg.conv_2d_nhwc_hwcf_q
// CHECK: linalg.quantized_matmul
// CHECK: linalg.conv_2d_nhwc_hwcf_q
func.func @zero_points(%x: tensor<1x8x8x3xi8>, %w: tensor<3x3x3x4xi8>, %s: i32, %m: tensor<4x5xi8>, %n: tensor<5x6xi8>, %t: tensor<4xi32>, %i: index) -> (tensor<1x6x6x4xi32>, tensor<4x6xi32>, tensor<1x6x6x4xi32>) {
  %a = arith.constant 3 : i32
  %wide = arith.constant 4294967299 : i64
  %z = arith.constant dense<0> : tensor<1x6x6x4xi32>
  %0 = linalg.conv_2d_nhwc_hwcf_q ins(%x, %w, %a, %s : tensor<1x8x8x3xi8>, tensor<3x3x3x4xi8>, i32, i32) outs(%z : tensor<1x6x6x4xi32>) -> tensor<1x6x6x4xi32>
  %e = tensor.extract %t[%i] : tensor<4xi32>
  %y = arith.constant dense<0> : tensor<4x6xi32>
  %1 = linalg.quantized_matmul ins(%m, %n, %a, %e : tensor<4x5xi8>, tensor<5x6xi8>, i32, i32) outs(%y : tensor<4x6xi32>) -> tensor<4x6xi32>
  %2 = linalg.conv_2d_nhwc_hwcf_q ins(%x, %w, %wide, %wide : tensor<1x8x8x3xi8>, tensor<3x3x3x4xi8>, i64, i64) outs(%z : tensor<1x6x6x4xi32>) -> tensor<1x6x6x4xi32>
  return %0, %1, %2 : tensor<1x6x6x4xi32>, tensor<4x6xi32>, tensor<1x6x6x4xi32>
}
