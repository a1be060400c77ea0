// What stays every block's own, or stands before their loop already.
// RUN: fuse-opt %s --fuse-keep-tiles --split-input-file | FileCheck %s

// The last writer of a buffer comes after a block has read it: nothing can be kept.
// CHECK-LABEL: func.func @written_again
// CHECK-NOT: scf.if
// CHECK: return
module {
  func.func @written_again(%x: memref<8xf32>, %y: memref<8x4xf32>, %begin: index, %end: index) {
    %one = arith.constant 1 : index
    %columns = arith.constant 4 : index
    scf.for %block = %begin to %end step %one {
      %column = arith.remui %block, %columns : index
      %row = arith.divui %block, %columns : index
      %t = memref.alloc() : memref<1xf32>
      %from = memref.subview %x[%row] [1] [1] : memref<8xf32> to memref<1xf32, strided<[1], offset: ?>>
      linalg.exp ins(%from : memref<1xf32, strided<[1], offset: ?>>) outs(%t : memref<1xf32>)
      %to = memref.subview %y[%row, %column] [1, 1] [1, 1] : memref<8x4xf32> to memref<1xf32, strided<[4], offset: ?>>
      linalg.copy ins(%t : memref<1xf32>) outs(%to : memref<1xf32, strided<[4], offset: ?>>)
      linalg.negf ins(%from : memref<1xf32, strided<[1], offset: ?>>) outs(%t : memref<1xf32>)
      linalg.add ins(%t, %to : memref<1xf32>, memref<1xf32, strided<[4], offset: ?>>) outs(%to : memref<1xf32, strided<[4], offset: ?>>)
    }
    return
  }
}

// -----

// What depends on the inner dim, and results, are every block's own.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: scf.if
// CHECK: return
module {
  func.func @columns(%x: memref<4xf32>, %y: memref<8x4xf32>, %begin: index, %end: index) {
    %one = arith.constant 1 : index
    %columns = arith.constant 4 : index
    scf.for %block = %begin to %end step %one {
      %column = arith.remui %block, %columns : index
      %row = arith.divui %block, %columns : index
      %t = memref.alloc() : memref<1xf32>
      %from = memref.subview %x[%column] [1] [1] : memref<4xf32> to memref<1xf32, strided<[1], offset: ?>>
      linalg.exp ins(%from : memref<1xf32, strided<[1], offset: ?>>) outs(%t : memref<1xf32>)
      %to = memref.subview %y[%row, %column] [1, 1] [1, 1] : memref<8x4xf32> to memref<1xf32, strided<[4], offset: ?>>
      linalg.copy ins(%t : memref<1xf32>) outs(%to : memref<1xf32, strided<[4], offset: ?>>)
    }
    return
  }
}

// -----

// What is copied before the loop stays there, behind its buffer.
// CHECK-LABEL: func.func @copied_before
// CHECK: %[[COPY:.*]] = memref.alloc() : memref<24xf32>
// CHECK-NEXT: memref.copy %{{.*}}, %[[COPY]]
// CHECK-NEXT: scf.for
module {
  func.func @copied_before(%x: memref<24xf32>, %y: memref<4x6xf32>, %begin: index, %end: index) {
    %one = arith.constant 1 : index
    %six = arith.constant 6 : index
    %copy = memref.alloc() : memref<24xf32>
    memref.copy %x, %copy : memref<24xf32> to memref<24xf32>
    scf.for %block = %begin to %end step %one {
      %first = arith.muli %block, %six : index
      %from = memref.subview %copy[%first] [6] [1] : memref<24xf32> to memref<6xf32, strided<[1], offset: ?>>
      %to = memref.subview %y[%block, 0] [1, 6] [1, 1] : memref<4x6xf32> to memref<6xf32, strided<[1], offset: ?>>
      linalg.exp ins(%from : memref<6xf32, strided<[1], offset: ?>>) outs(%to : memref<6xf32, strided<[1], offset: ?>>)
    }
    return
  }
}

// -----

// The number of the block makes no difference, since there is one: members stay as they follow each other, so that a product
// and what adds a bias to it are neighbors.
// CHECK-LABEL: func.func @one_block
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: linalg.exp
// CHECK-NEXT: linalg.negf
module {
  func.func @one_block(%x: memref<16xf32>, %y: memref<16xf32>, %begin: index, %end: index) {
    %one = arith.constant 1 : index
    scf.for %block = %begin to %end step %one {
      %own = memref.alloc() : memref<16xf32>
      linalg.exp ins(%x : memref<16xf32>) outs(%own : memref<16xf32>)
      linalg.negf ins(%own : memref<16xf32>) outs(%y : memref<16xf32>)
    }
    return
  }
}
