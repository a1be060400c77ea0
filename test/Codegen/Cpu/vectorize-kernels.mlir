// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels=vector-bytes=32 --canonicalize --split-input-file | FileCheck %s --check-prefix=NARROW

#map = affine_map<(d0) -> (d0)>

// Whole vectors, shorter ones and a masked one behind them; no linalg op and no scalar loop remains.
// CHECK-LABEL: module @elementwise
// CHECK: arith.negf %{{.*}} : vector<64xf32>
// CHECK: scf.for
// CHECK: arith.negf %{{.*}} : vector<16xf32>
// CHECK: vector.constant_mask [4] : vector<16xi1>
// CHECK: vector.maskedload {{.*}} into vector<16xf32>
// CHECK: arith.negf %{{.*}} : vector<16xf32>
// CHECK: vector.maskedstore {{.*}} vector<16xf32>
// CHECK-NOT: linalg
// CHECK-NOT: memref.store
// NARROW-LABEL: module @elementwise
// NARROW: arith.negf %{{.*}} : vector<8xf32>
// NARROW-NOT: vector<16x
module @elementwise {
  func.func private @k(%x: memref<100xf32>, %y: memref<100xf32>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<100xf32>) outs(%y : memref<100xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.negf %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// A row sum keeps 64 partial results, in whichever vectors, so that rounding does not depend on
// the machine; a column sum runs in vectors over the columns and needs none.
// CHECK-LABEL: module @reductions
// CHECK: func.func private @rows(
// CHECK: vector<64xf32>
// CHECK: vector.extract_strided_slice {{.*}} : vector<64xf32> to vector<32xf32>
// CHECK: vector.extract %{{.*}}[0] : f32 from vector<1xf32>
// CHECK: memref.store
// CHECK: func.func private @columns(
// CHECK-NOT: vector.extract
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<{{[0-9]+}}xf32>
// CHECK-NOT: linalg
// NARROW-LABEL: module @reductions
// NARROW: func.func private @rows(
// NARROW: vector.extract_strided_slice {{.*}} : vector<64xf32> to vector<32xf32>
// NARROW: func.func private @columns(
// NARROW-NOT: vector.extract
// NARROW: arith.addf %{{.*}}, %{{.*}} : vector<{{[0-9]+}}xf32>
module @reductions {
  func.func private @rows(%x: memref<32x256xf32>, %y: memref<32xf32>) {
    linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<32x256xf32>) outs(%y : memref<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
  func.func private @columns(%x: memref<32x256xf32>, %y: memref<256xf32>) {
    linalg.generic {indexing_maps = [#map, #column], iterator_types = ["reduction", "parallel"]} ins(%x : memref<32x256xf32>) outs(%y : memref<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// A member whose element is read from memory at a place of its own is a scalar loop.
// CHECK-LABEL: module @gather
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store
// CHECK-NOT: linalg
module @gather {
  func.func private @k(%x: memref<100xf32>, %i: memref<7xi32>, %y: memref<7xf32>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%i : memref<7xi32>) outs(%y : memref<7xf32>) {
    ^bb0(%in: i32, %out: f32):
      %0 = arith.index_cast %in : i32 to index
      %1 = memref.load %x[%0] : memref<100xf32>
      linalg.yield %1 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0) -> (d0)>

// Where every operation waits for the one before, more vectors are computed at a time.
// CHECK-LABEL: module @long
// CHECK: math.exp %{{.*}} : vector<128xf32>
// CHECK: math.exp %{{.*}} : vector<64xf32>
// CHECK: vector.constant_mask [8] : vector<16xi1>
// NARROW-LABEL: module @long
// NARROW: math.exp %{{.*}} : vector<32xf32>
module @long {
  func.func private @k(%x: memref<1000xf32>, %y: memref<1000xf32>) {
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : memref<1000xf32>) outs(%y : memref<1000xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.exp %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The greatest of a row is found by comparisons, with integers that know of NaNs and of zeros' signs.
// CHECK-LABEL: module @extremum
// CHECK: scf.for {{.*}} -> (vector<64xf32>, vector<64xi32>, vector<64xi32>)
// CHECK-NOT: arith.maximumf {{.*}} vector
// CHECK: arith.cmpf ogt
// CHECK: arith.maxui
// CHECK: arith.andi
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : f32
module @extremum {
  func.func private @rows(%x: memref<32x256xf32>, %y: memref<32xf32>) {
    linalg.generic {indexing_maps = [#map, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<32x256xf32>) outs(%y : memref<32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.maximumf %out, %in : f32
      linalg.yield %0 : f32
    }
    return
  }
}
