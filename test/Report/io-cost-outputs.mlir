// Only the results that are named are read back.
// RUN: fuse-opt %s --fuse-io-cost -o /dev/null | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: fuse-opt %s --fuse-io-cost=outputs=1 -o /dev/null | FileCheck %s --check-prefixes=CHECK,SECOND
// RUN: fuse-opt %s --fuse-io-cost=outputs=2,0,2 -o /dev/null | FileCheck %s --check-prefixes=CHECK,OUTER
// RUN: fuse-opt %s --fuse-io-cost=outputs=3 -o /dev/null | FileCheck %s --check-prefixes=CHECK,ARGUMENT
// What was recorded for all results holds for the named ones, in all else.
// RUN: fuse-opt %s --fuse-decompose --fuse-io-cost=outputs=1 -o /dev/null | FileCheck %s --check-prefixes=CHECK,SECOND
// The module's target, where no other is named.
// RUN: fuse-opt %s --fuse-io-cost -o /dev/null | FileCheck %s --check-prefix=TARGET
// TARGET: @f on toy

// CHECK-LABEL: @f on toy
// ALL-NEXT: before: launches 2, syncs 0, readback 132 bytes, traffic 388 bytes
// ALL-NEXT: after: launches 2, syncs 0, readback 132 bytes, traffic 388 bytes
// SECOND-NEXT: before: launches 2, syncs 0, readback 4 bytes, traffic 388 bytes
// SECOND-NEXT: after: launches 2, syncs 0, readback 4 bytes, traffic 388 bytes
// One value that is returned twice is read once.
// OUTER-NEXT: before: launches 2, syncs 0, readback 128 bytes, traffic 388 bytes
// ARGUMENT-NEXT: before: launches 2, syncs 0, readback 0 bytes, traffic 388 bytes
module attributes {fuse.target = #fuse.target<"toy", gpu, {}>} {
  func.func @f(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = fuse.unary exp %x : tensor<4x8xf32>
    %1 = fuse.reduce sum %x dimensions = [0, 1] : tensor<4x8xf32> -> tensor<f32>
    return %0, %1, %0, %x : tensor<4x8xf32>, tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}
