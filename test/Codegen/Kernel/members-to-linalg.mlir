// RUN: fuse-opt %s --fuse-members-to-linalg | FileCheck %s

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

// A slice between the two: the six heads that it leaves whole are split before it.
// CHECK-LABEL: func.func @split_behind_slice
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2x3x2x8xf32>)
// CHECK-NOT: _shape
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0, 1, 0] [8, 2, 3, 1, 8] {{.*}} to tensor<8x2x3x8xf32>
// CHECK-NOT: _shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2x3x8xf32>)
// CHECK-NOT: _shape
// CHECK: return
func.func @split_behind_slice(%x: tensor<8x96xf32>, %w: tensor<96x96xf32>, %y: tensor<8x2x8xf32>) -> tensor<8x2x3x8xf32> {
  %0 = fuse.matmul %x, %w : (tensor<8x96xf32>, tensor<96x96xf32>) -> tensor<8x96xf32>
  %1 = fuse.reshape %0 : tensor<8x96xf32> -> tensor<8x6x16xf32>
  %2 = fuse.slice %1 offsets = [0, 0, 8] sizes = [8, 6, 8] strides = [1, 1, 1] : tensor<8x6x16xf32> -> tensor<8x6x8xf32>
  %3 = fuse.reshape %2 : tensor<8x6x8xf32> -> tensor<8x2x3x8xf32>
  %4 = fuse.broadcast %y dimensions = [2] : tensor<8x2x8xf32> -> tensor<8x2x3x8xf32>
  %5 = fuse.binary add %3, %4 : tensor<8x2x3x8xf32>
  return %5 : tensor<8x2x3x8xf32>
}

// And those that its source was joined of are joined behind it, so that its reader runs over them.
// CHECK-LABEL: func.func @join_before_slice
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x16xf32>)
// CHECK-NOT: _shape
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 3] [2, 3, 5] {{.*}} to tensor<2x3x5xf32>
// CHECK-NOT: _shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<2x3x5xf32>)
// CHECK: tensor.collapse_shape %{{.*}} : tensor<2x3x5xf32> into tensor<6x5xf32>
func.func @join_before_slice(%x: tensor<2x3x16xf32>, %y: tensor<2x16xf32>) -> tensor<6x5xf32> {
  %0 = fuse.broadcast %y dimensions = [1] : tensor<2x16xf32> -> tensor<2x3x16xf32>
  %1 = fuse.binary add %x, %0 : tensor<2x3x16xf32>
  %2 = fuse.reshape %1 : tensor<2x3x16xf32> -> tensor<6x16xf32>
  %3 = fuse.slice %2 offsets = [0, 3] sizes = [6, 5] strides = [1, 1] : tensor<6x16xf32> -> tensor<6x5xf32>
  %4 = fuse.unary exp %3 : tensor<6x5xf32>
  return %4 : tensor<6x5xf32>
}

// A slice that cuts through what was joined hides the loops.
// CHECK-LABEL: func.func @cut_join
// CHECK: tensor.collapse_shape
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [4, 16]
func.func @cut_join(%x: tensor<2x3x16xf32>, %y: tensor<2x16xf32>) -> tensor<4x16xf32> {
  %0 = fuse.broadcast %y dimensions = [1] : tensor<2x16xf32> -> tensor<2x3x16xf32>
  %1 = fuse.binary add %x, %0 : tensor<2x3x16xf32>
  %2 = fuse.reshape %1 : tensor<2x3x16xf32> -> tensor<6x16xf32>
  %3 = fuse.slice %2 offsets = [1, 0] sizes = [4, 16] strides = [1, 1] : tensor<6x16xf32> -> tensor<4x16xf32>
  %4 = fuse.unary exp %3 : tensor<4x16xf32>
  return %4 : tensor<4x16xf32>
}

// Heads that one reader counts through in groups and another one halves: (4, 3, 32) and (12, 2, 16) are (4, 3, 2, 16).
// CHECK-LABEL: func.func @factors_of_both
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x4x3x2x16xf32>)
// CHECK-NOT: _shape
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x4x3x2x16xf32>)
// CHECK-NOT: linalg.generic
// CHECK: tensor.collapse_shape %{{.*}} : tensor<8x4x3x2x16xf32> into tensor<8x12x2x16xf32>
// CHECK-NEXT: return
func.func @factors_of_both(%x: tensor<8x4x3x32xf32>, %y: tensor<8x3x32xf32>) -> tensor<8x12x2x16xf32> {
  %0 = fuse.broadcast %y dimensions = [1] : tensor<8x3x32xf32> -> tensor<8x4x3x32xf32>
  %1 = fuse.binary add %x, %0 : tensor<8x4x3x32xf32>
  %2 = fuse.reshape %1 : tensor<8x4x3x32xf32> -> tensor<8x12x2x16xf32>
  %3 = fuse.unary exp %2 : tensor<8x12x2x16xf32>
  return %3 : tensor<8x12x2x16xf32>
}
