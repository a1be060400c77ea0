// Lanes of a GPU share the rows of masks, and the CPU folds them in vectors.
// RUN: fuse-run %s --random-inputs 1 --function any --target emulator --check --dump-after fuse-distribute-members | FileCheck %s
// RUN: fuse-run %s --random-inputs 1 --function all --target emulator --check --dump-after fuse-distribute-members | FileCheck %s
// RUN: fuse-run %s --random-inputs 1 --function any --check --dump-after fuse-vectorize-kernels | FileCheck %s --check-prefix=CPU
// RUN: fuse-run %s --random-inputs 1 --function columns --check
// CHECK: gpu.shuffle xor
// CPU: arith.ori {{.*}} : vector<64xi8>
func.func @any(%x: tensor<40x4096xi1>) -> tensor<40x1xi1> {
  %0 = fuse.reduce any %x dimensions = [1] keep_dims : tensor<40x4096xi1> -> tensor<40x1xi1>
  return %0 : tensor<40x1xi1>
}
func.func @all(%x: tensor<40x333xf32>) -> tensor<40xi1> {
  %0 = fuse.compare eq %x, %x : (tensor<40x333xf32>, tensor<40x333xf32>) -> tensor<40x333xi1>
  %1 = fuse.reduce min %0 dimensions = [1] : tensor<40x333xi1> -> tensor<40xi1>
  return %1 : tensor<40xi1>
}
func.func @columns(%x: tensor<40x333xi1>) -> tensor<333xi1> {
  %0 = fuse.reduce max %x dimensions = [0] : tensor<40x333xi1> -> tensor<333xi1>
  return %0 : tensor<333xi1>
}
