// RUN: fuse-opt %s --convert-fuse-to-linalg --fuse-merge-members | FileCheck %s

// Weights that have more bytes than what they are computed from, and few rows: the product computes them.
// CHECK-LABEL: func.func @widened
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64x32xi8>, tensor<32xf32>)
// CHECK: arith.sitofp
// CHECK: arith.mulf
// CHECK: arith.mulf %{{.*}} fastmath<contract>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @widened(%x: tensor<8x64xf32>, %w: tensor<64x32xi8>, %s: tensor<32xf32>) -> tensor<8x32xf32> {
  %0 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %1 = fuse.binary mul %0, %s : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %2 = fuse.matmul %x, %1 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// Not for more rows, which would compute each weight again, or where as many bytes are read either way.
// CHECK-LABEL: func.func @many_rows
// CHECK: arith.sitofp
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<17x64xf32>, tensor<64x32xf32>)
func.func @many_rows(%x: tensor<17x64xf32>, %w: tensor<64x32xi8>) -> tensor<17x32xf32> {
  %0 = fuse.cast %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %1 = fuse.matmul %x, %0 : (tensor<17x64xf32>, tensor<64x32xf32>) -> tensor<17x32xf32>
  return %1 : tensor<17x32xf32>
}

// CHECK-LABEL: func.func @as_many_bytes
// CHECK: math.absf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<64x32xf32>)
func.func @as_many_bytes(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %0 = fuse.unary abs %w : tensor<64x32xf32>
  %1 = fuse.matmul %x, %0 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %1 : tensor<8x32xf32>
}
