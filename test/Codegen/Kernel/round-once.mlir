// RUN: fuse-opt %s --fuse-round-once | FileCheck %s

// The sum is not rounded in front of the relu; what is returned is, and what the program casts itself.
// CHECK-LABEL: @chain
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[RELU:.*]] = arith.maximumf %[[SUM]]
// CHECK: %[[R:.*]] = arith.truncf %[[RELU]]
// CHECK: return %[[R]]
func.func private @chain(%x: f16, %y: f16) -> f16 {
  %zero = arith.constant 0.0 : f32
  %a = arith.extf %x : f16 to f32
  %b = arith.extf %y : f16 to f32
  %sum = arith.addf %a, %b : f32
  %rounded = arith.truncf %sum {fuse.rounding} : f32 to f16
  %wide = arith.extf %rounded : f16 to f32
  %relu = arith.maximumf %wide, %zero : f32
  %result = arith.truncf %relu {fuse.rounding} : f32 to f16
  return %result : f16
}

// CHECK-LABEL: @casts
// CHECK: %[[C:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.extf %[[C]] : bf16 to f32
func.func private @casts(%x: f32) -> f32 {
  %short = arith.truncf %x : f32 to bf16
  %wide = arith.extf %short : bf16 to f32
  return %wide : f32
}

// A rounded value that is stored and read again; one that is widened to another type than it was computed in.
// CHECK-LABEL: @both
// CHECK: %[[S:.*]] = arith.truncf %[[X:.*]] {fuse.rounding} : f32 to f16
// CHECK: %[[D:.*]] = arith.extf %[[S]] : f16 to f64
// CHECK: return %[[S]], %[[X]], %[[D]]
func.func private @both(%x: f32) -> (f16, f32, f64) {
  %short = arith.truncf %x {fuse.rounding} : f32 to f16
  %wide = arith.extf %short : f16 to f32
  %wider = arith.extf %short : f16 to f64
  return %short, %wide, %wider : f16, f32, f64
}
