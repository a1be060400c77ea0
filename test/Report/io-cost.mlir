// What fusion did, priced. The figures are to 1e-6: three digits after the point.
// RUN: fuse-opt %s --fuse-io-cost=target=metal -o /dev/null | FileCheck %s --check-prefixes=CHECK,METAL
// RUN: fuse-opt %s --fuse-io-cost=target=wgpu -o /dev/null | FileCheck %s --check-prefixes=CHECK,WGPU
// RUN: fuse-opt %s --fuse-io-cost -o /dev/null | FileCheck %s --check-prefix=DEFAULT

// One merge of a chain does not pay.
// METAL-LABEL: @merge on metal
// WGPU-LABEL: @merge on wgpu
// CHECK-NEXT: before: launches 3, syncs 0, readback 4096 bytes, traffic 24576 bytes
// CHECK-NEXT: after: launches 2, syncs 0, readback 4096 bytes, traffic 16384 bytes
// METAL-NEXT: saved: launches 1, syncs 0, readback 0 bytes, traffic 8192 bytes; least gain 1000.000 ns
// METAL-NEXT: plain: score 540.960 ns: apart
// METAL-NEXT: gated: score 540.960 ns: apart
// WGPU: plain: score 3081.920 ns: apart
func.func @merge(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.kernel (%a = %x) : (tensor<1024xf32>) -> tensor<1024xf32> {
    %1 = fuse.unary relu %a : tensor<1024xf32>
    %2 = fuse.unary sigmoid %1 : tensor<1024xf32>
    fuse.yield %2 : tensor<1024xf32>
  }
  %3 = fuse.unary exp %0 : tensor<1024xf32>
  return %3 : tensor<1024xf32>
}

// The whole group does on metal, not on wgpu.
// METAL-LABEL: @group on metal
// WGPU-LABEL: @group on wgpu
// CHECK-NEXT: before: launches 3, syncs 0, readback 4096 bytes, traffic 24576 bytes
// CHECK-NEXT: after: launches 1, syncs 0, readback 4096 bytes, traffic 8192 bytes
// CHECK-NEXT: saved: launches 2, syncs 0, readback 0 bytes, traffic 16384 bytes
// METAL-NEXT: plain: score 1081.920 ns: fuse
// METAL-NEXT: gated: score 1081.920 ns: fuse
// WGPU-NEXT: plain: score 6163.840 ns: apart
// WGPU-NEXT: gated: score 6163.840 ns: apart
// Anything saved is enough on the default target, a CPU in round numbers: 2 · 1000 + 16384 / 16.
// DEFAULT-LABEL: @group on default
// DEFAULT: least gain 0.000 ns
// DEFAULT-NEXT: plain: score 3024.000 ns: fuse
func.func @group(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.kernel (%a = %x) : (tensor<1024xf32>) -> tensor<1024xf32> {
    %1 = fuse.unary relu %a : tensor<1024xf32>
    %2 = fuse.unary sigmoid %1 : tensor<1024xf32>
    %3 = fuse.unary exp %2 : tensor<1024xf32>
    fuse.yield %3 : tensor<1024xf32>
  }
  return %0 : tensor<1024xf32>
}

// What was recorded is what was written.
// CHECK-LABEL: @recorded
// CHECK-NEXT: before: launches 9, syncs 8, readback 7 bytes, traffic 6 bytes
// CHECK-NEXT: after: launches 0, syncs 0, readback 0 bytes, traffic 0 bytes
func.func @recorded(%x: tensor<8xf32>) -> tensor<8xf32> attributes {fuse.written = #fuse.profile<
    kernel_launches = 9, sync_points = 8, host_output_bytes = 7, device_traffic_bytes = 6, unknown_values = 0>} {
  return %x : tensor<8xf32>
}

// CHECK-NOT: @declared
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
