// What keeps two kernels apart is the planner's answer, asked again: with its reason, price and gain.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels --fuse-report=json=- -o /dev/null | FileCheck %s

// CHECK: "name": "blocks"
// CHECK: "refused": [
// CHECK-NEXT: {
// CHECK-NEXT: "consumer": "reduce sum",
// CHECK-NEXT: "consumer_kernel": 1,
// CHECK-NEXT: "gain_ns": null,
// CHECK: "needs": "at least 16 blocks, or at most 16384 points in all",
// CHECK-NEXT: "producer": "exp",
// CHECK-NEXT: "producer_kernel": 0,
// CHECK-NEXT: "reason": "too-few-blocks: one kernel would have 1 block where 'exp' has 65536 points, {{[0-9]+}} with all members: 'reduce sum' reduces along what the others would be tiled along"
func.func @blocks(%y: tensor<128x512xf32>) -> tensor<f32> {
  %0 = fuse.unary exp %y : tensor<128x512xf32>
  %1 = fuse.reduce sum %0 dimensions = [0, 1] : tensor<128x512xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// The price of a merge is that of the kernels, not of the two ops.
// CHECK: "name": "price"
// CHECK: "refused": [
// CHECK-NEXT: {
// CHECK-NEXT: "consumer": "matmul(64x3072x768)",
// CHECK-NEXT: "consumer_kernel": 1,
// CHECK-NEXT: "gain_ns": {{[1-9][0-9.]*}},
// CHECK: "producer": "neg",
// CHECK-NEXT: "producer_kernel": 0,
// CHECK-NEXT: "reason": "recomputation: {{[0-9]+}} operations would be repeated, {{[0-9]+}} ns more than is saved"
// CHECK-NEXT: }
// CHECK-NEXT: ]
func.func @price(%x: tensor<64x768xf32>, %y: tensor<768x3072xf32>, %z: tensor<3072x768xf32>) -> tensor<64x768xf32> {
  %0 = fuse.matmul %x, %y : (tensor<64x768xf32>, tensor<768x3072xf32>) -> tensor<64x3072xf32>
  %1 = fuse.unary neg %0 : tensor<64x3072xf32>
  %2 = fuse.matmul %1, %z : (tensor<64x3072xf32>, tensor<3072x768xf32>) -> tensor<64x768xf32>
  %3 = fuse.unary tanh %2 : tensor<64x768xf32>
  return %3 : tensor<64x768xf32>
}

// Legal, paid for, and yet not asked for by the plan.
// CHECK: "name": "request"
// CHECK: "reason": "kept-alone: 'tanh' is marked fuse.alone"
func.func @request(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary exp %x : tensor<64x128xf32>
  %1 = fuse.unary tanh %0 {fuse.alone} : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// CHECK: "name": "between"
// CHECK: "reason": "cycle: 'fuse.host_call' needs a member and is needed by one"
func.func @between(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary exp %x : tensor<64x128xf32>
  %1 = fuse.host_call @h(%0) pure : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = fuse.binary add %0, %1 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// What another size would allow is said as well: this function is planned for 65536.
// CHECK: "name": "sizes"
// CHECK: "needs": "at least 16 blocks, or at most 16384 points in all; or n <= 8192 (would gain {{[0-9]+}} ns at 8192)",
func.func @sizes(%x: tensor<?xf32> {fuse.dim_names = ["n"], fuse.dim_hints = array<i64: 65536>}) -> tensor<f32> {
  %0 = fuse.unary exp %x : tensor<?xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<?xf32> -> tensor<f32>
  return %1 : tensor<f32>
}
