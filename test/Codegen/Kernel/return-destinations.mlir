// RUN: fuse-opt %s --fuse-return-destinations --drop-equivalent-buffer-results --canonicalize | FileCheck %s

// A view of the view that a kernel writes to, of the destination's type: nothing needs to be returned.
// CHECK-LABEL: func.func private @joined(
// CHECK-SAME: %[[OUT:.*]]: memref<?x?xf32>, %{{.*}}: index, %{{.*}}: index) {
// CHECK: %[[VIEW:.*]] = memref.collapse_shape %[[OUT]]
// CHECK: memref.store %{{.*}}, %[[VIEW]]
// CHECK-NEXT: return
func.func private @joined(%out: memref<?x?xf32>, %n: index, %m: index) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %0 = memref.collapse_shape %out [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  memref.store %one, %0[%c0] : memref<?xf32>
  %1 = memref.expand_shape %0 [[0, 1]] output_shape [%n, %m] : memref<?xf32> into memref<?x?xf32>
  return %1 : memref<?x?xf32>
}

// A part of it, and all of it with another shape, are what the caller asked for.
// CHECK-LABEL: func.func private @part(
// CHECK: return %{{.*}}, %{{.*}} : memref<?xf32, strided<[1]>>, memref<?xf32>
func.func private @part(%out: memref<?x?xf32>, %n: index) -> (memref<?xf32, strided<[1]>>, memref<?xf32>) {
  %0 = memref.collapse_shape %out [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %1 = memref.subview %0[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  return %1, %0 : memref<?xf32, strided<[1]>>, memref<?xf32>
}
