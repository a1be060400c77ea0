// RUN: not fuse-opt %s --fuse-pipeline=numerics=folds --fuse-layout=numerics=folds --fuse-check-plan=stream 2>&1 | FileCheck %s

// Three parts of 5 rows, read as 5 rows of 3 times 2: rows of the parts have no factors in common with those that are
// read. Planning still sees that the last 2 of each lie behind each other, and code does not yet.
// CHECK: check-plan-errors.mlir:[[#@LINE+3]]:{{[0-9]+}}: error: kernel @kernel_{{[0-9a-f]+}} is planned over [2], built over []
// CHECK: note: schedule: #fuse.schedule<
func.func @parts(%26: tensor<5x2xi64>, %27: tensor<10xf32>) -> (tensor<5x2xf32>, tensor<5x1x6xf32>) {
  %28 = fuse.gather %27, %26 dimension = 0 : (tensor<10xf32>, tensor<5x2xi64>) -> tensor<5x2xf32>
  %29 = arith.constant dense<5.000000e-01> : tensor<f32>
  %30 = fuse.binary max %28, %29 : (tensor<5x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  %31 = fuse.concat %28, %28, %28 dimension = 0 : (tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<15x2xf32>
  %32 = fuse.reshape %31 : tensor<15x2xf32> -> tensor<5x6xf32>
  %33 = fuse.broadcast %32 dimensions = [1] : tensor<5x6xf32> -> tensor<5x1x6xf32>
  return %30, %33 : tensor<5x2xf32>, tensor<5x1x6xf32>
}
