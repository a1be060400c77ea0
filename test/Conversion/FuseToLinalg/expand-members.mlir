// RUN: fuse-opt %s --convert-fuse-to-linalg --fuse-expand-members | FileCheck %s

// CHECK-DAG: #[[HEADS:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>

// Both members run over the heads; the reshape that remains is of an argument.
// CHECK-LABEL: func.func @split_heads
// CHECK: tensor.expand_shape %{{.*}} : tensor<64x64xf32> into tensor<64x4x16xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x4x16xf32>)
// CHECK-NOT: _shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8x16xf32>)
// CHECK-NOT: _shape
// CHECK: return
func.func @split_heads(%x: tensor<8x64xf32>, %w: tensor<64x64xf32>) -> tensor<4x8x16xf32> {
  %0 = fuse.matmul %x, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  %1 = fuse.reshape %0 : tensor<8x64xf32> -> tensor<8x4x16xf32>
  %2 = fuse.transpose %1 permutation = [1, 0, 2] : tensor<8x4x16xf32> -> tensor<4x8x16xf32>
  %3 = fuse.unary exp %2 : tensor<4x8x16xf32>
  return %3 : tensor<4x8x16xf32>
}

// A transposition that a reshape follows is no copy: its reader reads through both.
// CHECK-LABEL: func.func @merge_heads
// CHECK: linalg.generic {indexing_maps = [#[[HEADS]],
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @merge_heads(%x: tensor<4x8x16xf32>, %w: tensor<64x64xf32>) -> tensor<8x64xf32> {
  %0 = fuse.transpose %x permutation = [1, 0, 2] : tensor<4x8x16xf32> -> tensor<8x4x16xf32>
  %1 = fuse.reshape %0 : tensor<8x4x16xf32> -> tensor<8x64xf32>
  %2 = fuse.matmul %1, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return %2 : tensor<8x64xf32>
}

// Factors without a common refinement: the reshape stays.
// CHECK-LABEL: func.func @unaligned
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<6x10xf32>)
// CHECK: tensor.collapse_shape
// CHECK: tensor.expand_shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x15xf32>)
func.func @unaligned(%x: tensor<6x10xf32>) -> tensor<4x15xf32> {
  %0 = fuse.unary exp %x : tensor<6x10xf32>
  %1 = fuse.reshape %0 : tensor<6x10xf32> -> tensor<4x15xf32>
  %2 = fuse.unary neg %1 : tensor<4x15xf32>
  return %2 : tensor<4x15xf32>
}

// (2, 400) and (8, 10, 10) are (2, 4, 10, 10).
// CHECK-LABEL: func.func @refined
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x10x10xf32>)
// CHECK-NOT: _shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x4x10x10xf32>)
func.func @refined(%x: tensor<2x400xf32>) -> tensor<8x10x10xf32> {
  %0 = fuse.unary exp %x : tensor<2x400xf32>
  %1 = fuse.reshape %0 : tensor<2x400xf32> -> tensor<8x10x10xf32>
  %2 = fuse.unary neg %1 : tensor<8x10x10xf32>
  return %2 : tensor<8x10x10xf32>
}
