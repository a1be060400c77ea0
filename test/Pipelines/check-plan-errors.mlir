// RUN: not fuse-opt %s --fuse-pipeline="numerics=folds layouts" --fuse-check-plan=stream 2>&1 | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline=numerics=folds --fuse-to-llvm --remarks-filter-missed=fuse-tile-kernels -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: fuse-run %s --random-inputs 1 --check

// Two of eight rows, by steps of three, and a mean over all of them: the rows are a concatenation of two times four, which
// the slice takes apart. Planning cuts what remains of a row in the kernel of the two results, and code cannot: one
// block computes all.
// CHECK: error: kernel @kernel_{{[0-9a-f]+}} is planned over [12], built over []
// CHECK: note: schedule: #fuse.schedule<
// REMARK: [Missed] uncut {{.*}} one block computes all
func.func @steps(%0: tensor<4x24xi8>) -> (tensor<1x24xf32>, tensor<2x12xf32>) {
  %1 = fuse.concat %0, %0 dimension = 0 : (tensor<4x24xi8>, tensor<4x24xi8>) -> tensor<8x24xi8>
  %2 = fuse.cast %1 : (tensor<8x24xi8>) -> tensor<8x24xf32>
  %3 = fuse.layer_norm %2 axes = [1] epsilon = 0.5 : (tensor<8x24xf32>) -> tensor<8x24xf32>
  %4 = fuse.concat %3 dimension = 1 : (tensor<8x24xf32>) -> tensor<8x24xf32>
  %5 = fuse.reduce mean %4 dimensions = [0] keep_dims : tensor<8x24xf32> -> tensor<1x24xf32>
  %6 = fuse.slice %4 offsets = [4, 12] sizes = [2, 12] strides = [3, 1] : tensor<8x24xf32> -> tensor<2x12xf32>
  return %5, %6 : tensor<1x24xf32>, tensor<2x12xf32>
}
