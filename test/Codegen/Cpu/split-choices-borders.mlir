// RUN: fuse-opt %s --fuse-split-choices --canonicalize --split-input-file | FileCheck %s

// A border of 2 behind 6 elements, within a border of 1 at each end: the inner question is asked of a clamped
// position, which is the position itself in the middle. There it is cut where its answer changes.

// CHECK-LABEL: func.func private @border_in_border
// CHECK-SAME:    (%[[X:.*]]: memref<6xf32>, %[[Y:.*]]: memref<10xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.0
// CHECK:         memref.subview %[[Y]][0] [1] [1]
// CHECK:           linalg.yield %[[ZERO]]
// CHECK:         memref.subview %{{.*}}[0] [6] [1]
// CHECK:           %[[LOADED:.*]] = memref.load
// CHECK:           linalg.yield %[[LOADED]]
// CHECK:         memref.subview %{{.*}}[6] [2] [1]
// CHECK:           linalg.yield %[[ONE]]
// CHECK:         memref.subview %[[Y]][9] [1] [1]
// CHECK:           linalg.yield %[[ZERO]]
func.func private @border_in_border(%x: memref<6xf32>, %y: memref<10xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<10xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %five = arith.constant 5 : index
    %six = arith.constant 6 : index
    %seven = arith.constant 7 : index
    %eight = arith.constant 8 : index
    %outer = arith.constant 0.0 : f32
    %inner = arith.constant 1.0 : f32
    %i = linalg.index 0 : index
    %0 = arith.subi %i, %one : index
    %1 = arith.cmpi ult, %0, %eight : index
    %2 = arith.minsi %0, %seven : index
    %3 = arith.maxsi %2, %zero : index
    %4 = arith.cmpi ult, %3, %six : index
    %5 = arith.minsi %3, %five : index
    %6 = arith.maxsi %5, %zero : index
    %7 = memref.load %x[%6] : memref<6xf32>
    %8 = arith.select %4, %7, %inner : f32
    %9 = arith.select %1, %8, %outer : f32
    linalg.yield %9 : f32
  }
  return
}

// -----

// A function of a border's value is not folded by the compiler's mathematical library.

// CHECK-LABEL: func.func private @function_of_border
// CHECK:         %[[HIDDEN:.*]] = llvm.freeze
// CHECK:         math.cosh %[[HIDDEN]]
func.func private @function_of_border(%x: memref<6xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<8xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0 : index
    %five = arith.constant 5 : index
    %six = arith.constant 6 : index
    %border = arith.constant 1.0 : f32
    %i = linalg.index 0 : index
    %0 = arith.cmpi ult, %i, %six : index
    %1 = arith.minsi %i, %five : index
    %2 = arith.maxsi %1, %zero : index
    %3 = memref.load %x[%2] : memref<6xf32>
    %4 = arith.select %0, %3, %border : f32
    %5 = math.cosh %4 : f32
    linalg.yield %5 : f32
  }
  return
}
