// RUN: fuse-opt %s --fuse-expand-math | FileCheck %s --implicit-check-not="math.{{exp|log|cbrt}}"

// CHECK-DAG: func.func private @expm1(f64) -> f64
// CHECK-DAG: func.func private @log1p(f64) -> f64
// CHECK-DAG: func.func private @cbrtf(f32) -> f32

// CHECK-LABEL: func.func @double(
func.func @double(%x: f64) -> f64 {
  // CHECK: %[[E:.*]] = call @expm1(%{{.*}}) : (f64) -> f64
  // CHECK: call @log1p(%[[E]]) : (f64) -> f64
  %0 = math.expm1 %x : f64
  %1 = math.log1p %0 : f64
  return %1 : f64
}

// One call per element.
// CHECK-LABEL: func.func @double_vector(
func.func @double_vector(%x: vector<2xf64>) -> vector<2xf64> {
  // CHECK-COUNT-2: call @expm1(%{{.*}}) : (f64) -> f64
  // CHECK-NOT: call
  %0 = math.expm1 %x : vector<2xf64>
  return %0 : vector<2xf64>
}

// Functions without an expansion of our own.
// CHECK-LABEL: func.func @other(
func.func @other(%x: f32) -> f32 {
  // CHECK: call @cbrtf
  %0 = math.cbrt %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @rsqrt(
func.func @rsqrt(%x: vector<4xf64>) -> vector<4xf64> {
  // CHECK: %[[ROOT:.*]] = math.sqrt %{{.*}} : vector<4xf64>
  // CHECK: arith.divf %{{.*}}, %[[ROOT]] : vector<4xf64>
  %0 = math.rsqrt %x : vector<4xf64>
  return %0 : vector<4xf64>
}
