// Kernels are lowered in several threads, and printing one verifies on the same threads:
// all kernels are printed, in one order.
// RUN: fuse-run %s --function f --random-inputs 1 --threads 2 --dump-after fuse-tile-kernels > %t.first
// RUN: FileCheck %s --input-file %t.first
// RUN: fuse-run %s --function f --random-inputs 1 --threads 2 --dump-after fuse-tile-kernels > %t.second
// RUN: diff %t.first %t.second

// CHECK-DAG: math.sin
// CHECK-DAG: math.cos
// CHECK-DAG: math.tanh
// CHECK-DAG: fuse.gate sigmoid
func.func @f(%v0: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %v1 = fuse.unary sin %v0 {fuse.together = "k0"} : tensor<200x300xf32>
  %v2 = fuse.unary neg %v1 {fuse.together = "k0"} : tensor<200x300xf32>
  %v3 = fuse.unary cos %v2 {fuse.together = "k1"} : tensor<200x300xf32>
  %v4 = fuse.unary neg %v3 {fuse.together = "k1"} : tensor<200x300xf32>
  %v5 = fuse.unary tanh %v4 {fuse.together = "k2"} : tensor<200x300xf32>
  %v6 = fuse.unary neg %v5 {fuse.together = "k2"} : tensor<200x300xf32>
  %v7 = fuse.unary sigmoid %v6 {fuse.together = "k3"} : tensor<200x300xf32>
  %v8 = fuse.unary neg %v7 {fuse.together = "k3"} : tensor<200x300xf32>
  return %v8 : tensor<200x300xf32>
}
