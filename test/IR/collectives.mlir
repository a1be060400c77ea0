// RUN: fuse-opt %s | FileCheck %s
// RUN: fuse-opt %s --canonicalize --cse --verify-roundtrip | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: func @every_collective
func.func @every_collective(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {
  // CHECK: %[[R:.*]] = fuse.all_reduce sum %{{.*}} in <grid = [2, 4], axes = [1]> : tensor<8x12xf32>
  %0 = fuse.all_reduce sum %x in <grid = [2, 4], axes = [1]> : tensor<8x12xf32>
  // CHECK: %[[S:.*]] = fuse.reduce_scatter max %[[R]] dimension = 1 in <grid = [2, 4], axes = [1]> : tensor<8x12xf32> -> tensor<8x3xf32>
  %1 = fuse.reduce_scatter max %0 dimension = 1 in <grid = [2, 4], axes = [1]> : tensor<8x12xf32> -> tensor<8x3xf32>
  // CHECK: %[[G:.*]] = fuse.all_gather %[[S]] dimension = 0 in <grid = [2, 4], axes = [0]> : tensor<8x3xf32> -> tensor<16x3xf32>
  %2 = fuse.all_gather %1 dimension = 0 in <grid = [2, 4], axes = [0]> : tensor<8x3xf32> -> tensor<16x3xf32>
  // CHECK: %[[A:.*]] = fuse.all_to_all %[[G]] split = 0 concat = 1 in <grid = [2, 4], axes = [1, 0]> : tensor<16x3xf32> -> tensor<2x24xf32>
  %3 = fuse.all_to_all %2 split = 0 concat = 1 in <grid = [2, 4], axes = [1, 0]> : tensor<16x3xf32> -> tensor<2x24xf32>
  // CHECK: %[[L:.*]] = fuse.all_slice %[[A]] dimension = 1 in <grid = [2, 4], axes = [0]> : tensor<2x24xf32> -> tensor<2x12xf32>
  %4 = fuse.all_slice %3 dimension = 1 in <grid = [2, 4], axes = [0]> : tensor<2x24xf32> -> tensor<2x12xf32>
  // CHECK: %[[B:.*]] = fuse.broadcast_from %[[L]] root = 3 in <grid = [2, 4], axes = [1]> : tensor<2x12xf32>
  %5 = fuse.broadcast_from %4 root = 3 in <grid = [2, 4], axes = [1]> : tensor<2x12xf32>
  // CHECK: fuse.all_gather %[[B]] dimension = 0 in <grid = [4], axes = [0]>
  %6 = fuse.all_gather %5 dimension = 0 in <grid = [4], axes = [0]> : tensor<2x12xf32> -> tensor<8x12xf32>
  return %6 : tensor<8x12xf32>
}

// Groups of one rank are allowed.
// CHECK-LABEL: func @groups_of_one
func.func @groups_of_one(%x: tensor<8xi1>) -> tensor<8xi1> {
  // CHECK: fuse.all_reduce any %{{.*}} in <grid = [1, 2], axes = [0]>
  %0 = fuse.all_reduce any %x in <grid = [1, 2], axes = [0]> : tensor<8xi1>
  return %0 : tensor<8xi1>
}

// An extent that is open on one side may be known on the other.
// CHECK-LABEL: func @open_extents
func.func @open_extents(%x: tensor<?x12xf32>) -> tensor<?x24xf32> {
  // CHECK: fuse.all_gather {{.*}} : tensor<?x12xf32> -> tensor<?x24xf32>
  %0 = fuse.all_gather %x dimension = 1 in <grid = [2], axes = [0]> : tensor<?x12xf32> -> tensor<?x24xf32>
  return %0 : tensor<?x24xf32>
}

// CHECK-LABEL: func @shards
// CHECK-SAME: {fuse.sharding = #fuse.sharding<grid = [2, 4], dims = {{\[\[0\], \[1\]\]}}>}
// CHECK-SAME: {fuse.param, fuse.sharding = #fuse.sharding<grid = [2, 4], dims = {{\[\[\], \[1, 0\]\]}}>}
// CHECK-SAME: -> (tensor<4x3xf32> {fuse.sharding = #fuse.sharding<grid = [2, 4], dims = {{\[\[0\], \[1\]\]}}>})
func.func @shards(%x: tensor<4x3xf32> {fuse.sharding = #fuse.sharding<grid = [2, 4], dims = [[0], [1]]>},
                  %w: tensor<4x3xf32> {fuse.param, fuse.sharding = #fuse.sharding<grid = [2, 4], dims = [[], [1, 0]]>})
    -> (tensor<4x3xf32> {fuse.sharding = #fuse.sharding<grid = [2, 4], dims = [[0], [1]]>}) {
  %0 = fuse.binary add %x, %w : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Other ranks wait: what nobody reads is not removed, and what is equal is done twice.
// KEPT-LABEL: func @waits
func.func @waits(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // KEPT-COUNT-3: fuse.all_reduce
  %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<8xf32>
  %1 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<8xf32>
  %unused = fuse.all_reduce max %x in <grid = [2], axes = [0]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
