// RUN: fuse-opt %s --fuse-form-kernels --fuse-outline-kernels --fuse-lower-program --split-input-file | FileCheck %s

// The launch that computes a result writes to the caller's memory; the value between the two
// kernels has a place of its own.
// CHECK: func.func @chain(%[[X:.*]]: tensor<8xf32> {{{.*}}}, %[[OUT:.*]]: memref<8xf32>)
// CHECK: %[[PLACE:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK: %[[E:.*]] = tensor.empty() : tensor<8xf32>
// CHECK: %[[A:.*]] = fuse.launch @{{.*}} ins(%[[X]] : tensor<8xf32>) outs(%[[E]] :
// CHECK: %[[B:.*]] = fuse.launch @{{.*}} ins(%[[A]] : tensor<8xf32>) outs(%[[PLACE]] :
// CHECK: bufferization.materialize_in_destination %[[B]] in writable %[[OUT]]
// CHECK: return{{$}}
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.unary exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// What no launch computes is copied: an argument, and the same value a second time.
// CHECK: func.func @copies(%[[X:.*]]: tensor<8xf32> {{{.*}}}, %[[O0:.*]]: memref<8xf32>, %[[O1:.*]]: memref<8xf32>, %[[O2:.*]]: memref<8xf32>)
// CHECK: %[[A:.*]] = fuse.launch
// CHECK-DAG: bufferization.materialize_in_destination %[[A]] in writable %[[O0]]
// CHECK-DAG: bufferization.materialize_in_destination %[[A]] in writable %[[O1]]
// CHECK-DAG: bufferization.materialize_in_destination %[[X]] in writable %[[O2]]
func.func @copies(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary relu %x : tensor<8xf32>
  return %0, %0, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Masks are bytes and unsigned integers plain ones in memory; a host op is a call; a function
// gives the dynamic dimensions of the results.
// CHECK: func.func private @types{{[._]}}shapes({{.*}}) -> (index, index)
// CHECK: func.func @types(%{{.*}}: tensor<?xi32> {{{.*}}}, %{{.*}}: tensor<?xi8> {{{.*}}}, %{{.*}}: tensor<8x32xf32> {{{.*}}}, %{{.*}}: memref<?xi32>, %{{.*}}: memref<?xi8>, %{{.*}}: memref<4x6xf32>)
// CHECK: fuse.launch_host
func.func @types(%u: tensor<?xui32>, %m: tensor<?xi1>, %s: tensor<8x32xf32>) -> (tensor<?xui32>, tensor<?xi1>, tensor<4x6xf32>) {
  %0 = fuse.binary add %u, %u : tensor<?xui32>
  %1 = fuse.unary logical_not %m : tensor<?xi1>
  %2 = fuse.welch_peaks %s k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<?xui32>, tensor<?xi1>, tensor<4x6xf32>
}

// -----

// A large constant of one value is filled in place, in front of a loop, not written out.
// CHECK: func.func @splats(%[[X:.*]]: tensor<65536xf32> {{{.*}}}, %[[O0:.*]]: memref<65536xi8>, %[[O1:.*]]: memref<65537xi8>, %[[O2:.*]]: memref<65536xf32>)
// CHECK-DAG: %[[PLACE:.*]] = bufferization.to_tensor %[[O1]] restrict writable
// CHECK-DAG: %[[SMALL:.*]] = arith.constant dense<1> : tensor<65536xi8>
// CHECK: %[[LARGE:.*]] = linalg.fill ins(%{{.*}} : i8) outs(%[[PLACE]] : tensor<65537xi8>)
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<65536xf32>)
// CHECK: scf.for
// CHECK-NOT: linalg.fill
// CHECK-DAG: bufferization.materialize_in_destination %[[SMALL]] in writable %[[O0]]
// CHECK-DAG: bufferization.materialize_in_destination %[[LARGE]] in writable %[[O1]]
func.func @splats(%x: tensor<65536xf32>) -> (tensor<65536xi1>, tensor<65537xi1>, tensor<65536xf32>) {
  %small = arith.constant dense<true> : tensor<65536xi1>
  %large = arith.constant dense<true> : tensor<65537xi1>
  %b = arith.constant 0 : index
  %e = arith.constant 3 : index
  %s = arith.constant 1 : index
  %0 = scf.for %i = %b to %e step %s iter_args(%a = %x) -> tensor<65536xf32> {
    %c = arith.constant dense<2.0> : tensor<65536xf32>
    scf.yield %c : tensor<65536xf32>
  }
  return %small, %large, %0 : tensor<65536xi1>, tensor<65537xi1>, tensor<65536xf32>
}
