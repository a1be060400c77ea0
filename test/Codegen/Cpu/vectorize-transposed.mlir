// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=32 --canonicalize --split-input-file | FileCheck %s --check-prefix=NARROW

#turned = affine_map<(d0, d1) -> (d1, d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// A transposed operand is loaded in rows, 16 of 16, and turned by 64 shuffles; the body takes its columns, and the
// other operand as it lies.
// CHECK-LABEL: func.func private @add_transposed(
// CHECK-NOT: memref.load
// CHECK-COUNT-16: vector.load %arg0{{.*}} vector<16xf32>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK: vector.load %arg1{{.*}} vector<16xf32>
// CHECK-NEXT: arith.addf {{.*}} : vector<16xf32>
// CHECK: vector.store %{{.*}}, %arg2
// CHECK-NOT: memref.load
// CHECK: return
// NARROW-LABEL: func.func private @add_transposed(
// NARROW-COUNT-24: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// NARROW-NOT: vector.shuffle
// NARROW: return
func.func private @add_transposed(%x: memref<64x32xf32>, %y: memref<32x64xf32>, %z: memref<32x64xf32>) {
  linalg.generic {indexing_maps = [#turned, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<64x32xf32>, memref<32x64xf32>) outs(%z : memref<32x64xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

#turned = affine_map<(d0, d1) -> (d1, d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// Beside whole tiles there are partial ones, loaded and stored under masks, in a buffer in between; of unknown extents
// both. Nothing is computed element by element.
// CHECK-LABEL: func.func private @odd(
// CHECK-NOT: memref.load
// CHECK: vector.shuffle
// CHECK: vector.maskedload %arg0{{.*}} vector<16xf32>
// CHECK: vector.store {{.*}} memref<16x16xf32>
// CHECK: scf.for
// CHECK: vector.load {{.*}} memref<16x16xf32>, vector<16xf32>
// CHECK: vector.maskedstore
// CHECK-NOT: memref.load
// CHECK: return
// CHECK-LABEL: func.func private @dynamic(
// CHECK: memref.dim
// CHECK-NOT: memref.load
// CHECK: vector.shuffle
// CHECK: vector.maskedload %arg0{{.*}} vector<16xf32>
// CHECK: vector.maskedstore
// CHECK-NOT: memref.load
// CHECK: return
func.func private @odd(%x: memref<37x19xf32>, %z: memref<19x37xf32>) {
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<37x19xf32>) outs(%z : memref<19x37xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
func.func private @dynamic(%x: memref<?x?xf32>, %z: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%z : memref<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#turned = affine_map<(d0, d1) -> (d1, d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// An extent of three is not worth a tile.
// CHECK-LABEL: func.func private @narrow(
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func private @narrow(%x: memref<37x3xf32>, %z: memref<3x37xf32>) {
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<37x3xf32>) outs(%z : memref<3x37xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

#turned = affine_map<(d0, d1) -> (d1, d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// Tiles are the least power of two that holds the shorter extent: seven columns are one partial tile of eight.
// CHECK-LABEL: func.func private @short(
// CHECK: vector.maskedload %arg0{{.*}} vector<8xf32>
// CHECK: vector.shuffle {{.*}} : vector<8xf32>, vector<8xf32>
// CHECK: return
func.func private @short(%x: memref<32x7xf32>, %z: memref<7x32xf32>) {
  linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]} ins(%x : memref<32x7xf32>) outs(%z : memref<7x32xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
