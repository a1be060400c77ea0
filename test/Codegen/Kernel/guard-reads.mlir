// RUN: fuse-opt %s --fuse-guard-reads | FileCheck %s

// Of three operands joined, each of which may be empty, one element is read.
// CHECK-LABEL: func.func private @joined(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>, %[[Y:[a-z0-9]+]]: memref<?xf32>, %[[Z:[a-z0-9]+]]: memref<?xf16>
// CHECK-NOT: memref.load
// CHECK: %[[RESULT:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK-NEXT: memref.load %[[Z]]
// CHECK-NEXT: arith.extf
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.load %[[Y]]
// CHECK: } else {
// CHECK-NEXT: memref.load %[[X]]
// CHECK: memref.store %[[RESULT]]
func.func private @joined(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf16>, %out: memref<?xf32>, %i: index, %behind: i1, %last: i1) {
  %0 = memref.load %x[%i] : memref<?xf32>
  %1 = memref.load %y[%i] : memref<?xf32>
  %2 = arith.select %behind, %1, %0 : f32
  %3 = memref.load %z[%i] : memref<?xf16>
  %4 = arith.extf %3 : f16 to f32
  %5 = arith.select %last, %4, %2 : f32
  memref.store %5, %out[%i] : memref<?xf32>
  return
}

// Not what has an element, what else is read, and what is written in between.
// CHECK-LABEL: func.func private @others(
// CHECK-NOT: scf.if
func.func private @others(%x: memref<8xf32>, %y: memref<?xf32>, %out: memref<?xf32>, %i: index, %c: i1) {
  %0 = memref.load %x[%i] : memref<8xf32>
  %1 = memref.load %y[%i] : memref<?xf32>
  memref.store %1, %out[%i] : memref<?xf32>
  %2 = memref.load %y[%i] : memref<?xf32>
  memref.store %0, %out[%i] : memref<?xf32>
  %3 = arith.select %c, %0, %1 : f32
  %4 = arith.select %c, %3, %2 : f32
  memref.store %4, %out[%i] : memref<?xf32>
  return
}

// A chunk all of whose elements one condition chooses; not one that an element of is read of in any case.
// CHECK-LABEL: func.func private @chunk(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x2xf32>, %{{.*}}, %[[C:[a-z0-9]+]]: i1)
// CHECK: %[[CHUNK:.*]] = scf.if %[[C]] -> (vector<2xf32>) {
// CHECK-NEXT: vector.load %[[X]]
// CHECK: } else {
// CHECK-NEXT: arith.constant dense<0.000000e+00>
// CHECK: vector.extract %[[CHUNK]][0]
func.func private @chunk(%x: memref<?x2xf32>, %out: memref<?x2xf32>, %i: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 1.0 : f32
  %0 = vector.load %x[%i, %c0] : memref<?x2xf32>, vector<2xf32>
  %1 = vector.extract %0[0] : f32 from vector<2xf32>
  %2 = arith.select %c, %1, %pad : f32
  %3 = vector.extract %0[1] : f32 from vector<2xf32>
  %4 = arith.negf %3 : f32
  %5 = arith.select %c, %4, %pad : f32
  %6 = vector.from_elements %2, %5 : vector<2xf32>
  vector.store %6, %out[%i, %c0] : memref<?x2xf32>, vector<2xf32>
  return
}

// CHECK-LABEL: func.func private @read_anyway(
// CHECK-NOT: scf.if
func.func private @read_anyway(%x: memref<?x2xf32>, %out: memref<?x2xf32>, %i: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 1.0 : f32
  %0 = vector.load %x[%i, %c0] : memref<?x2xf32>, vector<2xf32>
  %1 = vector.extract %0[0] : f32 from vector<2xf32>
  %2 = arith.select %c, %1, %pad : f32
  %3 = vector.extract %0[1] : f32 from vector<2xf32>
  %6 = vector.from_elements %2, %3 : vector<2xf32>
  vector.store %6, %out[%i, %c0] : memref<?x2xf32>, vector<2xf32>
  return
}
