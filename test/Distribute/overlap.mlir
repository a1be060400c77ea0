// Kernels run while collectives are under way that they need nothing of.
// RUN: fuse-opt %s -split-input-file -fuse-overlap-collectives | FileCheck %s
// RUN: not fuse-opt %s -split-input-file -fuse-overlap-collectives=numerics=loose -o /dev/null 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: {{.*}}'loose'

// The ranks are on two machines. The product needs nothing of the sum, and takes more than half a millisecond.
module attributes {fuse.target = #fuse.target<"cpu", cpu, {ranks_per_node = 1.0, network_bw = 1.0, network_alpha_ns = 1000.0}>} {
  // CHECK-LABEL: func.func @moved(
  // CHECK-NEXT: %[[SUM:.*]] = fuse.all_reduce sum %{{.*}} {fuse.overlap_ns = [[NS:[1-9][0-9]*]] : i64}
  // CHECK-NEXT: fuse.matmul
  // CHECK-NEXT: fuse.unary exp %[[SUM]]
  func.func @moved(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>) {
    %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<512x512xf32>
    %1 = fuse.unary exp %0 : tensor<512x512xf32>
    %2 = fuse.matmul %y, %y : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %1, %2 : tensor<512x512xf32>, tensor<512x512xf32>
  }
}

// -----

module attributes {fuse.target = #fuse.target<"cpu", cpu, {ranks_per_node = 1.0, network_bw = 1.0, network_alpha_ns = 1000.0}>} {
  // Nothing but what needs the sum: it is one call.
  // CHECK-LABEL: func.func @chain(
  // CHECK-NOT: fuse.overlap_ns
  func.func @chain(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
    %0 = fuse.unary exp %x : tensor<512x512xf32>
    %1 = fuse.all_reduce sum %0 in <grid = [2], axes = [0]> : tensor<512x512xf32>
    %2 = fuse.unary tanh %1 : tensor<512x512xf32>
    return %2 : tensor<512x512xf32>
  }

  // As many kernels as take the time of the collective: it has 16 bytes, and the first exp is enough.
  // CHECK-LABEL: func.func @enough(
  // CHECK-NEXT: fuse.all_reduce sum %{{.*}} {fuse.overlap_ns = 2032 : i64}
  // CHECK-NEXT: fuse.unary exp
  // CHECK-NEXT: fuse.unary tanh
  // CHECK-NEXT: fuse.unary sigmoid
  func.func @enough(%x: tensor<8xf32>, %y: tensor<512x512xf32>) -> (tensor<8xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
    %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<8xf32>
    %1 = fuse.unary tanh %0 : tensor<8xf32>
    %2 = fuse.unary exp %y : tensor<512x512xf32>
    %3 = fuse.unary sigmoid %y : tensor<512x512xf32>
    return %1, %2, %3 : tensor<8xf32>, tensor<512x512xf32>, tensor<512x512xf32>
  }

  // A second collective begins before the reader of the first one, and kernels are counted once. Behind a host function whose
  // effects are unknown, and which waits for the first, no collective is moved.
  // CHECK-LABEL: func.func @order(
  // CHECK-NEXT: %[[A:.*]] = fuse.all_reduce sum %arg0
  // CHECK-NEXT: %[[B:.*]] = fuse.all_reduce max %arg1
  // CHECK-NEXT: fuse.unary exp %arg2
  // CHECK-NEXT: fuse.host_call @log(%[[A]])
  // CHECK-NEXT: fuse.all_reduce min %arg2
  func.func @order(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>, %z: tensor<512x512xf32>)
      -> (tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>) {
    %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<512x512xf32>
    %1 = fuse.all_reduce max %y in <grid = [2], axes = [0]> : tensor<512x512xf32>
    %2 = fuse.host_call @log(%0) : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %3 = fuse.all_reduce min %z in <grid = [2], axes = [0]> : tensor<512x512xf32>
    %4 = fuse.unary exp %z : tensor<512x512xf32>
    return %1, %2, %3, %4 : tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>
  }
}

// -----

// Within a machine the ranks' processors are those that copy.
module attributes {fuse.target = #fuse.target<"cpu", cpu, {ranks_per_node = 2.0}>} {
  // CHECK-LABEL: func.func @inside(
  // CHECK-NEXT: fuse.all_reduce
  // CHECK-NOT: fuse.overlap_ns
  // CHECK: fuse.unary exp
  // CHECK-NEXT: fuse.matmul
  func.func @inside(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xf32>) {
    %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> : tensor<512x512xf32>
    %1 = fuse.unary exp %0 : tensor<512x512xf32>
    %2 = fuse.matmul %y, %y : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    return %1, %2 : tensor<512x512xf32>, tensor<512x512xf32>
  }
}
