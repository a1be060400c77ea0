// Elements that others lie between: those of steps over several, and columns of a product, which are packed.
// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=32 --split-input-file -o /dev/null

#steps = affine_map<(d0, d1) -> (d0, d1 * 2)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// What steps over elements is loaded lane by lane, and computed in vectors; behind the last element, the last again.
// CHECK-LABEL: func.func private @steps(
// CHECK-COUNT-16: memref.load %arg0
// CHECK: vector.from_elements
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK: vector.constant_mask [9] : vector<16xi1>
// CHECK-COUNT-16: memref.load %arg0
// CHECK: vector.from_elements
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK: vector.maskedstore
// CHECK: return
func.func private @steps(%x: memref<8x50xf32>, %z: memref<8x25xf32>) {
  linalg.generic {indexing_maps = [#steps, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<8x50xf32>) outs(%z : memref<8x25xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d1, d2)>
#sums = affine_map<(d0, d1, d2) -> (d0, d1)>

// Columns of a product that lie along its reduction are packed for all rows: in transposed tiles of 16 by 16, and the 8 steps
// that they leave of 72 element by element. Floats of 16 bits are moved as integers.
// CHECK-LABEL: func.func private @packed(
// CHECK: %[[PACK:.*]] = memref.alloc() : memref<72x{{.*}}xf16>
// CHECK-COUNT-16: vector.load %arg1{{.*}} vector<16xf16>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xi16>, vector<16xi16>
// CHECK-COUNT-16: vector.store %{{.*}}, %[[PACK]]{{.*}} vector<16xf16>
// CHECK: memref.load %arg1
// CHECK: memref.store %{{.*}}, %[[PACK]]
// CHECK: return
func.func private @packed(%x: memref<40x72xf16>, %y: memref<64x72xf16>, %z: memref<40x64xf32>) {
  linalg.generic {indexing_maps = [#rows, #columns, #sums], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : memref<40x72xf16>, memref<64x72xf16>) outs(%z : memref<40x64xf32>) {
  ^bb0(%a: f16, %b: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %out, %2 : f32
    linalg.yield %3 : f32
  }
  return
}
