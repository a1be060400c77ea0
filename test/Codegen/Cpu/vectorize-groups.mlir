// RUN: fuse-opt %s --fuse-vectorize-kernels="int8-dot bf16-dot" --canonicalize --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-vectorize-kernels="vector-bytes=32 int8-dot" --canonicalize --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: fuse-opt %s --fuse-vectorize-kernels --canonicalize --split-input-file | FileCheck %s --check-prefix=PLAIN

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Four rows of the columns become words; signed rows are shifted by 128, and the sums begin with less
// by what that adds. Of 67 steps the last three are a group with a zero.
// CHECK-LABEL: module @int8
// CHECK-DAG:   %[[PACKED:.*]] = memref.alloc() : memref<17x128xi8>
// CHECK-DAG:   memref.alloc() : memref<32xi32>
// CHECK:       vector.interleave
// CHECK:       vector.interleave
// CHECK:       %[[WORDS:.*]] = vector.interleave {{.*}} : vector<64xi8> -> vector<128xi8>
// CHECK:       vector.store %[[WORDS]], %[[PACKED]]
// CHECK:       arith.subi %{{.*}} : vector<32xi32>
// CHECK:       vector.load %{{.*}} : memref<16x67xi8>, vector<4xi8>
// CHECK:       arith.xori %{{.*}} : vector<16xi32>
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK:       vector.load %{{.*}} : memref<16x67xi8>, vector<2xi8>
// CHECK:       vector.load %{{.*}} : memref<16x67xi8>, vector<1xi8>
// CHECK-NOT:   arith.muli %{{.*}} : vector
// NARROW-LABEL: module @int8
// NARROW:       llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// NARROW-NOT:   vpdpbusd.512
// PLAIN-LABEL: module @int8
// PLAIN-NOT:   call_intrinsic
// PLAIN:       arith.muli %{{.*}} : vector<32xi32>
module @int8 {
  func.func private @k(%x: memref<16x67xi8>, %w: memref<67x64xi8>, %y: memref<16x64xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<16x67xi8>, memref<67x64xi8>) outs(%y : memref<16x64xi32>) {
    ^bb0(%a: i8, %b: i8, %out: i32):
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %out, %2 : i32
      linalg.yield %3 : i32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// No instruction multiplies unsigned bytes by unsigned ones.
// CHECK-LABEL: module @unsigned
// CHECK-NOT:   call_intrinsic
// CHECK-LABEL: module @mixed
// CHECK-NOT:   arith.xori
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// CHECK-NOT:   arith.xori
module @unsigned {
  func.func private @k(%x: memref<16x64xi8>, %w: memref<64x64xi8>, %y: memref<16x64xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<16x64xi8>, memref<64x64xi8>) outs(%y : memref<16x64xi32>) {
    ^bb0(%a: i8, %b: i8, %out: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extui %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %out, %2 : i32
      linalg.yield %3 : i32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Unsigned rows and signed columns are what the instruction takes.
module @mixed {
  func.func private @k(%x: memref<16x64xi8>, %w: memref<64x64xi8>, %y: memref<16x64xi32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<16x64xi8>, memref<64x64xi8>) outs(%y : memref<16x64xi32>) {
    ^bb0(%a: i8, %b: i8, %out: i32):
      %0 = arith.extui %a : i8 to i32
      %1 = arith.extsi %b : i8 to i32
      %2 = arith.muli %0, %1 : i32
      %3 = arith.addi %out, %2 : i32
      linalg.yield %3 : i32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Without vdpbf16ps two steps of a row are one load, and become f32 in registers.
// CHECK-LABEL: module @bf16
// CHECK:       memref.alloc() : memref<32x64xi16>
// CHECK:       vector.interleave
// CHECK:       llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK-NOT:   math.fma
// PLAIN-LABEL: module @bf16
// PLAIN-NOT:   call_intrinsic
// PLAIN-NOT:   vector.interleave
// PLAIN:       vector.load %{{.*}} : memref<16x64xbf16>, vector<2xbf16>
// PLAIN:       arith.shli %{{.*}} : vector<16xi32>
// PLAIN:       math.fma %{{.*}} : vector<16xf32>
// PLAIN:       arith.andi %{{.*}} : vector<16xi32>
// PLAIN:       math.fma %{{.*}} : vector<16xf32>
module @bf16 {
  func.func private @k(%x: memref<16x64xbf16>, %w: memref<64x64xbf16>, %y: memref<16x64xf32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<16x64xbf16>, memref<64x64xbf16>) outs(%y : memref<16x64xf32>) {
    ^bb0(%a: bf16, %b: bf16, %out: f32):
      %0 = arith.extf %a : bf16 to f32
      %1 = arith.extf %b : bf16 to f32
      %2 = arith.mulf %0, %1 fastmath<contract> : f32
      %3 = arith.addf %out, %2 fastmath<contract> : f32
      linalg.yield %3 : f32
    }
    return
  }
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// Many rows of f16, and their columns, are widened in buffers.
// CHECK-LABEL: module @f16
// CHECK-DAG:   memref.alloc() : memref<64x32xf32>
// CHECK-DAG:   %[[ROWS:.*]] = memref.alloc() : memref<10x64xf32>
// CHECK:       arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
// CHECK:       memref.load %[[ROWS]]
// CHECK:       math.fma %{{.*}} : vector<16xf32>
module @f16 {
  func.func private @k(%x: memref<144x64xf16>, %w: memref<64x64xf16>, %y: memref<144x64xf32>) {
    linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<144x64xf16>, memref<64x64xf16>) outs(%y : memref<144x64xf32>) {
    ^bb0(%a: f16, %b: f16, %out: f32):
      %0 = arith.extf %a : f16 to f32
      %1 = arith.extf %b : f16 to f32
      %2 = arith.mulf %0, %1 fastmath<contract> : f32
      %3 = arith.addf %out, %2 fastmath<contract> : f32
      linalg.yield %3 : f32
    }
    return
  }
}
