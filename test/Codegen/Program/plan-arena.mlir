// RUN: fuse-opt %s --fuse-plan-arena --canonicalize | FileCheck %s

// Buffers whose lifetimes do not meet share a place: the first and the third of three.
// CHECK: func.func private @shared{{[._]}}arena({{.*}}) -> index
// CHECK: %[[BYTES:.*]] = arith.constant 256 : index
// CHECK: return %[[BYTES]]
// CHECK: func.func @shared(%{{.*}}, %[[ARENA:[a-z0-9]+]]: memref<?xi8>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[C0]]][] : memref<?xi8> to memref<32xf32>
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[C128]]][] : memref<?xi8> to memref<32xf32>
// CHECK: memref.copy %[[A]], %[[B]]
// CHECK: %[[C:.*]] = memref.view %[[ARENA]][%[[C0]]][] : memref<?xi8> to memref<32xf32>
// CHECK: memref.copy %[[B]], %[[C]]
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @shared(%x: memref<32xf32>, %out: memref<32xf32>) {
  %a = memref.alloc() : memref<32xf32>
  memref.copy %x, %a : memref<32xf32> to memref<32xf32>
  %b = memref.alloc() : memref<32xf32>
  memref.copy %a, %b : memref<32xf32> to memref<32xf32>
  %c = memref.alloc() : memref<32xf32>
  memref.copy %b, %c : memref<32xf32> to memref<32xf32>
  memref.copy %c, %out : memref<32xf32> to memref<32xf32>
  return
}

// A use through a view is a use of the buffer: the third buffer must not lie in the first.
// CHECK: func.func private @viewed{{[._]}}arena(
// CHECK: %[[BYTES:.*]] = arith.constant 384 : index
// CHECK: return %[[BYTES]]
func.func @viewed(%x: memref<32xf32>, %out: memref<4x8xf32>) {
  %a = memref.alloc() : memref<32xf32>
  memref.copy %x, %a : memref<32xf32> to memref<32xf32>
  %view = memref.expand_shape %a [[0, 1]] output_shape [4, 8] : memref<32xf32> into memref<4x8xf32>
  %b = memref.alloc() : memref<4x8xf32>
  memref.copy %view, %b : memref<4x8xf32> to memref<4x8xf32>
  %c = memref.alloc() : memref<4x8xf32>
  memref.copy %b, %c : memref<4x8xf32> to memref<4x8xf32>
  memref.copy %view, %c : memref<4x8xf32> to memref<4x8xf32>
  memref.copy %c, %out : memref<4x8xf32> to memref<4x8xf32>
  return
}

// Buffers of dynamic size lie one behind the other, in whole cache lines.
// CHECK: func.func private @dynamic{{[._]}}arena(%[[X:[a-z0-9]+]]: memref<?xf32>
// CHECK: %[[DIM:.*]] = memref.dim %[[X]]
// CHECK: %[[LINES:.*]] = arith.ceildivui
// CHECK: %[[FIRST:.*]] = arith.muli %[[LINES]]
// CHECK: %[[TOTAL:.*]] = arith.addi
// CHECK: return %[[TOTAL]]
// CHECK: func.func @dynamic(%{{.*}}, %[[ARENA:[a-z0-9]+]]: memref<?xi8>)
// CHECK: memref.view %[[ARENA]][%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK: memref.view %[[ARENA]][%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK-NOT: memref.alloc
func.func @dynamic(%x: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%d) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%d) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  memref.copy %b, %out : memref<?xf32> to memref<?xf32>
  return
}

// The extents that a reshape reads are the host's, wherever the arena lies.
// CHECK-LABEL: func.func @indices(
// CHECK: memref.alloca() : memref<2xindex>
// CHECK-NOT: memref.alloc
func.func @indices(%x: memref<?xf32>, %n: index, %out: memref<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %extents = memref.alloc() : memref<2xindex>
  memref.store %n, %extents[%c0] : memref<2xindex>
  %y = memref.reshape %x(%extents) : (memref<?xf32>, memref<2xindex>) -> memref<?x2xf32>
  memref.copy %y, %out : memref<?x2xf32> to memref<?x2xf32>
  return
}

// Buffers of dynamic size whose lifetimes do not meet share a slot, which has the bytes of the larger one; the extents are
// read at the start, those of equal buffers once.
// CHECK: func.func private @slots{{[._]}}arena(%[[X:[a-z0-9]+]]: memref<?xf32>
// CHECK: %[[DIM:.*]] = memref.dim %[[X]]
// CHECK: %[[LINES:.*]] = arith.ceildivui
// CHECK: %[[SMALL:.*]] = arith.muli %[[LINES]]
// CHECK: %[[MORE:.*]] = arith.ceildivui
// CHECK: %[[LARGE:.*]] = arith.muli %[[MORE]]
// CHECK: %[[SLOT:.*]] = arith.maxsi %[[SMALL]], %[[LARGE]]
// CHECK: %[[TOTAL:.*]] = arith.addi %[[SLOT]], %[[SMALL]]
// CHECK: return %[[TOTAL]]
func.func @slots(%x: memref<?xf32>, %out: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%d) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%d) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  %c = memref.alloc(%d) : memref<?xf64>
  %v = memref.load %b[%c0] : memref<?xf32>
  %w = arith.extf %v : f32 to f64
  memref.store %w, %c[%c0] : memref<?xf64>
  memref.copy %c, %out : memref<?xf64> to memref<?xf64>
  return
}

// Sizes are computed in front of the function's first op, which is an allocation that goes.
// CHECK: func.func private @first{{[._]}}arena(%{{.*}}, %[[N:[a-z0-9]+]]: index{{.*}}) -> index
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %{{.*}}
// CHECK: return
// CHECK: func.func @first(%{{.*}}, %[[N:[a-z0-9]+]]: index, %{{.*}}, %[[ARENA:[a-z0-9]+]]: memref<?xi8>)
// CHECK: %[[FIRST:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: memref.copy %{{.*}}, %[[FIRST]]
// CHECK: %[[SECOND:.*]] = memref.view %[[ARENA]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?xf32>
// CHECK: memref.copy %[[FIRST]], %[[SECOND]]
func.func @first(%x: memref<?xf32>, %n: index, %out: memref<?xf32>) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  memref.copy %b, %out : memref<?xf32> to memref<?xf32>
  return
}
