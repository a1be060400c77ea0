// RUN: fuse-opt %s --fuse-tile-kernels --split-input-file --verify-diagnostics --mlir-print-op-on-diagnostic=false | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Planning chose which loops of results that nothing connects are one dim: here the rows of the one and the columns of
// the other, in tiles of four. The attribute has served then.
// CHECK-LABEL: module @chosen
// CHECK: func.func private @k(
// CHECK-NOT: fuse.result_dims
// CHECK: scf.for
// CHECK: linalg.generic
// CHECK: } -> tensor<?x8xf32>
// CHECK: linalg.generic
// CHECK: } -> tensor<6x?xf32>
module @chosen {
  func.func private @k(%x: tensor<10x8xf32>, %y: tensor<6x10xf32>, %a: tensor<10x8xf32> {bufferization.writable = true}, %b: tensor<6x10xf32> {bufferization.writable = true}) -> (tensor<10x8xf32>, tensor<6x10xf32>)
      attributes {fuse.result_dims = [array<i64: 0, -1>, array<i64: -1, 0>], fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>]>} {
    %e = tensor.empty() : tensor<10x8xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<10x8xf32>) outs(%e : tensor<10x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.negf %in : f32
      linalg.yield %2 : f32
    } -> tensor<10x8xf32>
    %f = tensor.empty() : tensor<6x10xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<6x10xf32>) outs(%f : tensor<6x10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.negf %in : f32
      linalg.yield %2 : f32
    } -> tensor<6x10xf32>
    return %0, %1 : tensor<10x8xf32>, tensor<6x10xf32>
  }
}

// -----

#row = affine_map<(d0) -> (d0)>

// A dim that there is not: one block computes all.
// CHECK-LABEL: module @none
// CHECK: #fuse.schedule<levels = []
module @none {
  func.func private @k(%x: tensor<10xf32>, %a: tensor<10xf32> {bufferization.writable = true}) -> tensor<10xf32>
      attributes {fuse.result_dims = [array<i64: 1000000>], fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>]>} {
    %e = tensor.empty() : tensor<10xf32>
    %0 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<10xf32>) outs(%e : tensor<10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}

// -----

#row = affine_map<(d0) -> (d0)>

module @few {
  // expected-error @+1 {{expected the dims of 1 results, found []}}
  func.func private @k(%x: tensor<10xf32>, %a: tensor<10xf32> {bufferization.writable = true}) -> tensor<10xf32>
      attributes {fuse.result_dims = [], fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>]>} {
    %e = tensor.empty() : tensor<10xf32>
    %0 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]} ins(%x : tensor<10xf32>) outs(%e : tensor<10xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// Rows that are counted when the kernel runs: two tiles are as even as can be (of 17 rows 9 and 8). Elements of a row are
// not, for their tiles begin where vectors do; nor is what a GPU's threads share.
// CHECK-LABEL: module @even
// CHECK: func.func private @k(
// CHECK: arith.cmpi ugt, %[[ROWS:.*]], %c16{{.*}} : index
// CHECK: arith.cmpi ule, %[[ROWS]], %c32{{.*}} : index
// CHECK: %[[STEP:.*]] = arith.select %{{.*}}, %{{.*}}, %c16{{.*}} : index
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %[[STEP]]
// CHECK: affine.min #{{.*}}(%[[AT]], %[[STEP]])[%[[ROWS]]]
// CHECK-NOT: arith.select
// CHECK: return
module @even {
  func.func private @k(%x: tensor<?x?xf32>, %a: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32>
      attributes {fuse.result_dims = [array<i64: 0, 1>], fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [16, 64]>]>} {
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: module @threads
// CHECK-NOT: arith.select
// CHECK: return
module @threads {
  func.func private @k(%x: tensor<?x?xf32>, %a: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32>
      attributes {fuse.result_dims = [array<i64: 0, 1>], fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [16, 64]>], threads = 64>} {
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.negf %in : f32
      linalg.yield %1 : f32
    } -> tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}
