// On a GPU's tensor cores f32 is rounded to TF32, where rounding may change and only there.
// RUN: fuse-run %s --target emulator --random-inputs 1 --check
// RUN: not fuse-run %s --target emulator --random-inputs 1 --check --numerics reduced-precision | FileCheck %s
// RUN: fuse-run %s --target emulator --random-inputs 1 --check --numerics reduced-precision --rtol 2e-3
// RUN: fuse-run %s --target emulator --dump-after fuse-distribute-members --numerics reduced-precision | FileCheck %s --check-prefix=CODE
// RUN: fuse-run %s --target emulator --dump-after fuse-distribute-members | FileCheck %s --check-prefix=PLAIN
// CHECK: largest error 0.0
// CODE: nvvm.mma.sync {{.*}} shape = #nvvm.shape<m = 16, n = 8, k = 8>
// PLAIN-NOT: nvvm.mma.sync
func.func @main(%x: tensor<100x90xf32>, %w: tensor<90x70xf32>) -> tensor<100x70xf32> {
  %0 = fuse.matmul %x, %w : (tensor<100x90xf32>, tensor<90x70xf32>) -> tensor<100x70xf32>
  return %0 : tensor<100x70xf32>
}
