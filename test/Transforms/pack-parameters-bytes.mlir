// RUN: fuse-opt %s --fuse-pack-parameters --split-input-file | FileCheck %s

// Four steps of each column lie next to each other; zeros stand behind the last step and the last column.
// CHECK-LABEL: func.func @product(
// CHECK:         fuse.pad %{{.*}} low = [0, 0] high = [1, 20] {{.*}} : tensor<7x300xi8> -> tensor<8x320xi8>
// CHECK:         fuse.reshape %{{.*}} : tensor<8x320xi8> -> tensor<2x4x10x32xi8>
// CHECK:         fuse.transpose %{{.*}} permutation = [2, 0, 3, 1] : tensor<2x4x10x32xi8> -> tensor<10x2x32x4xi8>
// CHECK:         %[[P:.*]] = fuse.copy %{{.*}} : tensor<10x2x32x4xi8>
// CHECK:         %[[T:.*]] = fuse.transpose %[[P]] permutation = [1, 3, 0, 2] : tensor<10x2x32x4xi8> -> tensor<2x4x10x32xi8>
// CHECK:         %[[J:.*]] = fuse.reshape %[[T]] : tensor<2x4x10x32xi8> -> tensor<8x320xi8>
// CHECK:         %[[S:.*]] = fuse.slice %[[J]] offsets = [0, 0] sizes = [7, 300] strides = [1, 1]
// CHECK:         fuse.matmul %{{.*}}, %[[S]]
func.func @product(%x: tensor<1x7xui8>, %w: tensor<7x300xi8> {fuse.param}) -> tensor<1x300xi32> {
  %0 = fuse.matmul %x, %w : (tensor<1x7xui8>, tensor<7x300xi8>) -> tensor<1x300xi32>
  return %0 : tensor<1x300xi32>
}

// -----

// Few columns are one block, which is no dimension of its own.
// CHECK-LABEL: func.func @few(
// CHECK:         %[[P:.*]] = fuse.copy %{{.*}} : tensor<2x16x4xi8>
// CHECK:         fuse.transpose %[[P]] permutation = [0, 2, 1] : tensor<2x16x4xi8> -> tensor<2x4x16xi8>
// CHECK:         fuse.reshape %{{.*}} : tensor<2x4x16xi8> -> tensor<8x16xi8>
// CHECK:         fuse.slice %{{.*}} sizes = [7, 10]
// CHECK:         fuse.matmul
// CHECK-NOT:     transpose_rhs
func.func @few(%x: tensor<5x7xi8>, %w: tensor<10x7xi8> {fuse.param}) -> tensor<5x10xi32> {
  %0 = fuse.matmul %x, %w transpose_rhs : (tensor<5x7xi8>, tensor<10x7xi8>) -> tensor<5x10xi32>
  return %0 : tensor<5x10xi32>
}

// -----

// The channels of a filter are its innermost steps.
// CHECK-LABEL: func.func @filter(
// CHECK:         fuse.copy %{{.*}} : tensor<2x3x3x4x32x4xi8>
// CHECK:         fuse.conv2d
func.func @filter(%x: tensor<1x9x9x16xi8>, %w: tensor<3x3x16x64xi8> {fuse.param}) -> tensor<1x7x7x64xi32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x9x9x16xi8>, tensor<3x3x16x64xi8>) -> tensor<1x7x7x64xi32>
  return %0 : tensor<1x7x7x64xi32>
}

// -----

// Of bf16 it is two steps.
// CHECK-LABEL: func.func @pairs(
// CHECK:         fuse.copy %{{.*}} : tensor<2x4x32x2xbf16>
// CHECK:         fuse.slice %{{.*}} sizes = [7, 64]
// CHECK:         fuse.matmul
func.func @pairs(%x: tensor<5x7xbf16>, %w: tensor<7x64xbf16> {fuse.param}) -> tensor<5x64xf32> {
  %0 = fuse.matmul %x, %w : (tensor<5x7xbf16>, tensor<7x64xbf16>) -> tensor<5x64xf32>
  return %0 : tensor<5x64xf32>
}

// -----

// Where memory runs along the rows of the other operand, nothing reads four steps at once; nor are two steps worth
// two zeros, or other types than bytes anything to these instructions.
// CHECK-LABEL: func.func @stays(
// CHECK-COUNT-3: fuse.copy %{{.*}} : tensor<2x{{7|2}}x32xi{{8|32}}>
// CHECK-NOT:     fuse.copy
func.func @stays(%x: tensor<7x6xi8>, %y: tensor<6x2xi8>, %z: tensor<6x7xi32>, %u: tensor<7x64xi8> {fuse.param}, %v: tensor<2x64xi8> {fuse.param}, %w: tensor<7x64xi32> {fuse.param}) -> (tensor<6x64xi32>, tensor<6x64xi32>, tensor<6x64xi32>) {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<7x6xi8> -> tensor<6x7xi8>
  %0 = fuse.matmul %t, %u : (tensor<6x7xi8>, tensor<7x64xi8>) -> tensor<6x64xi32>
  %1 = fuse.matmul %y, %v : (tensor<6x2xi8>, tensor<2x64xi8>) -> tensor<6x64xi32>
  %2 = fuse.matmul %z, %w : (tensor<6x7xi32>, tensor<7x64xi32>) -> tensor<6x64xi32>
  return %0, %1, %2 : tensor<6x64xi32>, tensor<6x64xi32>, tensor<6x64xi32>
}
