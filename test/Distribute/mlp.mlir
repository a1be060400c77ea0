// Products cut by columns, then by rows: one all_reduce, behind the second one.
// RUN: fuse-opt %s -split-input-file -fuse-distribute | FileCheck %s
// RUN: fuse-opt %s -split-input-file -test-fuse-distribute -o /dev/null | FileCheck %s --check-prefix=RANKS

shard.grid @g(shape = 1x2) {sym_visibility = "private"}
// CHECK-NOT: shard.
// CHECK: func.func @tensor(
// CHECK-SAME: tensor<8x16xf32> {fuse.sharding = #fuse.sharding<grid = [1, 2], dims = {{\[\[}}], []]>}
// CHECK-SAME: tensor<16x16xf32> {fuse.sharding = #fuse.sharding<grid = [1, 2], dims = {{\[\[}}], [1]]>}
// CHECK-SAME: tensor<16xf32> {fuse.sharding = #fuse.sharding<grid = [1, 2], dims = {{\[\[}}1]]>}
// CHECK-SAME: tensor<16x12xf32> {fuse.sharding = #fuse.sharding<grid = [1, 2], dims = {{\[\[}}1], []]>}
// CHECK-NEXT: %[[H:.*]] = fuse.matmul %{{.*}} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[B:.*]] = fuse.binary add %[[H]], %{{.*}} -> tensor<8x16xf32>
// CHECK-NEXT: %[[R:.*]] = fuse.unary relu %[[B]]
// CHECK-NEXT: %[[Y:.*]] = fuse.matmul %[[R]], %{{.*}} : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
// CHECK-NEXT: %[[S:.*]] = fuse.all_reduce sum %[[Y]] in <grid = [1, 2], axes = [1]>
// CHECK-NEXT: return %[[S]]
// RANKS: tensor: 1 all_reduce equal within 1e-5
func.func @tensor(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>, %v: tensor<32x12xf32>) -> tensor<8x12xf32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %half = shard.sharding @g split_axes = [[1]] : !shard.sharding
  %x0 = shard.shard %x to %rows : tensor<8x16xf32>
  %w0 = shard.shard %w to %columns : tensor<16x32xf32>
  %b0 = shard.shard %b to %half : tensor<32xf32>
  %v0 = shard.shard %v to %half : tensor<32x12xf32>
  %0 = fuse.matmul %x0, %w0 : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = fuse.binary add %0, %b0 : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %2 = fuse.unary relu %1 : tensor<8x32xf32>
  %3 = fuse.matmul %2, %v0 : (tensor<8x32xf32>, tensor<32x12xf32>) -> tensor<8x12xf32>
  %4 = shard.shard %3 to %rows : tensor<8x12xf32>
  return %4 : tensor<8x12xf32>
}

// -----

// Rows of the batch, columns of the weights: the bias and the second weights follow by price.
shard.grid @g(shape = 2x2)
// CHECK: func.func @both(
// CHECK-SAME: tensor<32x256xf32>
// CHECK-SAME: tensor<256x512xf32>
// CHECK-SAME: tensor<512xf32>
// CHECK-SAME: tensor<512x64xf32>
// CHECK-COUNT-1: fuse.all_reduce sum %{{.*}} in <grid = [2, 2], axes = [1]> : tensor<32x64xf32>
// CHECK-NOT: fuse.all_
// RANKS: both: 1 all_reduce equal within 1e-5
func.func @both(%x: tensor<64x256xf32>, %w: tensor<256x1024xf32>, %b: tensor<1024xf32>, %v: tensor<1024x64xf32>) -> tensor<64x64xf32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [1]] : !shard.sharding
  %x0 = shard.shard %x to %rows : tensor<64x256xf32>
  %w0 = shard.shard %w to %columns : tensor<256x1024xf32>
  %0 = fuse.matmul %x0, %w0 : (tensor<64x256xf32>, tensor<256x1024xf32>) -> tensor<64x1024xf32>
  %1 = fuse.binary add %0, %b : (tensor<64x1024xf32>, tensor<1024xf32>) -> tensor<64x1024xf32>
  %2 = fuse.unary relu %1 : tensor<64x1024xf32>
  %3 = fuse.matmul %2, %v : (tensor<64x1024xf32>, tensor<1024x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// -----

// From rows to columns, to all of it, and back: one collective each.
shard.grid @g(shape = 2)
// CHECK: func.func @moves
// CHECK: fuse.all_to_all %{{.*}} split = 1 concat = 0 in <grid = [2], axes = [0]> : tensor<4x12xf32> -> tensor<8x6xf32>
// CHECK: fuse.all_gather %{{.*}} dimension = 1 in <grid = [2], axes = [0]> : tensor<8x6xf32> -> tensor<8x12xf32>
// CHECK: fuse.all_slice %{{.*}} dimension = 0 in <grid = [2], axes = [0]> : tensor<8x12xf32> -> tensor<4x12xf32>
// RANKS: moves: 1 all_gather 1 all_slice 1 all_to_all equal within 1e-5
func.func @moves(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %all = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %x to %rows : tensor<8x12xf32>
  %1 = shard.shard %0 to %columns : tensor<8x12xf32>
  %2 = shard.shard %1 to %all : tensor<8x12xf32>
  %3 = fuse.reduce max %2 dimensions = [0, 1] keep_dims : tensor<8x12xf32> -> tensor<1x1xf32>
  %4 = fuse.binary add %2, %3 : (tensor<8x12xf32>, tensor<1x1xf32>) -> tensor<8x12xf32>
  %5 = shard.shard %4 to %all : tensor<8x12xf32>
  %6 = shard.shard %5 to %rows : tensor<8x12xf32>
  return %6 : tensor<8x12xf32>
}

// -----

// A mean of parts is the mean of their means; a maximum is combined as it is.
shard.grid @g(shape = 2)
// CHECK: func.func @reductions
// CHECK: %[[M:.*]] = fuse.reduce mean
// CHECK-NEXT: %[[S:.*]] = fuse.all_reduce sum %[[M]]
// CHECK-NEXT: %[[N:.*]] = arith.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: fuse.binary div %[[S]], %[[N]]
// CHECK: fuse.reduce max
// CHECK-NEXT: fuse.all_reduce max
// RANKS: reductions: 2 all_reduce equal within 1e-5
func.func @reductions(%x: tensor<8x120000xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x120000xf32>
  %1 = fuse.reduce mean %0 dimensions = [1] : tensor<8x120000xf32> -> tensor<8xf32>
  %2 = fuse.reduce max %0 dimensions = [1] : tensor<8x120000xf32> -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
