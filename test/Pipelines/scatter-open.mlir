// The kernel of a scatter computes on joined dimensions, of which it knows no number: its result is its destination all the same.
// RUN: fuse-run %s --random-inputs 1 --no-cache --check | FileCheck %s

// CHECK: result0: largest error 0,
func.func @open(%x: tensor<?x?x?xf32>, %i: tensor<?x?xi64>, %u: tensor<?x?x?x?xf32>) -> tensor<?x?x?xf32> {
  %0 = fuse.scatter add %x, %i, %u dimension = 2 : (tensor<?x?x?xf32>, tensor<?x?xi64>, tensor<?x?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
