// Products that warpgroups leave to subgroups.
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores warpgroups async-stages=4 shared-bytes=232448" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=4 shared-bytes=232448" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores warpgroups async-stages=1 shared-bytes=232448" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores warpgroups async-stages=4 shared-bytes=232448" --split-input-file --remarks-filter=fuse-distribute-members -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Missed] warpgroups {{.*}}Reason="subgroups multiply a tile of 16 x 64, by 128 threads: warpgroups have no room for its sums, or multiply too much that only fills up"
// REMARK: [Missed] warpgroups {{.*}}Reason="subgroups multiply a tile of 64 x 64, by 128 threads: its operands are not copied in pieces of 16 bytes as they lie in memory"

// OFF-NOT: wgmma

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Of 64 rows 48 would only fill up.
// CHECK-LABEL: module @few_rows
// CHECK-NOT: wgmma
// CHECK: nvvm.mma.sync
module @few_rows {
  func.func private @k(%a: memref<16x512xf16>, %b: memref<512x64xf16>, %c: memref<16x64xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<16x64xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x512xf16>, memref<512x64xf16>) outs(%c : memref<16x64xf32>) {
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

// Rows of 500 elements have pieces of 8 bytes.
// CHECK-LABEL: module @short_pieces
// CHECK-NOT: wgmma
// CHECK: nvvm.mma.sync
module @short_pieces {
  func.func private @k(%a: memref<64x500xf16>, %b: memref<500x64xf16>, %c: memref<64x64xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<64x64xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x500xf16>, memref<500x64xf16>) outs(%c : memref<64x64xf32>) {
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
