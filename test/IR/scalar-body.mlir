// RUN: fuse-opt %s --test-fuse-scalar-body | FileCheck %s

// A divisor of 0 or -1 never reaches the machine's division.
// CHECK-LABEL: func.func private @divide(
// CHECK-SAME: %[[L:.*]]: i32, %[[R:.*]]: i32
// CHECK: %[[IS_ZERO:.*]] = arith.cmpi eq, %[[R]], %c0_i32
// CHECK: %[[IS_MINUS_ONE:.*]] = arith.cmpi eq, %[[R]], %c-1_i32
// CHECK: %[[IS_SPECIAL:.*]] = arith.ori %[[IS_ZERO]], %[[IS_MINUS_ONE]]
// CHECK: %[[SAFE:.*]] = arith.select %[[IS_SPECIAL]], %c1_i32, %[[R]]
// CHECK: arith.divsi %[[L]], %[[SAFE]]
func.func private @divide(i32, i32) -> i32 attributes {test.body = "binary div i32"}

// CHECK-LABEL: func.func private @divide_unsigned(
// CHECK: arith.divui
func.func private @divide_unsigned(vector<4xi8>, vector<4xi8>) -> vector<4xi8>
    attributes {test.body = "binary div ui8"}

// f16 computes in f32 and rounds at the op.
// CHECK-LABEL: func.func private @add_half(
// CHECK-COUNT-2: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.truncf %[[SUM]] {fuse.rounding} : vector<4xf32> to vector<4xf16>
func.func private @add_half(vector<4xf16>, vector<4xf16>) -> vector<4xf16>
    attributes {test.body = "binary add f16"}

// CHECK-LABEL: func.func private @relu(
// CHECK: %[[LOW:.*]] = arith.cmpf ole, %[[X:.*]], %{{.*}} : f32
// CHECK: arith.select %[[LOW]], %{{.*}}, %[[X]] : f32
func.func private @relu(f32) -> f32 attributes {test.body = "unary relu f32"}

// Bounded before the conversion, which is poison out of range.
// CHECK-LABEL: func.func private @saturate(
// CHECK: arith.cmpf uno
// CHECK-COUNT-3: arith.select
// CHECK: arith.fptosi %{{.*}} : vector<4xf32> to vector<4xi32>
// CHECK: arith.select
func.func private @saturate(vector<4xf32>) -> vector<4xi32>
    attributes {test.body = "cast f32 i32"}

// CHECK-LABEL: func.func private @max_mask(
// CHECK: arith.maxui %{{.*}} : vector<4xi1>
func.func private @max_mask(vector<4xi1>, vector<4xi1>) -> vector<4xi1>
    attributes {test.body = "binary max i1"}
