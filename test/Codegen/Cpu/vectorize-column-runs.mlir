// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s

// Rows of a result that lie pages apart, here channels of 8192 pixels, are written in runs of 512 columns: those are
// packed first, vector by vector, and each group of ten rows goes through all of them before the next group does.
#image = affine_map<(m, n, k) -> (k, n)>
#filters = affine_map<(m, n, k) -> (m, k)>
#out = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func.func @channels
// CHECK-SAME:  %[[X:.*]]: memref<8x8192xf32>, %{{.*}}: memref<80x8xf32>, %[[Y:.*]]: memref<80x8192xf32>
// CHECK-DAG:   %[[C512:.*]] = arith.constant 512 : index
// CHECK-DAG:   %[[C10:.*]] = arith.constant 10 : index
// CHECK-DAG:   %[[C16:.*]] = arith.constant 16 : index
// CHECK:       %[[COPIES:.*]] = memref.alloc() : memref<16x8x32xf32>
// CHECK:       scf.for %{{.*}} step %[[C512]]
// CHECK:         scf.for %[[PANEL:.*]] = %{{.*}} to %[[C16]]
// CHECK:           scf.for %[[STEP:.*]] =
// CHECK:             vector.load %[[X]][%[[STEP]],
// CHECK-NEXT:        vector.store %{{.*}}, %[[COPIES]][%[[PANEL]], %[[STEP]],
// CHECK:         scf.for %{{.*}} step %[[C10]]
// CHECK:           scf.for %[[VECTOR:.*]] = %{{.*}} to %[[C16]]
// CHECK:             scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK:               vector.load %[[COPIES]][%[[VECTOR]], %[[K]],
// CHECK-COUNT-10:    vector.store %{{.*}}, %[[Y]]
// CHECK-NOT:   vector.
func.func @channels(%x: memref<8x8192xf32>, %w: memref<80x8xf32>, %y: memref<80x8192xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x8192xf32>, memref<80x8xf32>) outs(%y : memref<80x8192xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Columns behind the last run come one vector at a time, and at last with a mask.
// CHECK-LABEL: func.func @rest
// CHECK:       scf.for %{{.*}} = %{{.*}} to %[[END:.*]] step %{{.*}} {
// CHECK-COUNT-10: vector.store %{{.*}} : memref<80x2055xf32>
// CHECK:       vector.maskedload %{{.*}}[%{{.*}}, %[[END]]]
// CHECK-COUNT-10: vector.maskedstore
func.func @rest(%x: memref<8x2055xf32>, %w: memref<80x8xf32>, %y: memref<80x2055xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x2055xf32>, memref<80x8xf32>) outs(%y : memref<80x2055xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows that lie near each other are written a vector at a time: one has fewer bytes than a page.
// CHECK-LABEL: func.func @near
// CHECK:       memref.alloc() : memref<8x32xf32>
func.func @near(%x: memref<8x1000xf32>, %w: memref<80x8xf32>, %y: memref<80x1000xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<8x1000xf32>, memref<80x8xf32>) outs(%y : memref<80x1000xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// How far the columns of a run may reach depends on the steps: of open ones, or none, there is no run.
// CHECK-LABEL: func.func @open_steps
// CHECK:       scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c32
func.func @open_steps(%x: memref<?x2048xf32>, %w: memref<80x?xf32>, %y: memref<80x2048xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<?x2048xf32>, memref<80x?xf32>) outs(%y : memref<80x2048xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// CHECK-LABEL: func.func @no_steps
func.func @no_steps(%x: memref<0x2048xf32>, %w: memref<80x0xf32>, %y: memref<80x2048xf32>) {
  linalg.generic {indexing_maps = [#image, #filters, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<0x2048xf32>, memref<80x0xf32>) outs(%y : memref<80x2048xf32>) {
  ^bb0(%l: f32, %r: f32, %sum: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
