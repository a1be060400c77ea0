// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize | FileCheck %s
// The schedule of a kernel says how many partial sums a row has: 8, one, or, where it says nothing, 64.

#row = affine_map<(m, k) -> (m, k)>
#sum = affine_map<(m, k) -> (m)>

// CHECK-LABEL: module @eight
// CHECK-NOT:   vector<64xf32>
// CHECK:       vector.reduction <add>, %{{.*}} : vector<8xf32> into f32
module @eight {
  func.func private @k(%x: memref<4x1000xf32>, %sums: memref<4xf32>) attributes {
      fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 8>} {
    linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1000xf32>) outs(%sums : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %b, %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// CHECK-LABEL: module @one
// CHECK-NOT:   vector<64xf32>
// CHECK:       return
module @one {
  func.func private @k(%x: memref<4x1000xf32>, %sums: memref<4xf32>) attributes {
      fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>], reduction_lanes = 1>} {
    linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1000xf32>) outs(%sums : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %b, %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// CHECK-LABEL: module @unsaid
// CHECK:       vector.reduction <add>, %{{.*}} : vector<64xf32> into f32
module @unsaid {
  func.func private @k(%x: memref<4x1000xf32>, %sums: memref<4xf32>) attributes {
      fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [4]>]>} {
    linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]} ins(%x : memref<4x1000xf32>) outs(%sums : memref<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %b, %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}
