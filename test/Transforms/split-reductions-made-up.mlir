// RUN: fuse-opt %s --fuse-split-reductions | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline=numerics=reassociates | FileCheck %s --check-prefix=KERNELS

// A sum of what is made up of next to nothing is cut into the blocks that planning asks for, though nobody
// knows how many threads there are: the matrix is in no memory.
// CHECK-LABEL: func.func @identity
// CHECK: fuse.reduce sum %{{.*}} dimensions = [1, 2] : tensor<16x3750x60000xf32> -> tensor<16xf32>
// CHECK: fuse.reduce sum %{{.*}} : tensor<16xf32> -> tensor<f32>
// KERNELS-LABEL: func.func @identity
// KERNELS: fuse.kernel {{.*}} -> tensor<16xf32>
// KERNELS-NOT: tensor<60000x60000xf32> {
// KERNELS: return
func.func @identity() -> tensor<f32> {
  %r = fuse.iota dimension = 0 : tensor<60000x60000xi64>
  %c = fuse.iota dimension = 1 : tensor<60000x60000xi64>
  %e = fuse.compare eq %r, %c : (tensor<60000x60000xi64>, tensor<60000x60000xi64>) -> tensor<60000x60000xi1>
  %f = fuse.cast %e : (tensor<60000x60000xi1>) -> tensor<60000x60000xf32>
  %s = fuse.reduce sum %f dimensions = [0, 1] : tensor<60000x60000xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// Sums over distances of a few points: rows are few.
// CHECK-LABEL: func.func @distances
// CHECK: fuse.reduce sum %{{.*}} : tensor<{{.*}}xf32> -> tensor<16xf32>
func.func @distances(%x: tensor<1024xf32>) -> tensor<f32> {
  %a = fuse.broadcast %x dimensions = [0] : tensor<1024xf32> -> tensor<1024x1024xf32>
  %b = fuse.broadcast %x dimensions = [1] : tensor<1024xf32> -> tensor<1024x1024xf32>
  %d = fuse.binary sub %a, %b : tensor<1024x1024xf32>
  %m = fuse.unary abs %d : tensor<1024x1024xf32>
  %s = fuse.reduce sum %m dimensions = [0, 1] : tensor<1024x1024xf32> -> tensor<f32>
  return %s : tensor<f32>
}

// What is as large as memory read for it is left as it is.
// CHECK-LABEL: func.func @large
// CHECK: fuse.reduce sum %{{.*}} dimensions = [0, 1] : tensor<1024x1024xf32> -> tensor<f32>
func.func @large(%x: tensor<1024x1024xf32>) -> tensor<f32> {
  %m = fuse.unary abs %x : tensor<1024x1024xf32>
  %s = fuse.reduce sum %m dimensions = [0, 1] : tensor<1024x1024xf32> -> tensor<f32>
  return %s : tensor<f32>
}
