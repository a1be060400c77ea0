// RUN: fuse-opt %s --fuse-unroll-scans --split-input-file --verify-diagnostics | FileCheck %s
// RUN: fuse-opt %s --fuse-unroll-scans=always --split-input-file --verify-diagnostics | FileCheck %s --check-prefixes=CHECK,ALWAYS

module attributes {fuse.target = #fuse.target<"a GPU", gpu, {max_threads = 100.0}>} {
  // From the last element to the first.
  // CHECK-LABEL: func.func @reverse(
  // CHECK-SAME:    %[[X:.*]]: tensor<2x8xf32>, %[[H:.*]]: tensor<8xf32>)
  // CHECK:         %[[A:.*]] = fuse.slice %[[X]] offsets = [1, 0] sizes = [1, 8]
  // CHECK:         %[[LAST:.*]] = fuse.reshape %[[A]]
  // CHECK:         %[[S1:.*]] = fuse.binary add %[[H]], %[[LAST]]
  // CHECK:         %[[O1:.*]] = fuse.reshape %[[S1]]
  // CHECK:         %[[B:.*]] = fuse.slice %[[X]] offsets = [0, 0] sizes = [1, 8]
  // CHECK:         %[[FIRST:.*]] = fuse.reshape %[[B]]
  // CHECK:         %[[S0:.*]] = fuse.binary add %[[S1]], %[[FIRST]]
  // CHECK:         %[[O0:.*]] = fuse.reshape %[[S0]]
  // CHECK:         %[[Y:.*]] = fuse.concat %[[O0]], %[[O1]] dimension = 0
  // CHECK:         return %[[S0]], %[[Y]]
  func.func @reverse(%x: tensor<2x8xf32>, %h: tensor<8xf32>) -> (tensor<8xf32>, tensor<2x8xf32>) {
    %0:2 = fuse.scan states(%s = %h) over(%row = %x) reverse : (tensor<8xf32>, tensor<2x8xf32>) -> (tensor<8xf32>, tensor<2x8xf32>) {
      %1 = fuse.binary add %s, %row : tensor<8xf32>
      fuse.yield %1, %1 : tensor<8xf32>, tensor<8xf32>
    }
    return %0#0, %0#1 : tensor<8xf32>, tensor<2x8xf32>
  }
}

// -----

module attributes {fuse.target = #fuse.target<"a GPU", gpu, {max_threads = 100.0}>} {
  // No steps: the state as it was, and no elements.
  // CHECK-LABEL: func.func @no_steps(
  // CHECK-SAME:    %{{.*}}: tensor<0x8xf32>, %[[H:.*]]: tensor<8xf32>)
  // CHECK:         %[[Y:.*]] = arith.constant dense<{{.*}}> : tensor<0x8xf32>
  // CHECK:         return %[[H]], %[[Y]]
  func.func @no_steps(%x: tensor<0x8xf32>, %h: tensor<8xf32>) -> (tensor<8xf32>, tensor<0x8xf32>) {
    %0:2 = fuse.scan states(%s = %h) over(%row = %x) : (tensor<8xf32>, tensor<0x8xf32>) -> (tensor<8xf32>, tensor<0x8xf32>) {
      %1 = fuse.binary add %s, %row : tensor<8xf32>
      fuse.yield %1, %1 : tensor<8xf32>, tensor<8xf32>
    }
    return %0#0, %0#1 : tensor<8xf32>, tensor<0x8xf32>
  }
}

// -----

// CHECK-LABEL: func.func @for_a_cpu(
// ALWAYS-NOT:    fuse.scan
func.func @for_a_cpu(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = fuse.scan over(%row = %x) : (tensor<1x8xf32>) -> tensor<1x8xf32> {
    %1 = fuse.unary exp %row : tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<1x8xf32>
}

// -----

module attributes {fuse.target = #fuse.target<"a GPU", gpu, {max_threads = 100.0}>} {
  func.func @open(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    // expected-error@+1 {{cannot be unrolled for a GPU: expected between 0 and 4096 steps, found an unknown number}}
    %0 = fuse.scan over(%row = %x) : (tensor<?x8xf32>) -> tensor<?x8xf32> {
      %1 = fuse.unary exp %row : tensor<8xf32>
      fuse.yield %1 : tensor<8xf32>
    }
    return %0 : tensor<?x8xf32>
  }
}
