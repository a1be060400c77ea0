// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-pipeline,fuse-outline-kernels,builtin.module(fuse-assign-schedules))" | FileCheck %s

// Of matrices that indices name, and that a product reads where they are, a block holds nothing: it has whole vectors of columns.
// As copies, 32 matrices would leave room for 8 columns.
// CHECK: func.func private @kernel_{{.*}}-> tensor<32x512xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [1, 0], sizes = [32, 32]>]
module attributes {fuse.target = #fuse.target<"one", cpu, {min_blocks = 1.000000e+00, l2_bytes = 1.048576e+06}>} {
  func.func @f(%x: tensor<32x1x256xf32>, %w: tensor<32x512x256xf32> {fuse.param}, %i: tensor<32xi64>, %p: tensor<32xi64>) -> tensor<32x512xf32> {
    %0 = fuse.gather %w, %i dimension = 0 {fuse.together = "k"} : (tensor<32x512x256xf32>, tensor<32xi64>) -> tensor<32x512x256xf32>
    %1 = fuse.matmul %x, %0 transpose_rhs {fuse.together = "k"} : (tensor<32x1x256xf32>, tensor<32x512x256xf32>) -> tensor<32x1x512xf32>
    %2 = fuse.reshape %1 : tensor<32x1x512xf32> -> tensor<32x512xf32>
    %3 = fuse.gather %2, %p dimension = 0 {fuse.together = "k"} : (tensor<32x512xf32>, tensor<32xi64>) -> tensor<32x512xf32>
    return %3 : tensor<32x512xf32>
  }
}
