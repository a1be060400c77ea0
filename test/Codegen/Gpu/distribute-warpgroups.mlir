// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores warpgroups async-stages=4 shared-bytes=232448" --canonicalize --cse --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores async-stages=4 shared-bytes=232448" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores warpgroups async-stages=1 shared-bytes=232448" --split-input-file | FileCheck %s --check-prefix=OFF
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores warpgroups async-stages=4 shared-bytes=65536" --split-input-file | FileCheck %s --check-prefix=SMALL
// RUN: fuse-opt %s --fuse-distribute-members="tensor-cores warpgroups async-stages=4 shared-bytes=232448" --split-input-file --remarks-filter=fuse-distribute-members -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] warpgroups | Category:fuse-distribute-members{{.*}}Reason="warpgroups multiply a tile of 128 x 128, by 128 threads, in 3 stages of 64 steps"
// REMARK: [Passed] warpgroups {{.*}}Reason="warpgroups multiply a tile of 64 x 40,
// REMARK: [Passed] warpgroups {{.*}}Reason="warpgroups multiply a tile of 128 x 256, by 256 threads, in 4 stages of 64 steps"

// OFF-NOT: wgmma

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Three parts of 64 steps. Of the left operand a stage has 128 lines, its rows, of the right one 64 lines, the steps, for each
// 64 columns. Products begin in front of the copies for a later part, and are waited for behind them.
// CHECK-LABEL: module @halves
// CHECK: %[[A:.*]] = memref.alloc() {alignment = 1024 : i64} : memref<384x64xf16>
// CHECK: %[[B:.*]] = memref.alloc() {alignment = 1024 : i64} : memref<384x64xf16>
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "", "=f,
// CHECK-COUNT-32: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-8: nvvm.wgmma.mma_async %{{.*}}, <m = 64, n = 128, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
// CHECK-NOT: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK-COUNT-16: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "", "=f,
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier

// Of 64 KB two parts of 32 KB each would leave no room for a second block.
// SMALL-LABEL: module @halves
// SMALL-NOT: wgmma
// SMALL: nvvm.mma.sync
// SMALL-LABEL: module @turned
module @halves {
  func.func private @k(%a: memref<128x4096xf16>, %b: memref<4096x128xf16>, %c: memref<128x128xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<128x128xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<128x4096xf16>, memref<4096x128xf16>) outs(%c : memref<128x128xf32>) {
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

#left = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// Memory that runs along the rows, and along the steps. 40 columns are 40 lines.
// CHECK-LABEL: module @turned
// CHECK: memref.alloc() {alignment = 1024 : i64} : memref<{{[0-9]+}}x64xbf16>
// CHECK: nvvm.wgmma.mma_async %{{.*}}, <m = 64, n = 40, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <col>], B[<bf16>, <one>, <col>]
module @turned {
  func.func private @k(%a: memref<512x64xbf16>, %b: memref<40x512xbf16>, %c: memref<64x40xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 128>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<64x40xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<512x64xbf16>, memref<40x512xbf16>) outs(%c : memref<64x40xf32>) {
    ^bb0(%l: bf16, %r: bf16, %sum: f32):
      %0 = arith.extf %l : bf16 to f32
      %1 = arith.extf %r : bf16 to f32
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

// Two warpgroups have 64 rows each. There are no registers for a second block, so that this one has four parts of shared memory,
// of which two are multiplied and two copied: products of the part before are waited for when those of the next have begun.
// CHECK-LABEL: module @two
// CHECK: nvvm.shfl.sync idx
// CHECK: memref.alloc() {alignment = 1024 : i64} : memref<512x64xf16>
// CHECK: memref.alloc() {alignment = 1024 : i64} : memref<1024x64xf16>
// CHECK: scf.for
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-COUNT-4: nvvm.wgmma.mma_async %{{.*}}, <m = 64, n = 256, k = 16>
// CHECK-NOT: nvvm.wgmma.mma_async
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK-NOT: llvm.inline_asm
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: nvvm.wgmma.wait.group.sync.aligned 0
// CHECK-NEXT: llvm.inline_asm has_side_effects asm_dialect = att "", "=f,
// CHECK: gpu.barrier
module @two {
  func.func private @k(%a: memref<128x4096xf16>, %b: memref<4096x256xf16>, %c: memref<128x256xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
    %zero = arith.constant 0.0 : f32
    linalg.fill ins(%zero : f32) outs(%c : memref<128x256xf32>)
    linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<128x4096xf16>, memref<4096x256xf16>) outs(%c : memref<128x256xf32>) {
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
