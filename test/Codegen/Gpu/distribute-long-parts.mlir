// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=4 shared-bytes=166912" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=4 shared-bytes=232448" --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=ROOM

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Parts of 64 steps: the copies of one, while another is multiplied, have as long as memory takes. Two stages leave half of
// shared memory to a second block. A subgroup's 64 x 64 take 8 loads of matrices for 32 products, and all addresses of a
// stage are one, so many bytes further.
// CHECK-LABEL: module @large
// CHECK: memref.alloc() : memref<256x72xf16>
// CHECK: memref.alloc() : memref<128x136xf16>
// CHECK: scf.for %{{.*}} step %c64_i32
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: gpu.barrier
// CHECK-COUNT-16: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-8: nvvm.ldmatrix
// CHECK-NOT: nvvm.ldmatrix
// CHECK-COUNT-32: nvvm.mma.sync
// CHECK: nvvm.ldmatrix
// ROOM-LABEL: module @large
// ROOM: memref.alloc() : memref<384x72xf16>
// ROOM: memref.alloc() : memref<192x136xf16>
module @large {
  func.func private @k(%a: memref<128x1024xf16>, %b: memref<1024x128xf16>, %c: memref<128x128xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<128x128xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<128x1024xf16>, memref<1024x128xf16>) outs(%c : memref<128x128xf32>) {
    ^bb0(%l: f16, %r: f16, %sum: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %r : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Of a smaller tile more is under way, in four stages.
// CHECK-LABEL: module @small
// CHECK: memref.alloc() : memref<256x72xf16>
// CHECK: memref.alloc() : memref<256x72xf16>
// CHECK: step %c64_i32
module @small {
  func.func private @k(%a: memref<64x2048xf16>, %b: memref<2048x64xf16>, %c: memref<64x64xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x2048xf16>, memref<2048x64xf16>) outs(%c : memref<64x64xf32>) {
    ^bb0(%l: f16, %r: f16, %sum: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %r : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    return
  }
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// A loop over few parts keeps short ones.
// CHECK-LABEL: module @short
// CHECK: memref.alloc() : memref<512x40xf16>
// CHECK: memref.alloc() : memref<128x136xf16>
module @short {
  func.func private @k(%a: memref<128x256xf16>, %b: memref<256x128xf16>, %c: memref<128x128xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<128x128xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<128x256xf16>, memref<256x128xf16>) outs(%c : memref<128x128xf32>) {
    ^bb0(%l: f16, %r: f16, %sum: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %r : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %sum, %2 : f32
      linalg.yield %3 : f32
    }
    return
  }
}
