// RUN: fuse-opt %s --fuse-prepare-parameters=moves | FileCheck %s

// Elements are moved once, where there are not many more of them behind; what is computed stays.
// CHECK-LABEL: func.func @moves(
// CHECK-SAME:    %[[T:[^:]*]]: tensor<3x2xf32> {fuse.param, fuse.prepared})
// CHECK-SAME:    attributes {fuse.prepare = @moves_prepare}
// CHECK-NOT:     fuse.gather
// CHECK:         %[[A:.*]] = fuse.unary abs %[[T]]
// CHECK:         fuse.binary add %{{.*}}, %[[A]]
func.func @moves(%x: tensor<3x2xf32>, %w: tensor<3x2xf32> {fuse.param}) -> tensor<3x2xf32> {
  %i = arith.constant dense<[2, 1, 0]> : tensor<3xi64>
  %0 = fuse.gather %w, %i dimension = 0 : (tensor<3x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  %1 = fuse.unary abs %0 : tensor<3x2xf32>
  %2 = fuse.binary add %x, %1 : tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @moves_prepare(
// CHECK:         fuse.gather
// CHECK-NEXT:    return

// CHECK-LABEL: func.func @more(
// CHECK:         fuse.pad
// CHECK-NOT:     @more_prepare
func.func @more(%x: tensor<64x2xf32>, %w: tensor<3x2xf32> {fuse.param}) -> tensor<64x2xf32> {
  %0 = fuse.pad %w low = [0, 0] high = [61, 0] value = 0.0 : f32 : tensor<3x2xf32> -> tensor<64x2xf32>
  %1 = fuse.binary add %x, %0 : tensor<64x2xf32>
  return %1 : tensor<64x2xf32>
}
