// Products of halves are those of warpgroups on the one chip that has them, unless they are switched off.
// RUN: fuse-run %s --target cuda --chip sm_90a --dump-after ptx | FileCheck %s
// RUN: fuse-run %s --target cuda --chip sm_90a --no-warpgroups --dump-after ptx | FileCheck %s --check-prefix=OFF
// RUN: fuse-run %s --target cuda --chip sm_90a --no-async-copies --dump-after ptx | FileCheck %s --check-prefix=OFF
// RUN: fuse-run %s --target cuda --chip sm_90 --dump-after ptx | FileCheck %s --check-prefix=OFF
// RUN: fuse-run %s --target emulator --chip sm_90a --random-inputs 1 --check
// RUN: fuse-run %s --target emulator --chip sm_90a --random-inputs 1 --explain 2>&1 >/dev/null | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: warpgroups.mlir:[[#@LINE+12]]:10: remark: [Passed] warpgroups {{.*}}Reason="warpgroups multiply a tile of 64 x 128, by 128 threads,
// CHECK: .target sm_90a
// CHECK: .extern .shared .align 1024
// CHECK: fence.proxy.async.shared::cta
// CHECK: wgmma.fence.sync.aligned
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0
// OFF-NOT: wgmma
// OFF: mma.sync.aligned
func.func @main(%x: tensor<128x256xf16>, %w: tensor<256x128xf16>) -> tensor<128x128xf16> {
  %0 = fuse.kernel (%a = %x, %b = %w) : (tensor<128x256xf16>, tensor<256x128xf16>) -> tensor<128x128xf16> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [64, 128]>], threads = 128>} {
    %1 = fuse.matmul %a, %b : (tensor<128x256xf16>, tensor<256x128xf16>) -> tensor<128x128xf16>
    fuse.yield %1 : tensor<128x128xf16>
  }
  return %0 : tensor<128x128xf16>
}
