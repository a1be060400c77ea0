// Functions within their budgets are left alone, without a word; the option's limits hold beside theirs.

// RUN: fuse-opt %s --fuse-pipeline 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning
// RUN: fuse-opt %s --fuse-pipeline="budget=launches=2,syncs=1,readback_bytes=4096,traffic_bytes=8192" -o /dev/null 2>&1 | count 0
// RUN: fuse-opt %s --fuse-pipeline --fuse-check-budget=budget=kernel_launches=2,sync_points=1,host_output_bytes=4096,device_traffic_bytes=8192 -o /dev/null 2>&1 | count 0
// RUN: not fuse-opt %s --fuse-pipeline=budget=launches=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTION --implicit-check-not=error:
// OPTION: error: @peaks exceeds its budget: launches of at most 1, found 2
// RUN: not fuse-opt %s --fuse-pipeline=budget=traffic_bytes=3000 -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOWER --implicit-check-not=error:
// LOWER: error: @chain exceeds its budget: traffic_bytes of at most 3000, found 8192
// LOWER: error: @peaks exceeds its budget: traffic_bytes of at most 3000, found 3168
// RUN: not fuse-opt %s --fuse-check-budget=budget=launch=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPELLING
// SPELLING: error: option 'budget': expected LIMIT=N,… with limits of launches, syncs, readback_bytes, traffic_bytes, collective_bytes, found 'launch=1'

// Exactly what it may cost.
// CHECK: func.func @chain
// CHECK-SAME: fuse.budget = #fuse.budget<launches = 1, syncs = 0, readback_bytes = 4096, traffic_bytes = 8192>
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32>
    attributes {fuse.budget = #fuse.budget<launches = 1, syncs = 0, readback_bytes = 4096, traffic_bytes = 8192>} {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary exp %0 : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}

// What is not limited may cost anything.
// CHECK: func.func @peaks
func.func @peaks(%s: tensor<8x32xf32>) -> tensor<4x6xf32> attributes {fuse.budget = #fuse.budget<readback_bytes = 96>} {
  %0 = fuse.unary neg %s : tensor<8x32xf32>
  %1 = fuse.welch_peaks %0 k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK: func.func @nothing
func.func @nothing() attributes {fuse.budget = #fuse.budget<launches = 0, syncs = 0, readback_bytes = 0, traffic_bytes = 0>} {
  return
}

// A bound says what the bytes can be at most, and neither launches nor syncs depend on sizes.
// CHECK: func.func @bound
func.func @bound(%x: tensor<?xf32> {fuse.dim_bounds = array<i64: 16>}, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {fuse.budget = #fuse.budget<traffic_bytes = 192>} {
  %0 = fuse.binary add %x, %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK: func.func private @elsewhere
func.func private @elsewhere(%x: tensor<8xf32>) -> tensor<8xf32>
    attributes {fuse.budget = #fuse.budget<launches = 0>}
