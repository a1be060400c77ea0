// RUN: fuse-opt %s --fuse-program-to-llvm=on-device -split-input-file -verify-diagnostics

// What the runtime has no call for must not touch a device's memory from the host.
func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<?xi8>) {
  %zero = arith.constant 0 : index
  %value = arith.constant 1.0 : f32
  // expected-error @below {{'memref.atomic_rmw' runs on the host and would read what lies on the device}}
  %0 = memref.atomic_rmw addf %value, %y[%zero] : (f32, memref<8xf32>) -> f32
  return
}
func.func private @f.shapes(%x: memref<8xf32>) {
  return
}
func.func private @f.arena(%x: memref<8xf32>, %y: memref<8xf32>) -> index {
  %bytes = arith.constant 0 : index
  return %bytes : index
}

// -----

func.func @f(%x: memref<8xf32>, %y: memref<8xf32>, %arena: memref<?xi8>) {
  // expected-error @below {{'memref.alloc' runs on the host and would allocate memory of the device within a branch or loop}}
  %0 = memref.alloc() : memref<8xf32>
  memref.copy %0, %y : memref<8xf32> to memref<8xf32>
  return
}
func.func private @f.shapes(%x: memref<8xf32>) {
  return
}
func.func private @f.arena(%x: memref<8xf32>, %y: memref<8xf32>) -> index {
  %bytes = arith.constant 0 : index
  return %bytes : index
}
