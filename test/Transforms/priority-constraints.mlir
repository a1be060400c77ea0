// What the user fixes holds whatever a merge would gain.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels | FileCheck %s

// CHECK-LABEL: func.func @alone
// CHECK: fuse.kernel
// CHECK-NEXT: unary relu
// CHECK-NEXT: yield
// CHECK: fuse.kernel
// CHECK-NEXT: unary sigmoid
// CHECK-NEXT: yield
// CHECK: fuse.kernel
// CHECK-NEXT: unary exp
// CHECK-NEXT: reduce sum
// CHECK-NEXT: yield
func.func @alone(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %0 = fuse.unary relu %x : tensor<64x128xf32>
  %1 = fuse.unary sigmoid %0 {fuse.alone} : tensor<64x128xf32>
  %2 = fuse.unary exp %1 : tensor<64x128xf32>
  %3 = fuse.reduce sum %2 dimensions = [1] : tensor<64x128xf32> -> tensor<64xf32>
  return %3 : tensor<64xf32>
}

// The ops of a label are one kernel, and nothing else joins it.
// CHECK-LABEL: func.func @together_closed
// CHECK: fuse.kernel
// CHECK-NEXT: unary relu
// CHECK-NEXT: yield
// CHECK: fuse.kernel
// CHECK-NEXT: unary sigmoid
// CHECK-NEXT: unary exp
// CHECK-NEXT: yield
// CHECK: fuse.kernel
// CHECK-NEXT: unary neg
// CHECK-NEXT: yield
func.func @together_closed(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary relu %x : tensor<64x128xf32>
  %1 = fuse.unary sigmoid %0 {fuse.together = "k"} : tensor<64x128xf32>
  %2 = fuse.unary exp %1 {fuse.closed, fuse.together = "k"} : tensor<64x128xf32>
  %3 = fuse.unary neg %2 : tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}

// Without the mark, what stands before and behind joins.
// CHECK-LABEL: func.func @together_open
// CHECK: fuse.kernel
// CHECK-NEXT: unary relu
// CHECK-NEXT: unary sigmoid
// CHECK-NEXT: unary exp
// CHECK-NEXT: unary neg
// CHECK-NEXT: yield
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @together_open(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary relu %x : tensor<64x128xf32>
  %1 = fuse.unary sigmoid %0 {fuse.together = "k"} : tensor<64x128xf32>
  %2 = fuse.unary exp %1 {fuse.together = "k"} : tensor<64x128xf32>
  %3 = fuse.unary neg %2 : tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}

// Two labels, whose ops could be one kernel.
// CHECK-LABEL: func.func @two_labels
// CHECK-COUNT-2: fuse.kernel
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @two_labels(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary relu %x {fuse.together = "a"} : tensor<64x128xf32>
  %1 = fuse.unary sigmoid %0 {fuse.together = "a"} : tensor<64x128xf32>
  %2 = fuse.unary exp %1 {fuse.together = "b"} : tensor<64x128xf32>
  %3 = fuse.unary neg %2 {fuse.together = "b"} : tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}

// A composite that is alone stays whole, and by itself.
// CHECK-LABEL: func.func @composite
// CHECK: fuse.kernel
// CHECK-NEXT: unary relu
// CHECK-NEXT: yield
// CHECK: fuse.kernel
// CHECK: reduce max
// CHECK: reduce sum
// CHECK-NEXT: binary div
// CHECK-NEXT: yield
// CHECK-NOT: fuse.kernel
// CHECK: return
func.func @composite(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.unary relu %x : tensor<64x128xf32>
  %1 = fuse.softmax %0 dimension = 1 {fuse.alone} : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
