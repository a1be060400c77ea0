// RUN: fuse-opt %s --fuse-plan --fuse-form-kernels | FileCheck %s

// The mean over the pixels of three images of 56 channels, channels last, has fewer blocks than threads are wanted for.
// It has no more alone, so the addition joins it.
// CHECK-LABEL: func.func @mean_and_add(
// CHECK:         fuse.kernel
// CHECK:           fuse.reduce mean
// CHECK-NEXT:      fuse.binary add
// CHECK-NOT:     fuse.kernel
func.func @mean_and_add(%x: tensor<3x15x15x56xf32>, %y: tensor<3x56x1x1xf32>) -> tensor<3x56x1x1xf32> {
  %0 = fuse.transpose %x permutation = [0, 3, 1, 2] : tensor<3x15x15x56xf32> -> tensor<3x56x15x15xf32>
  %1 = fuse.reduce mean %0 dimensions = [2, 3] keep_dims : tensor<3x56x15x15xf32> -> tensor<3x56x1x1xf32>
  %2 = fuse.binary add %1, %y : tensor<3x56x1x1xf32>
  return %2 : tensor<3x56x1x1xf32>
}
