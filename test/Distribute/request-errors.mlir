// RUN: not fuse-opt %s -fuse-distribute='shard=tensor=x' 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: error: shard: expected 'tensor=N,data=M', one of them, or 'auto=N', found 'tensor=x'
// RUN: not fuse-opt %s -fuse-distribute='shard=data=2,data=2' 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: found 'data=2'
// RUN: not fuse-opt %s -fuse-distribute='shard=auto=2,data=2' 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: found 'auto=2,data=2'
// RUN: not fuse-opt %s -fuse-distribute='shard=tensor=5' 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: request-errors.mlir:[[# @LINE + 7]]:1: error: tensor=5: expected products with weights, of which a dimension divides into 5 equal parts, found none
// RUN: not fuse-opt %s -fuse-distribute='shard=data=3' 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: error: data=3: expected an argument that is no parameter and whose leading dimension divides into 3 equal parts, found none
// RUN: not fuse-opt %s -fuse-distribute='shard=tensor=2 memory-bytes=100' 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: no way to divide 'mlp' fits 100 bytes for each rank: allow more, or more ranks
// RUN: not fuse-opt %s -fuse-distribute='shard=auto=2 plan=40' 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: error: plan 40: expected one of the {{[0-9]+}} plans that differ
func.func @mlp(%x: tensor<8x16xf32>, %w: tensor<16x32xf32> {fuse.param}) -> tensor<8x32xf32> {
  %0 = fuse.matmul %x, %w : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
