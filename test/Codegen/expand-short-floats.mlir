// RUN: fuse-opt %s --fuse-expand-math | FileCheck %s

// CHECK-LABEL: func.func @extend(
// CHECK-SAME: %[[X:.*]]: vector<8xbf16>
func.func @extend(%x: vector<8xbf16>) -> vector<8xf32> {
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : vector<8xbf16> to vector<8xi16>
  // CHECK: %[[WIDE:.*]] = arith.extui %[[BITS]]
  // CHECK: %[[UPPER:.*]] = arith.shli %[[WIDE]]
  // CHECK: %[[Y:.*]] = arith.bitcast %[[UPPER]] : vector<8xi32> to vector<8xf32>
  // CHECK: return %[[Y]]
  %y = arith.extf %x : vector<8xbf16> to vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @truncate(
// CHECK-NOT: arith.truncf
// CHECK: arith.cmpf uno
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @truncate(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}

// Two steps that round once: to odd, then to even.
// CHECK-LABEL: func.func @double_to_half(
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.cmpf one
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @double_to_half(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}

// The machine rounds f32 to f16 as it should.
// CHECK-LABEL: func.func @single_to_half(
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: return
func.func @single_to_half(%x: f32) -> f16 {
  %y = arith.truncf %x : f32 to f16
  return %y : f16
}

// A choice between bf16 by way of f32 registers would flush denormals.
// CHECK-LABEL: func.func @choose(
// CHECK-SAME: %[[C:.*]]: i1, %[[X:.*]]: bf16, %[[Y:.*]]: bf16
func.func @choose(%c: i1, %x: bf16, %y: bf16) -> bf16 {
  // CHECK-DAG: %[[L:.*]] = arith.bitcast %[[X]] : bf16 to i16
  // CHECK-DAG: %[[R:.*]] = arith.bitcast %[[Y]] : bf16 to i16
  // CHECK: %[[BITS:.*]] = arith.select %[[C]], %[[L]], %[[R]] : i16
  // CHECK: arith.bitcast %[[BITS]] : i16 to bf16
  %z = arith.select %c, %x, %y : bf16
  return %z : bf16
}
