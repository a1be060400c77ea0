// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=64 --canonicalize --cse | FileCheck %s

// The greatest of a row of f16 is found among integers of 16 bits that are in the order of the floats: nothing is widened but
// the result.
// CHECK-LABEL: func.func @max
// CHECK: scf.for
// CHECK: %[[X:.*]] = vector.load {{.*}}xf16>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[X]]
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[BITS]]
// CHECK: %[[LOWER:.*]] = arith.andi %[[SIGN]]
// CHECK: %[[ORDERED:.*]] = arith.xori %[[BITS]], %[[LOWER]]
// CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[BITS]]
// CHECK-NOT: arith.extf
// CHECK: arith.maxsi {{.*}}, %[[ORDERED]]
// CHECK: arith.maxui {{.*}}, %[[MAGNITUDE]]
// CHECK: scf.yield
// CHECK: arith.extf {{.*}} : vector<1xf16> to vector<1xf32>
func.func @max(%x: memref<4x128xf16>, %y: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<4x128xf16>) outs(%y : memref<4xf32>) {
  ^bb0(%in: f16, %out: f32):
    %0 = arith.extf %in : f16 to f32
    %1 = arith.maximumf %out, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
