// What blocks share with their neighbours is computed by the first of them.
// RUN: fuse-opt %s --fuse-keep-tiles --split-input-file | FileCheck %s

// Rows are the outer dim, 4 columns the inner one.
// CHECK-LABEL: func.func @rows
// CHECK: %[[KEPT:.*]] = memref.alloc() : memref<16xf32>
// CHECK: scf.for %[[BLOCK:.*]] = %[[BEGIN:[a-z0-9]+]] to
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[BLOCK]], %[[BEGIN]]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[BLOCK]], %[[COLUMNS:.*]] : index
// CHECK: %[[STARTS:.*]] = arith.cmpi eq, %[[COLUMN]], %{{.*}}
// CHECK: %[[IF:.*]] = arith.ori %[[FIRST]], %[[STARTS]]
// CHECK: scf.if %[[IF]] {
// CHECK-NEXT: %[[OWN:.*]] = memref.alloc() : memref<16xf32>
// CHECK-NEXT: linalg.exp ins(%{{.*}}) outs(%[[OWN]]
// CHECK-NEXT: linalg.negf ins(%[[OWN]] {{.*}}) outs(%[[KEPT]]
// CHECK-NEXT: }
// CHECK: linalg.add ins(%[[KEPT]]
module {
  func.func @rows(%x: memref<8x16xf32>, %w: memref<4x16xf32>, %y: memref<8x4x16xf32>, %begin: index, %end: index) {
    %one = arith.constant 1 : index
    %columns = arith.constant 4 : index
    scf.for %block = %begin to %end step %one {
      %column = arith.remui %block, %columns : index
      %row = arith.divui %block, %columns : index
      %own = memref.alloc() : memref<16xf32>
      %kept = memref.alloc() : memref<16xf32>
      %from = memref.subview %x[%row, 0] [1, 16] [1, 1] : memref<8x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      linalg.exp ins(%from : memref<16xf32, strided<[1], offset: ?>>) outs(%own : memref<16xf32>)
      linalg.negf ins(%own : memref<16xf32>) outs(%kept : memref<16xf32>)
      %with = memref.subview %w[%column, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      %to = memref.subview %y[%row, %column, 0] [1, 1, 16] [1, 1, 1] : memref<8x4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      linalg.add ins(%kept, %with : memref<16xf32>, memref<16xf32, strided<[1], offset: ?>>) outs(%to : memref<16xf32, strided<[1], offset: ?>>)
    }
    return
  }
}

// -----

// Three dims with extents that are not known: one buffer for a row and a column, one for all blocks.
// CHECK-LABEL: func.func @three_dims
// CHECK-DAG: %[[ALL:.*]] = memref.alloc() : memref<2xf32>
// CHECK-DAG: %[[PAIR:.*]] = memref.alloc() : memref<1xf32>
// CHECK: scf.for %[[BLOCK:.*]] = %[[BEGIN:[a-z0-9]+]] to
// CHECK-DAG: %[[FIRST:.*]] = arith.cmpi eq, %[[BLOCK]], %[[BEGIN]]
// CHECK-DAG: %[[PAST:.*]] = arith.remui %[[BLOCK]], %[[DEPTH:[a-z0-9]+]]
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: linalg.fill ins(%{{.*}}) outs(%[[ALL]]
// CHECK-NEXT: }
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: linalg.exp ins(%{{.*}}) outs(%[[PAIR]]
// CHECK-NEXT: }
// CHECK-NOT: scf.if
// CHECK: return
module {
  func.func @three_dims(%x: memref<?x?xf32>, %y: memref<?x?x?x2xf32>, %columns: index, %depth: index, %zero: f32, %begin: index, %end: index) {
    %one = arith.constant 1 : index
    scf.for %block = %begin to %end step %one {
      %k = arith.remui %block, %depth : index
      %pair = arith.divui %block, %depth : index
      %column = arith.remui %pair, %columns : index
      %row = arith.divui %pair, %columns : index
      %all = memref.alloc() : memref<2xf32>
      linalg.fill ins(%zero : f32) outs(%all : memref<2xf32>)
      %of_pair = memref.alloc() : memref<1xf32>
      %from = memref.subview %x[%row, %column] [1, 1] [1, 1] : memref<?x?xf32> to memref<1xf32, strided<[1], offset: ?>>
      linalg.exp ins(%from : memref<1xf32, strided<[1], offset: ?>>) outs(%of_pair : memref<1xf32>)
      %to = memref.subview %y[%row, %column, %k, 0] [1, 1, 1, 2] [1, 1, 1, 1] : memref<?x?x?x2xf32> to memref<2xf32, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%all, %of_pair : memref<2xf32>, memref<1xf32>) outs(%to : memref<2xf32, strided<[1], offset: ?>>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %sum = arith.addf %a, %b : f32
        linalg.yield %sum : f32
      }
    }
    return
  }
}

// -----

// An index that is computed for a row, and read in each block: the buffer outlives the block that computes it.
// CHECK-LABEL: func.func @index
// CHECK: %[[KEPT:.*]] = memref.alloc() : memref<1xi64>
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[KEPT]]
// CHECK: }
// CHECK: memref.load %[[KEPT]]
module {
  func.func @index(%i: memref<8xi64>, %w: memref<9x4x16xf32>, %y: memref<8x4x16xf32>, %begin: index, %end: index) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %columns = arith.constant 4 : index
    scf.for %block = %begin to %end step %one {
      %column = arith.remui %block, %columns : index
      %row = arith.divui %block, %columns : index
      %kept = memref.alloc() : memref<1xi64>
      %from = memref.subview %i[%row] [1] [1] : memref<8xi64> to memref<1xi64, strided<[1], offset: ?>>
      linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%from : memref<1xi64, strided<[1], offset: ?>>) outs(%kept : memref<1xi64>) {
      ^bb0(%in: i64, %out: i64):
        %0 = arith.addi %in, %in : i64
        linalg.yield %0 : i64
      }
      %1 = memref.load %kept[%zero] : memref<1xi64>
      %2 = arith.index_cast %1 : i64 to index
      %with = memref.subview %w[%2, %column, 0] [1, 1, 16] [1, 1, 1] : memref<9x4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      %to = memref.subview %y[%row, %column, 0] [1, 1, 16] [1, 1, 1] : memref<8x4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
      linalg.exp ins(%with : memref<16xf32, strided<[1], offset: ?>>) outs(%to : memref<16xf32, strided<[1], offset: ?>>)
    }
    return
  }
}
