// Weights that lie packed, in panels of 32 columns, are gone through whole; meanwhile the next panel is
// fetched, an eighth or more of it by each group of rows.
// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s

#left = affine_map<(panel, m, n, k) -> (m, k)>
#right = affine_map<(panel, m, n, k) -> (panel, k, n)>
#out = affine_map<(panel, m, n, k) -> (m, panel, n)>

// Four groups of 10 rows fetch 1024 steps of 32 columns: 8 columns for each of their own steps. What the
// rows share is fetched once for all of them.
// CHECK-LABEL: func.func @panels
// CHECK-SAME: %{{.*}}: memref<40x1024xf32>, %[[FAR:.*]]: memref<8x1024x32xf32>
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C10:.*]] = arith.constant 10 : index
// CHECK-DAG: %[[C1024:.*]] = arith.constant 1024 : index
// CHECK: scf.for %[[PANEL:[a-z0-9]+]] = %{{.*}} to %[[C8]]
// CHECK: scf.for %[[ROW:[a-z0-9]+]] = %{{.*}} step %[[C10]]
// CHECK: %[[GROUP:.*]] = arith.divui %[[ROW]], %[[C10]]
// CHECK: vector.load %[[FAR]][%[[PANEL]], %[[STEP:[a-z0-9]+]],
// CHECK: %[[TURN:.*]] = arith.minui %[[GROUP]],
// CHECK: %[[BEFORE:.*]] = arith.muli %[[TURN]], %[[C1024]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[BEFORE]], %[[STEP]]
// CHECK: %[[ELEMENT:.*]] = arith.muli %[[NUMBER]], %[[C8]]
// CHECK: memref.prefetch %[[FAR]][%[[PANEL]], %[[C1024]], %[[ELEMENT]]], read, locality<2>, data
// CHECK-NOT: memref.prefetch
func.func @panels(%a: memref<40x1024xf32>, %b: memref<8x1024x32xf32>, %c: memref<40x8x32xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<40x1024xf32>, memref<8x1024x32xf32>) outs(%c : memref<40x8x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// All of these stays in the first cache.
// CHECK-LABEL: func.func @small
// CHECK-NOT: memref.prefetch
func.func @small(%a: memref<48x64xf32>, %b: memref<4x64x32xf32>, %c: memref<48x4x32xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<48x64xf32>, memref<4x64x32xf32>) outs(%c : memref<48x4x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A single group of rows fetches what it wants 32 steps later.
// CHECK-LABEL: func.func @one_group
// CHECK-SAME: %{{.*}}: memref<4x1024xf32>, %[[FAR:.*]]: memref<8x1024x32xf32>
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK: vector.load %[[FAR]][%[[PANEL:[a-z0-9]+]], %[[STEP:[a-z0-9]+]],
// CHECK: %[[AHEAD:.*]] = arith.muli %[[STEP]], %[[C32]]
// CHECK: memref.prefetch %[[FAR]][%[[PANEL]], %[[C32]], %[[AHEAD]]], read, locality<2>, data
// CHECK: memref.prefetch %[[FAR]]
// CHECK-NOT: memref.prefetch
func.func @one_group(%a: memref<4x1024xf32>, %b: memref<8x1024x32xf32>, %c: memref<4x8x32xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<4x1024xf32>, memref<8x1024x32xf32>) outs(%c : memref<4x8x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// How many groups of rows there are is known when the kernel runs: both lines of a step's columns are fetched, at a distance
// that the number of groups says. A single group (up to 10 rows) fetches 32 steps further on.
// CHECK-LABEL: func.func @open
// CHECK-SAME: %[[ROWS:.*]]: memref<?x1024xf32>, %[[WEIGHTS:.*]]: memref<8x1024x32xf32>
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[C10:.*]] = arith.constant 10 : index
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : index
// CHECK-DAG: %[[C1024:.*]] = arith.constant 1024 : index
// CHECK: %[[COUNT:.*]] = memref.dim %[[ROWS]]
// CHECK: %[[GROUPS:.*]] = arith.ceildivui %[[COUNT]], %[[C10]]
// CHECK: scf.index_switch
// CHECK: case 10
// CHECK: %[[TURNS:.*]] = arith.minui %[[GROUPS]], %[[C8]]
// CHECK: %[[IS_SINGLE:.*]] = arith.cmpi eq, %[[TURNS]], %[[C1]]
// CHECK: %[[BEHIND:.*]] = arith.select %[[IS_SINGLE]], %[[C32]], %[[C1024]]
// CHECK: %[[PER_STEP:.*]] = arith.divui %{{.*}}, %[[TURNS]]
// CHECK: arith.muli %{{.*}}, %[[PER_STEP]]
// CHECK: memref.prefetch %[[WEIGHTS]][%{{.*}}, %[[BEHIND]], %{{.*}}]
// CHECK: memref.prefetch %[[WEIGHTS]][%{{.*}}, %[[BEHIND]], %{{.*}}]
// CHECK-NOT: memref.prefetch
// CHECK: scf.yield
func.func @open(%a: memref<?x1024xf32>, %b: memref<8x1024x32xf32>, %c: memref<?x8x32xf32>) {
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x1024xf32>, memref<8x1024x32xf32>) outs(%c : memref<?x8x32xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
