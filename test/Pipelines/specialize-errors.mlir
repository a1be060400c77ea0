// RUN: not fuse-opt %s --fuse-specialize="sizes=m=2" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not fuse-opt %s --fuse-specialize="sizes=n=9" 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not fuse-opt %s --fuse-specialize="sizes=n=3" 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not fuse-opt %s --fuse-specialize="sizes=n=1" 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not fuse-opt %s --fuse-specialize="sizes=arg0:0=2,arg1:0=4" 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: not fuse-opt %s --fuse-specialize="sizes=n=-1" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not fuse-opt %s --fuse-specialize="sizes=n=3..2" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not fuse-opt %s --fuse-specialize="sizes=n=3..4,likely=5" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not fuse-opt %s --fuse-specialize="sizes=n=3..4,likely=3,likely=4" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not fuse-opt %s --fuse-specialize="sizes=n" 2>&1 | FileCheck %s --check-prefix=TEXT

// NAME: specialize-errors.mlir:[[# @LINE + 7]]:{{.*}}: error: expected a variant's size of one of the open dimensions n, arg1:0, found 'm'
// BOUND: error: a variant has n=9, above its bound of 8
// SIZE: error: {{.*}}3x5
// SIZE: note: in the variant for n=3
// BELOW: error: dimension 0 of the result, 'tensor<?x5xf32>', would have the extent -1
// EQUAL: error: a variant has arg0:0=2,arg1:0=4, which must be equal
// TEXT: error: expected variants as NAME=N,NAME=N;{{.*}}, N at least 0, or auto, found
func.func @f(%x: tensor<?x5xf32> {fuse.dim_names = ["n", ""], fuse.dim_bounds = array<i64: 8, -1>}, %y: tensor<?x5xf32>)
    -> (tensor<?x5xf32>, tensor<?x2xf32>) {
  %0 = fuse.binary add %x, %y : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %1 = fuse.slice %0 offsets = [2, 0] sizes = [-1, 5] strides = [1, 1] : tensor<?x5xf32> -> tensor<?x5xf32>
  %2 = fuse.reshape %0 : tensor<?x5xf32> -> tensor<?x2xf32>
  return %1, %2 : tensor<?x5xf32>, tensor<?x2xf32>
}
