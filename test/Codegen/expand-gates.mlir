// RUN: fuse-opt %s --fuse-expand-math=permuted-lanes=16 | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: fuse-opt %s --fuse-expand-math=permuted-lanes=8 | FileCheck %s --check-prefixes=CHECK,HALF
// RUN: fuse-opt %s --fuse-expand-math=permuted-lanes=1 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: fuse-opt %s --fuse-expand-math | FileCheck %s --check-prefix=NONE \
// RUN:   --implicit-check-not=permvar --implicit-check-not=permps --implicit-check-not=scf.if

// RUN: not fuse-opt %s --fuse-expand-math=permuted-lanes=32 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: expected 0, 1, 8 or 16 as permuted-lanes, found 32

// A center and seven coefficients for each register; the other way for all if one is far.
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: %[[X:.*]]: vector<32xf32>
// WIDE-COUNT-16: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// WIDE-NOT: permvar
// HALF-COUNT-64: llvm.call_intrinsic "llvm.x86.avx2.permps"
// HALF-NOT: permps
// ONE-NOT: llvm.call_intrinsic
// ONE: vector.extract %{{.*}}[%{{.*}}] : f32 from vector<16xf32>
// CHECK: vector.reduction <and>, %[[NEAR:.*]] : vector<32xi1> into i1
// CHECK: %[[FAR:.*]] = llvm.intr.expect
// CHECK: scf.if %[[FAR]] -> (vector<32xf32>) {
// CHECK: arith.select %[[NEAR]]
// CHECK: } else {
// NONE-LABEL: func.func @vectors(
// NONE: arith.divf
func.func @vectors(%x: vector<32xf32>) -> vector<32xf32> {
  %0 = fuse.gate gelu %x : vector<32xf32>
  return %0 : vector<32xf32>
}

// Any shape: whole registers, and what was added is cut off.
// CHECK-LABEL: func.func @odd(
// WIDE: vector.shape_cast %{{.*}} : vector<3x5xf32> to vector<15xf32>
// WIDE: vector.insert_strided_slice {{.*}} : vector<15xf32> into vector<16xf32>
// WIDE-COUNT-8: permvar
// WIDE: vector.extract_strided_slice {{.*}} : vector<16xf32> to vector<15xf32>
// WIDE: vector.shape_cast %{{.*}} : vector<15xf32> to vector<3x5xf32>
// NONE-LABEL: func.func @odd(
func.func @odd(%x: vector<3x5xf32>) -> vector<3x5xf32> {
  %0 = fuse.gate silu %x : vector<3x5xf32>
  return %0 : vector<3x5xf32>
}

// The same bits as in a vector.
// CHECK-LABEL: func.func @scalar(
// WIDE: vector.broadcast %{{.*}} : f32 to vector<16xf32>
// WIDE-COUNT-8: permvar
// HALF: vector.broadcast %{{.*}} : f32 to vector<8xf32>
// HALF-COUNT-16: permps
// ONE-NOT: vector.insert
// ONE: scf.if %{{.*}} -> (f32)
// CHECK: return
// NONE-LABEL: func.func @scalar(
func.func @scalar(%x: f32) -> f32 {
  %0 = fuse.gate sigmoid %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @one(
// WIDE: vector.insert_strided_slice {{.*}} : vector<1xf32> into vector<16xf32>
// CHECK: return %{{.*}} : vector<f32>
// NONE-LABEL: func.func @one(
func.func @one(%x: vector<f32>) -> vector<f32> {
  %0 = fuse.gate sigmoid %x : vector<f32>
  return %0 : vector<f32>
}

// How long such a vector is nobody knows.
// CHECK-LABEL: func.func @scalable(
// CHECK-NOT: scf.if
// CHECK: arith.divf {{.*}} : vector<[4]xf32>
// NONE-LABEL: func.func @scalable(
func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  %0 = fuse.gate sigmoid %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}
