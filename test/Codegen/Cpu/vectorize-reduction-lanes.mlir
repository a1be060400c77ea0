// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s
// The schedule of a kernel says how many partial sums a row has: 8, one, or, where it says nothing, 64.

// CHECK-LABEL: module @eight
// CHECK:       scf.for {{.*}} iter_args({{.*}}) -> (vector<8xf32>)
// CHECK:         arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
module @eight {
  func.func private @k(%x: memref<4x1000xf32>, %sums: memref<4xf32>) attributes {
      fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 8>} {
    linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1000xf32>) outs(%sums : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %b, %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

// CHECK-LABEL: module @one
// CHECK:       scf.for {{.*}} iter_args({{.*}}) -> (vector<1xf32>)
// CHECK:         arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
module @one {
  func.func private @k(%x: memref<4x1000xf32>, %sums: memref<4xf32>) attributes {
      fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 1>} {
    linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1000xf32>) outs(%sums : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %b, %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

// CHECK-LABEL: module @unsaid
// CHECK:       scf.for {{.*}} iter_args({{.*}}) -> (vector<64xf32>)
// CHECK:         arith.addf %{{.*}}, %{{.*}} : vector<64xf32>
module @unsaid {
  func.func private @k(%x: memref<4x1000xf32>, %sums: memref<4xf32>) attributes {
      fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>]>} {
    linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1000xf32>) outs(%sums : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %b, %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}
