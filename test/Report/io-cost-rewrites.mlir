// The gate over rewrites: a device may keep apart what pays on another.
// RUN: fuse-opt %s --fuse-io-cost="before=@dense after=@peaks target=metal" | FileCheck %s --check-prefix=METAL
// RUN: fuse-opt %s --fuse-io-cost="before=@dense after=@peaks target=wgpu" | FileCheck %s --check-prefix=WGPU
// Kernels that each hold one op change nothing.
// RUN: fuse-opt %s --fuse-form-kernels --fuse-io-cost="before=dense after=peaks target=metal" | FileCheck %s --check-prefix=METAL
// The attribute is read back as it was printed.
// RUN: fuse-opt %s --fuse-io-cost="before=@dense after=@peaks target=wgpu" --verify-roundtrip -o /dev/null
// RUN: fuse-opt %s --fuse-io-cost="before=@tail after=@without target=metal" -o /dev/null | FileCheck %s --check-prefix=TAIL-METAL
// RUN: fuse-opt %s --fuse-io-cost="before=@tail after=@without target=wgpu" -o /dev/null | FileCheck %s --check-prefix=TAIL-WGPU

// METAL: @dense to @peaks on metal
// METAL-NEXT: before: launches 3, syncs 0, readback 33554432 bytes, traffic 184549376 bytes
// METAL-NEXT: after: launches 4, syncs 1, readback 1048576 bytes, traffic 219152384 bytes
// METAL-NEXT: saved: launches -1, syncs -1, readback 32505856 bytes, traffic -34603008 bytes; least gain 1000.000 ns
// METAL-NEXT: plain: score 32327340.960 ns: fuse
// METAL-NEXT: gated: score 30327340.960 ns: fuse
// WGPU: @dense to @peaks on wgpu
// WGPU-NEXT: before: launches 3, syncs 0, readback 33554432 bytes, traffic 184549376 bytes
// WGPU-NEXT: after: launches 4, syncs 1, readback 1048576 bytes, traffic 219152384 bytes
// WGPU-NEXT: saved: launches -1, syncs -1, readback 32505856 bytes, traffic -34603008 bytes; least gain 10000.000 ns
// WGPU-NEXT: plain: score 433616.320 ns: fuse
// WGPU-NEXT: gated: score -24566383.680 ns: apart

// METAL-LABEL: func.func @dense
// METAL-NOT: fuse.io_cost
// METAL-LABEL: func.func @peaks
// METAL-SAME: fuse.io_cost = #fuse.io_cost<"metal",
// METAL-SAME: before = <kernel_launches = 3, sync_points = 0, host_output_bytes = 33554432, device_traffic_bytes = 184549376, unknown_values = 0>,
// METAL-SAME: after = <kernel_launches = 4, sync_points = 1, host_output_bytes = 1048576, device_traffic_bytes = 219152384, unknown_values = 0>,
// METAL-SAME: benefit = <launches_saved = -1, sync_points_saved = -1, host_readback_bytes_saved = 32505856, device_traffic_bytes_saved = -34603008>,
// METAL-SAME: score_ns = 32327340.96{{.*}}, plain = fuse, gated_score_ns = 30327340.96{{.*}}, gated = fuse>
// WGPU-LABEL: func.func @peaks
// WGPU-SAME: score_ns = {{433616.32|4.336163[0-9]*E+5}}{{.*}}, plain = fuse, gated_score_ns = -24566383.6{{.*}}, gated = apart>
func.func @dense(%s: tensor<8192x1024xf16>) -> tensor<8192x1024xf32> {
  %0 = fuse.cast %s : (tensor<8192x1024xf16>) -> tensor<8192x1024xf32>
  %1 = fuse.unary abs %0 : tensor<8192x1024xf32>
  %2 = fuse.unary sqrt %1 : tensor<8192x1024xf32>
  return %2 : tensor<8192x1024xf32>
}
func.func @peaks(%s: tensor<8192x1024xf16>) -> tensor<8192x32xf32> {
  %0 = fuse.cast %s : (tensor<8192x1024xf16>) -> tensor<8192x1024xf32>
  %1 = fuse.unary abs %0 : tensor<8192x1024xf32>
  %2 = fuse.unary sqrt %1 : tensor<8192x1024xf32>
  %3 = fuse.welch_peaks %2 k = 16 n_segments = 1 : tensor<8192x1024xf32> -> tensor<8192x32xf32>
  return %3 : tensor<8192x32xf32>
}

// A wait on both sides is no added wait.
// TAIL-METAL: before: launches 2, syncs 1, readback 8192 bytes, traffic 16384 bytes
// TAIL-METAL-NEXT: after: launches 1, syncs 1, readback 512 bytes, traffic 16384 bytes
// TAIL-METAL-NEXT: saved: launches 1, syncs 0, readback 7680 bytes, traffic 0 bytes
// TAIL-METAL-NEXT: plain: score 8180.000 ns: fuse
// TAIL-METAL-NEXT: gated: score 8180.000 ns: fuse
// TAIL-WGPU: plain: score 3192.000 ns: apart
// TAIL-WGPU-NEXT: gated: score 3192.000 ns: apart
func.func @tail(%x: tensor<1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %0 = fuse.host_call @filter(%x) pure : (tensor<1024xf32>) -> tensor<1024xf32>
  %1 = fuse.unary relu %0 : tensor<1024xf32>
  return %0, %1 : tensor<1024xf32>, tensor<1024xf32>
}
func.func @without(%s: tensor<4x992xf32>) -> tensor<4x32xf32> {
  %0 = fuse.welch_peaks %s k = 16 n_segments = 1 : tensor<4x992xf32> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}
