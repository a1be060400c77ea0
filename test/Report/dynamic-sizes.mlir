// A dynamic extent counts what its argument states: a bound, else a hint, else nothing. Reports say how
// many values were sized by which, before and after.

// RUN: fuse-opt %s --fuse-pipeline=strategy=chains --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline=strategy=chains --fuse-report=json=- -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: fuse-opt %s --fuse-decompose | FileCheck %s --check-prefix=WRITTEN

// JSON: "functions": [
// JSON: "after": {
// JSON-DAG: "bound_values": 2,
// JSON-DAG: "hint_values": 0,
// JSON-DAG: "device_traffic_bytes": 51200,
// JSON: "before": {
// JSON-DAG: "bound_values": 3,
// JSON-DAG: "hint_values": 0,
// JSON-DAG: "unknown_values": 0
// JSON: "kernels": [

// CHECK-LABEL: @bound
// CHECK: 25.0KB memory saved
// CHECK-NEXT: before: launches 2, syncs 0, readback 25600 bytes, traffic 102400 bytes, values sized by bounds 3{{$}}
// CHECK-NEXT: after: launches 1, syncs 0, readback 25600 bytes, traffic 51200 bytes, values sized by bounds 2{{$}}
// WRITTEN-LABEL: func.func @bound
// WRITTEN: device_traffic_bytes = 102400, unknown_values = 0
func.func @bound(%x: tensor<?x64xf32> {fuse.dim_bounds = array<i64: 100, -1>}) -> tensor<?x64xf32> {
  %0 = fuse.unary relu %x : tensor<?x64xf32>
  %1 = fuse.unary exp %0 : tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// CHECK-LABEL: @hint
// CHECK: before: launches 1, syncs 0, readback 1792 bytes, traffic 3584 bytes, values sized by hints 2{{$}}
func.func @hint(%x: tensor<?x64xf32> {fuse.dim_hints = array<i64: 7, -1>}) -> tensor<?x64xf32> {
  %0 = fuse.unary relu %x : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// A bound goes before a hint.
// CHECK-LABEL: @both
// CHECK: before: launches 1, syncs 0, readback 25600 bytes, traffic 51200 bytes, values sized by bounds 2{{$}}
func.func @both(%x: tensor<?x64xf32> {fuse.dim_bounds = array<i64: 100, -1>, fuse.dim_hints = array<i64: 7, -1>}) -> tensor<?x64xf32> {
  %0 = fuse.unary relu %x : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// CHECK-LABEL: @neither
// CHECK: before: launches 1, syncs 0, readback 0 bytes, traffic 0 bytes, values of unknown size 2{{$}}
func.func @neither(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = fuse.unary relu %x : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

// One dimension of each: a value is as sure as the least sure of its dimensions.
// CHECK-LABEL: @mixed
// CHECK: before: launches 2, syncs 0, readback 400 bytes, traffic 6400 bytes, values sized by bounds 1, values sized by hints 2{{$}}
func.func @mixed(%x: tensor<?x?xf32> {fuse.dim_bounds = array<i64: 100, -1>, fuse.dim_hints = array<i64: -1, 5>}) -> tensor<?xf32> {
  %0 = fuse.unary relu %x : tensor<?x?xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Dimensions that must be equal speak for each other; nobody states anything of %y itself.
// CHECK-LABEL: @equal
// CHECK: before: launches 1, syncs 0, readback 400 bytes, traffic 1200 bytes, values sized by bounds 3{{$}}
func.func @equal(%x: tensor<?xf32> {fuse.dim_bounds = array<i64: 100>}, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.binary add %y, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Through a reshape, a matmul, a composite and a transpose.
// CHECK-LABEL: @followed
// CHECK: before: launches 4, syncs 0, readback 12800 bytes, traffic 140928 bytes, values sized by bounds 5{{$}}
func.func @followed(%x: tensor<?x64xf32> {fuse.dim_bounds = array<i64: 100, -1>}, %w: tensor<8x4xf32>) -> tensor<4x?xf32> {
  %0 = fuse.unary relu %x : tensor<?x64xf32>
  %1 = fuse.reshape %0 : tensor<?x64xf32> -> tensor<?x8xf32>
  %2 = fuse.matmul %1, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %3 = fuse.softmax %2 dimension = 0 : tensor<?x4xf32>
  %4 = fuse.transpose %3 permutation = [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  return %4 : tensor<4x?xf32>
}

// A window of 3 with stride 2 makes 15 of at most 32 positions; what the host computes has 4 rows of at
// most 8.
// CHECK-LABEL: @windows
// CHECK: before: launches 2, syncs 1, readback 876 bytes, traffic {{[0-9]+}} bytes, values sized by bounds 4{{$}}
func.func @windows(%x: tensor<1x1x?x9xf32> {fuse.dim_bounds = array<i64: -1, -1, 32, -1>}, %s: tensor<?x32xf32> {fuse.dim_bounds = array<i64: 8, -1>}) -> (tensor<1x1x?x13xf32>, tensor<?x6xf32>) {
  %0 = fuse.max_pool2d %x kernel = [3, 3] strides = [2, 1] dilations = [1, 1] padding = [0, 3, 0, 3] layout = nchw_fchw : tensor<1x1x?x9xf32> -> tensor<1x1x?x13xf32>
  %1 = fuse.welch_peaks %s k = 3 n_segments = 2 : tensor<?x32xf32> -> tensor<?x6xf32>
  return %0, %1 : tensor<1x1x?x13xf32>, tensor<?x6xf32>
}
