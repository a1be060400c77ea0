// RUN: fuse-opt %s --pass-pipeline='builtin.module(gpu.module(fuse-device-math))' | FileCheck %s

// Exact functions are instructions of every device: intrinsics of LLVM, by name.
gpu.module @device {
  // CHECK-LABEL: gpu.func @floats
  // CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
  gpu.func @floats(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    // CHECK: llvm.call_intrinsic "llvm.sqrt"(%[[X]]) : (f32) -> f32
    %sqrt = math.sqrt %x : f32
    // CHECK: llvm.call_intrinsic "llvm.fma"(%[[X]], %[[Y]], %[[Y]])
    %fma = math.fma %x, %y, %y : f32
    // CHECK: llvm.call_intrinsic "llvm.floor"(%[[X]])
    %floor = math.floor %x : f32
    // CHECK: llvm.call_intrinsic "llvm.ceil"(%[[X]])
    %ceil = math.ceil %x : f32
    // CHECK: llvm.call_intrinsic "llvm.roundeven"(%[[X]])
    %even = math.roundeven %x : f32
    // CHECK: llvm.call_intrinsic "llvm.trunc"(%[[X]])
    %trunc = math.trunc %x : f32
    // CHECK: llvm.call_intrinsic "llvm.fabs"(%[[X]])
    %abs = math.absf %x : f32
    // CHECK: llvm.call_intrinsic "llvm.copysign"(%[[X]], %[[Y]])
    %sign = math.copysign %x, %y : f32
    gpu.return %sqrt, %fma, %floor, %ceil, %even, %trunc, %abs, %sign : f32, f32, f32, f32, f32, f32, f32, f32
  }

  // Zero has a count, and the least integer an absolute value: the flag that denies it is false.
  // CHECK-LABEL: gpu.func @integers
  // CHECK-SAME: (%[[X:.*]]: i32)
  gpu.func @integers(%x: i32) -> (i32, i32, i32) {
    // CHECK-DAG: %[[FALSE:.*]] = llvm.mlir.constant(false) : i1
    // CHECK-DAG: llvm.call_intrinsic "llvm.ctlz"(%[[X]], %{{.*}}) : (i32, i1) -> i32
    %zeros = math.ctlz %x : i32
    // CHECK-DAG: llvm.call_intrinsic "llvm.abs"(%[[X]], %{{.*}}) : (i32, i1) -> i32
    %abs = math.absi %x : i32
    // CHECK-DAG: llvm.call_intrinsic "llvm.ctpop"(%[[X]]) : (i32) -> i32
    %ones = math.ctpop %x : i32
    gpu.return %zeros, %abs, %ones : i32, i32, i32
  }

  // Others are left to the expansion or to the device's library; so are vectors.
  // CHECK-LABEL: gpu.func @others
  gpu.func @others(%x: f64, %v: vector<4xf32>) -> (f64, vector<4xf32>) {
    // CHECK: math.exp
    %exp = math.exp %x : f64
    // CHECK: math.sqrt %{{.*}} : vector<4xf32>
    %sqrt = math.sqrt %v : vector<4xf32>
    gpu.return %exp, %sqrt : f64, vector<4xf32>
  }
}
