// RUN: fuse-opt %s --fuse-lower-expand-shapes | FileCheck %s
// RUN: fuse-opt %s --fuse-lower-expand-shapes --expand-strided-metadata --canonicalize | FileCheck %s --check-prefix=UPSTREAM

// CHECK-LABEL: func.func @two_open(
// CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index)
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[X]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[N]], %[[M]]], strides: [%[[M]], 1]
// CHECK-NOT: expand_shape
// UPSTREAM-LABEL: func.func @two_open(
// UPSTREAM-NOT: expand_shape
func.func @two_open(%x: memref<?xf32>, %n: index, %m: index) -> memref<?x?xf32> {
  %0 = memref.expand_shape %x [[0, 1]] output_shape [%n, %m] : memref<?xf32> into memref<?x?xf32>
  return %0 : memref<?x?xf32>
}

// Rows of a larger array, each as n matrices of 4 columns and m rows: the strides of a row's parts follow from its own.
// CHECK-LABEL: func.func @strided(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>, %[[N:[^,]*]]: index, %[[M:[^,]*]]: index, %{{[^,]*}}: index)
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %[[SIZES:.*]]:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[ROW:.*]] = affine.apply #{{.*}}()[%[[STRIDES]]#1]
// CHECK: %[[MATRIX:.*]] = affine.apply #{{.*}}()[%[[M]], %[[STRIDES]]#1]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]],
// CHECK-SAME: strides: [%[[STRIDES]]#0, %[[MATRIX]], %[[ROW]], %[[STRIDES]]#1]
func.func @strided(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %n: index, %m: index, %rows: index)
    -> memref<?x?x?x4xf32, strided<[?, ?, ?, ?], offset: ?>> {
  %0 = memref.expand_shape %x [[0], [1, 2, 3]] output_shape [%rows, %n, %m, 4]
    : memref<?x?xf32, strided<[?, ?], offset: ?>> into memref<?x?x?x4xf32, strided<[?, ?, ?, ?], offset: ?>>
  return %0 : memref<?x?x?x4xf32, strided<[?, ?, ?, ?], offset: ?>>
}

// One open extent in each group is upstream's.
// CHECK-LABEL: func.func @one_open(
// CHECK: memref.expand_shape
func.func @one_open(%x: memref<?x?xf32>, %n: index, %m: index) -> memref<?x4x2x?xf32> {
  %0 = memref.expand_shape %x [[0, 1], [2, 3]] output_shape [%n, 4, 2, %m] : memref<?x?xf32> into memref<?x4x2x?xf32>
  return %0 : memref<?x4x2x?xf32>
}
