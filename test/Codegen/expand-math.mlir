// RUN: fuse-opt %s --fuse-expand-math --split-input-file \
// RUN:   | FileCheck %s --implicit-check-not="math.{{exp|log|tanh|erf|sin|cos |tan|pow|rsqrt}}" \
// RUN:       --implicit-check-not="scf." --implicit-check-not="call"

// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[X:.*]]: vector<16xf32>
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  // The bound lets a NaN through.
  // CHECK: %[[TOO_LARGE:.*]] = arith.cmpf ogt, %[[X]], %[[LIMIT:.*]] : vector<16xf32>
  // CHECK: arith.select %[[TOO_LARGE]], %[[LIMIT]], %[[X]]
  // CHECK: math.fma {{.*}} : vector<16xf32>
  // CHECK: arith.shli {{.*}} : vector<16xi32>
  // Two factors: a denormal result is rounded once.
  // CHECK: %[[SCALED:.*]] = arith.mulf {{.*}} : vector<16xf32>
  // CHECK: %[[Y:.*]] = arith.mulf %[[SCALED]], {{.*}} : vector<16xf32>
  // CHECK: %[[KEPT:.*]] = arith.select {{.*}}, %[[Y]], {{.*}}
  // CHECK-NEXT: return %[[KEPT]]
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

// CHECK-LABEL: func.func @scalars(
func.func @scalars(%x: f32, %y: f32) -> f32 {
  // CHECK: math.fma {{.*}} : f32
  // CHECK-NOT: vector
  %0 = math.exp %x : f32
  %1 = math.exp2 %0 : f32
  %2 = math.expm1 %1 : f32
  %3 = math.log %2 : f32
  %4 = math.log1p %3 : f32
  %5 = math.tanh %4 : f32
  %6 = math.erf %5 : f32
  %7 = math.sin %6 : f32
  %8 = math.cos %7 : f32
  %9 = math.tan %8 : f32
  %10 = math.powf %9, %y : f32
  %11 = math.rsqrt %10 : f32
  %12 = math.atan %11 : f32
  %13 = math.asin %12 : f32
  %14 = math.acos %13 : f32
  %15 = math.sinh %14 : f32
  %16 = math.cosh %15 : f32
  %17 = math.asinh %16 : f32
  %18 = math.acosh %17 : f32
  %19 = math.atanh %18 : f32
  return %19 : f32
}

// -----

// Odd widths and several dimensions are like any other.
// CHECK-LABEL: func.func @shapes(
func.func @shapes(%x: vector<5xf32>, %y: vector<2x3xf32>) -> (vector<5xf32>, vector<2x3xf32>) {
  // CHECK: math.fma {{.*}} : vector<5xf32>
  // CHECK: arith.muli {{.*}} : vector<2x3xi64>
  %0 = math.tanh %x : vector<5xf32>
  %1 = math.sin %y : vector<2x3xf32>
  return %0, %1 : vector<5xf32>, vector<2x3xf32>
}

// -----

// What the machine has stays.
// CHECK-LABEL: func.func @kept(
func.func @kept(%x: f32) -> f32 {
  // CHECK-NEXT: math.sqrt
  // CHECK-NEXT: math.floor
  // CHECK-NEXT: math.absf
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: return
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.absf %1 : f32
  %3 = math.fma %2, %2, %2 : f32
  return %3 : f32
}
