// RUN: fuse-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @gates
func.func @gates(%x: f32, %y: vector<3x5xf32>) -> (f32, vector<3x5xf32>) {
  // CHECK: fuse.gate sigmoid %{{.*}} : f32
  %0 = fuse.gate sigmoid %x : f32
  // CHECK: fuse.gate silu %{{.*}} : f32
  %1 = fuse.gate silu %0 : f32
  // CHECK: fuse.gate gelu %{{.*}} approximate = tanh : vector<3x5xf32>
  %2 = fuse.gate gelu %y approximate = tanh : vector<3x5xf32>
  return %1, %2 : f32, vector<3x5xf32>
}

// -----

func.func @no_gate(%x: f32) -> f32 {
  // expected-error@+1 {{expected sigmoid, silu or gelu, found 'exp'}}
  %0 = fuse.gate exp %x : f32
  return %0 : f32
}

// -----

func.func @no_form(%x: f32) -> f32 {
  // expected-error@+1 {{'silu' has no parameter 'approximate'}}
  %0 = fuse.gate silu %x approximate = tanh : f32
  return %0 : f32
}

// -----

func.func @double(%x: f64) -> f64 {
  // expected-error@+1 {{operand #0 must be 32-bit float or}}
  %0 = fuse.gate silu %x : f64
  return %0 : f64
}
