// RUN: fuse-opt %s --fuse-pipeline --fuse-label | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What a scatter adds is put together update by update; it ends its kernel.
// CHECK-LABEL: func.func @weighted
// CHECK: fuse.kernel
// CHECK-NEXT: fuse.gather
// CHECK-NEXT: fuse.binary mul
// CHECK: fuse.scatter add
// CHECK-NEXT: fuse.yield
// CHECK: fuse.kernel
// CHECK-NEXT: fuse.unary relu
// REMARK: [Missed] scatter {{.*}} Function=weighted | Kind=legality, Reason="'relu' stands behind 'scatter', which ends its kernel", {{.*}}Suggestion="a kernel of its own for what reads the scatter"
func.func @weighted(%x: tensor<50x32xf32>, %w: tensor<900x1xf32>, %s: tensor<900xi64>, %i: tensor<900xi64>) -> tensor<50x32xf32> {
  %z = arith.constant dense<0.0> : tensor<50x32xf32>
  %0 = fuse.gather %x, %s dimension = 0 : (tensor<50x32xf32>, tensor<900xi64>) -> tensor<900x32xf32>
  %1 = fuse.binary mul %0, %w : (tensor<900x32xf32>, tensor<900x1xf32>) -> tensor<900x32xf32>
  %2 = fuse.scatter add %z, %i, %1 dimension = 0 : (tensor<50x32xf32>, tensor<900xi64>, tensor<900x32xf32>) -> tensor<50x32xf32>
  %3 = fuse.unary relu %2 : tensor<50x32xf32>
  return %3 : tensor<50x32xf32>
}

// A product is no part of it, and what it is computed from neither.
// CHECK-LABEL: func.func @product
// CHECK: fuse.kernel
// CHECK: fuse.matmul
// CHECK: fuse.yield
// CHECK: fuse.kernel
// CHECK: fuse.scatter add
// REMARK: [Missed] scatter {{.*}} Function=product | Kind=legality, Reason="'matmul(900x16x32)' cannot be computed update by update for 'scatter'"
func.func @product(%x: tensor<900x16xf32>, %w: tensor<16x32xf32>, %i: tensor<900xi64>) -> tensor<50x32xf32> {
  %z = arith.constant dense<0.0> : tensor<50x32xf32>
  %0 = fuse.matmul %x, %w : (tensor<900x16xf32>, tensor<16x32xf32>) -> tensor<900x32xf32>
  %1 = fuse.scatter add %z, %i, %0 dimension = 0 : (tensor<50x32xf32>, tensor<900xi64>, tensor<900x32xf32>) -> tensor<50x32xf32>
  return %1 : tensor<50x32xf32>
}

// Nor are two scatters one kernel.
// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: fuse.kernel
// REMARK: [Missed] scatter {{.*}} Function=two
func.func @two(%x: tensor<9x4xf32>, %i: tensor<5xi64>, %u: tensor<5x4xf32>) -> tensor<9x4xf32> {
  %0 = fuse.scatter set %x, %i, %u dimension = 0 : (tensor<9x4xf32>, tensor<5xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
  %1 = fuse.scatter add %0, %i, %u dimension = 0 : (tensor<9x4xf32>, tensor<5xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
  return %1 : tensor<9x4xf32>
}
