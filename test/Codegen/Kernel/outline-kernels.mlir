// RUN: fuse-opt %s --fuse-form-kernels --fuse-outline-kernels --split-input-file | FileCheck %s

// Equal kernels are outlined once, and a load and a store are absorbed: a buffer that is read is an
// input, one that is written an out, which may be the memory of another operand: equal kernels are marked all.
// CHECK-DAG: module @[[COPY:kernel_[0-9a-f]+]] attributes {fuse.writes_operands} {
// CHECK-DAG: module @[[RELU:kernel_[0-9a-f]+]] {{.*}}
// CHECK-NOT: module @
// CHECK-LABEL: func.func @equal
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[M:.*]]: memref<8xf32>, %[[N:.*]]: memref<8xf32>)
// CHECK: %[[E0:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: %[[A:.*]] = fuse.launch @[[FIRST:.*]] ins(%[[X]] : tensor<8xf32>) outs(%[[E0]] : tensor<8xf32>) -> tensor<8xf32>
// CHECK: %[[B:.*]] = fuse.launch @[[SECOND:.*]] ins(%[[A]] : tensor<8xf32>) outs(
// CHECK: %[[C:.*]] = fuse.launch @[[FIRST]] ins(%[[B]] : tensor<8xf32>) outs(
// CHECK: %[[D:.*]] = fuse.launch @[[SECOND]] ins(%[[M]] : memref<8xf32>) outs(
// CHECK: fuse.launch @[[SECOND]] ins(%[[C]] : tensor<8xf32>) outs(%[[N]] : memref<8xf32>){{$}}
// CHECK-NOT: fuse.kernel
// CHECK: return %[[C]], %[[D]]
func.func @equal(%x: tensor<8xf32>, %m: memref<8xf32>, %n: memref<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.copy %0 : tensor<8xf32>
  %2 = fuse.unary relu %1 : tensor<8xf32>
  %3 = fuse.load %m : memref<8xf32> -> tensor<8xf32>
  fuse.store %2, %n : tensor<8xf32>, memref<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A kernel's function has its inputs, then one writable tensor per result.
// CHECK: func.func private @kernel_{{[0-9a-f]+}}(%[[X:.*]]: tensor<8xf32>, %{{.*}}: tensor<8xf32> {bufferization.writable = true}, %{{.*}}: tensor<f32> {bufferization.writable = true}) -> (tensor<8xf32>, tensor<f32>)
// CHECK: %[[A:.*]] = fuse.unary exp %[[X]]
// CHECK: %[[B:.*]] = fuse.reduce sum %[[A]]
// CHECK: return %[[A]], %[[B]]
// CHECK-LABEL: func.func @results
// CHECK: fuse.launch @{{.*}} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<f32>) -> tensor<8xf32>, tensor<f32>
func.func @results(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %0:2 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
    %1 = fuse.unary exp %a : tensor<8xf32>
    %2 = fuse.reduce sum %1 dimensions = [0] : tensor<8xf32> -> tensor<f32>
    fuse.yield %1, %2 : tensor<8xf32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<f32>
}

// -----

// The same ops on other types, or with another parameter, are other kernels.
// CHECK-COUNT-3: module @kernel_
// CHECK-LABEL: func.func @unequal
func.func @unequal(%x: tensor<8xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>, tensor<8xf32>) {
  %0 = fuse.unary leaky_relu %x alpha = 1.000000e-01 : tensor<8xf32>
  %1 = fuse.unary leaky_relu %y alpha = 1.000000e-01 : tensor<9xf32>
  %2 = fuse.unary leaky_relu %x alpha = 2.000000e-01 : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<9xf32>, tensor<8xf32>
}

// -----

// Which dimensions of a reshape hold the same elements, where extents say so: the kernel's module has only sizes.
// CHECK: fuse.reshape %{{.*}} sizes = [%{{.*}}, %{{.*}}] {fuse.reshape_groups = array<i64: 1, 1, 1, 1, 2, 1>} : tensor<?x8x?x?xf32> -> tensor<?x8x?xf32>
#area = affine_map<()[s0, s1] -> (s0 * s1)>
func.func @joined(%x: tensor<?x8x?x?xf32>) -> tensor<?x8x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %x, %c0 : tensor<?x8x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x8x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x8x?x?xf32>
  %n = affine.apply #area()[%h, %w]
  %0 = fuse.kernel (%a = %x, %size = %b, %area = %n) : (tensor<?x8x?x?xf32>, index, index) -> tensor<?x8x?xf32> {
    %1 = fuse.reshape %a sizes = [%size, %area] : tensor<?x8x?x?xf32> -> tensor<?x8x?xf32>
    %2 = fuse.unary exp %1 : tensor<?x8x?xf32>
    fuse.yield %2 : tensor<?x8x?xf32>
  }
  return %0 : tensor<?x8x?xf32>
}
