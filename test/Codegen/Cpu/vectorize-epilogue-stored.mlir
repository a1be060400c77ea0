// Sums that are stored before a member reads them.
// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#map = affine_map<(m, n) -> (m, n)>

// Sums that another member reads too are stored.
// CHECK-LABEL: module @read_again
// CHECK:         %[[ALLOC:.*]] = memref.alloc
// CHECK:         %[[SUMS:.*]]:4 = scf.for
// CHECK:         vector.store %[[SUMS]]#0, %[[ALLOC]]
// CHECK:         arith.negf
module @read_again {
  func.func private @k(%x: memref<4x64xf32>, %w: memref<64x64xf32>, %y: memref<4x64xf32>, %z: memref<4x64xf32>) {
    %zero = arith.constant 0.0 : f32
    %sums = memref.alloc() : memref<4x64xf32>
    linalg.fill ins(%zero : f32) outs(%sums : memref<4x64xf32>)
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<4x64xf32>, memref<64x64xf32>) outs(%sums : memref<4x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%sums : memref<4x64xf32>) outs(%y : memref<4x64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    }
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%sums : memref<4x64xf32>) outs(%z : memref<4x64xf32>) {
    ^bb0(%a: f32, %out: f32):
      %0 = math.absf %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
#map = affine_map<(m, n) -> (m, n)>

// The sums of later columns still need what the member writes over.
// CHECK-LABEL: module @over_operand
// CHECK:         %[[ALLOC:.*]] = memref.alloc
// CHECK:         %[[SUMS:.*]]:4 = scf.for
// CHECK:         vector.store %[[SUMS]]#0, %[[ALLOC]]
// CHECK:         scf.for
// CHECK:         vector.store
module @over_operand {
  func.func private @k(%x: memref<4x64xf32>, %w: memref<64x64xf32>) {
    %zero = arith.constant 0.0 : f32
    %sums = memref.alloc() : memref<4x64xf32>
    linalg.fill ins(%zero : f32) outs(%sums : memref<4x64xf32>)
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<4x64xf32>, memref<64x64xf32>) outs(%sums : memref<4x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%sums, %x : memref<4x64xf32>, memref<4x64xf32>) outs(%x : memref<4x64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }
    return
  }
}

// -----

#lhs = affine_map<(f, h, w, c) -> (f, c)>
#rhs = affine_map<(f, h, w, c) -> (c, h, w)>
#out = affine_map<(f, h, w, c) -> (f, h, w)>
#map = affine_map<(f, h, w) -> (f, h, w)>

// The product's 7 lines of 7 pixels are one of 49. What goes into the middle of lines of 9 is not, so it comes behind.
// CHECK-LABEL: module @padded
// CHECK:         scf.for {{.*}} iter_args
// CHECK:         vector.maskedstore %{{.*}} : memref<3x49xf32>, vector<
// CHECK:         arith.negf
// CHECK:         strided<[81, 9, 1], offset: 10>
module @padded {
  func.func private @k(%x: memref<64x7x7xf32>, %w: memref<3x64xf32>, %y: memref<3x9x9xf32>) {
    %zero = arith.constant 0.0 : f32
    %sums = memref.alloc() : memref<3x7x7xf32>
    linalg.fill ins(%zero : f32) outs(%sums : memref<3x7x7xf32>)
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w, %x : memref<3x64xf32>, memref<64x7x7xf32>) outs(%sums : memref<3x7x7xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %out, %0 : f32
      linalg.yield %1 : f32
    }
    %middle = memref.subview %y[0, 1, 1] [3, 7, 7] [1, 1, 1] : memref<3x9x9xf32> to memref<3x7x7xf32, strided<[81, 9, 1], offset: 10>>
    linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sums : memref<3x7x7xf32>) outs(%middle : memref<3x7x7xf32, strided<[81, 9, 1], offset: 10>>) {
    ^bb0(%a: f32, %out: f32):
      %0 = arith.negf %a : f32
      linalg.yield %0 : f32
    }
    return
  }
}
