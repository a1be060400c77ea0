// Without fusion every op is a kernel of its own, whatever plan the program brings.
// RUN: fuse-run %s --random-inputs 1 --mode unfused --check --report | FileCheck %s
// CHECK: Fusion: 2 → 2 kernels
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = fuse.unary relu %x {fuse.group = array<i64: 3>} : tensor<64xf32>
  %1 = fuse.unary exp %0 {fuse.group = array<i64: 3>} : tensor<64xf32>
  return %1 : tensor<64xf32>
}
