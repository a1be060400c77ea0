// RUN: fuse-opt %s --convert-tosa-to-fuse --split-input-file | FileCheck %s --implicit-check-not=tosa.

// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @views(%x: tensor<2x3x4xf32>) {
  %shape = tosa.const_shape {values = dense<[6, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // CHECK: fuse.reshape %[[X]] : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %0 = tosa.reshape %x, %shape : (tensor<2x3x4xf32>, !tosa.shape<2>) -> tensor<6x4xf32>
  // CHECK: fuse.transpose %[[X]] permutation = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = tosa.transpose %x {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %start = tosa.const_shape {values = dense<[0, 1, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.const_shape {values = dense<[2, 2, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  // CHECK: fuse.slice %[[X]] offsets = [0, 1, 2] sizes = [2, 2, 1] strides = [1, 1, 1]
  %2 = tosa.slice %x, %start, %size : (tensor<2x3x4xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<2x2x1xf32>
  // CHECK: %[[TILED:.*]] = fuse.broadcast %[[X]] dimensions = [0, 3] : tensor<2x3x4xf32> -> tensor<5x2x3x2x4xf32>
  // CHECK: fuse.reshape %[[TILED]] : tensor<5x2x3x2x4xf32> -> tensor<10x3x8xf32>
  %multiples = tosa.const_shape {values = dense<[5, 1, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %3 = tosa.tile %x, %multiples : (tensor<2x3x4xf32>, !tosa.shape<3>) -> tensor<10x3x8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @moves(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>, %[[V:.*]]: tensor<2x5x4xf32>, %[[I:.*]]: tensor<2x3xi32>
func.func @moves(%x: tensor<2x3xf32>, %v: tensor<2x5x4xf32>, %i: tensor<2x3xi32>) {
  // CHECK: fuse.concat %[[X]], %[[X]] dimension = 1
  %0 = tosa.concat %x, %x {axis = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %padding = tosa.const_shape {values = dense<[0, 1, 2, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %value = "tosa.const"() {values = dense<1.5> : tensor<1xf32>} : () -> tensor<1xf32>
  // CHECK: fuse.pad %[[X]] low = [0, 2] high = [1, 3] value = 1.500000e+00 : f32
  %1 = tosa.pad %x, %padding, %value : (tensor<2x3xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<3x8xf32>
  // The second batch's rows follow the first's five.
  // CHECK: %[[STARTS:.*]] = arith.constant dense<{{\[\[}}0], [5]]> : tensor<2x1xi32>
  // CHECK: %[[INDEX:.*]] = fuse.binary add %[[I]], %[[STARTS]]
  // CHECK-DAG: %[[ROWS:.*]] = fuse.reshape %[[V]] : tensor<2x5x4xf32> -> tensor<10x4xf32>
  // CHECK-DAG: %[[FLAT:.*]] = fuse.reshape %[[INDEX]] : tensor<2x3xi32> -> tensor<6xi32>
  // CHECK: fuse.gather %[[ROWS]], %[[FLAT]] dimension = 0
  %2 = tosa.gather %v, %i : (tensor<2x5x4xf32>, tensor<2x3xi32>) -> tensor<2x3x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @constants(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
// CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: return %[[C]], %[[X]]
func.func @constants(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = "tosa.const"() {values = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = tosa.identity %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// In 64 bits, rounded once, bounded to the result's type.
// CHECK-LABEL: func.func @rescale(
// CHECK: %[[U:.*]] = fuse.bitcast %{{.*}} : (tensor<4x2xi8>) -> tensor<4x2xui8>
// CHECK: %[[WIDE:.*]] = fuse.cast %[[U]] : (tensor<4x2xui8>) -> tensor<4x2xi64>
// CHECK: fuse.binary sub %[[WIDE]]
// CHECK: fuse.binary mul
// CHECK: fuse.binary add
// CHECK: %[[SHIFTED:.*]] = fuse.binary shift_right
// CHECK: %[[MOVED:.*]] = fuse.binary add %[[SHIFTED]]
// CHECK: %[[BOUNDED:.*]] = fuse.clamp %[[MOVED]]
// CHECK: fuse.cast %[[BOUNDED]] : (tensor<4x2xi64>) -> tensor<4x2xi8>
func.func @rescale(%x: tensor<4x2xi8>) -> tensor<4x2xi8> {
  %m = "tosa.const"() {values = dense<[1073741824, 1288490189]> : tensor<2xi32>} : () -> tensor<2xi32>
  %s = "tosa.const"() {values = dense<[30, 33]> : tensor<2xi8>} : () -> tensor<2xi8>
  %izp = "tosa.const"() {values = dense<-128> : tensor<1xi8>} : () -> tensor<1xi8>
  %ozp = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %izp, %ozp {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = true, output_unsigned = false} : (tensor<4x2xi8>, tensor<2xi32>, tensor<2xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x2xi8>
  return %0 : tensor<4x2xi8>
}

// Rows of all batches as one list; those of the second batch are behind those of the first.
// CHECK-LABEL: func.func @scatter
// CHECK: arith.constant dense<{{.*}}0{{.*}}7{{.*}}> : tensor<2x1xi32>
// CHECK: fuse.scatter set %{{.*}} dimension = 0 : (tensor<14x3xf32>, tensor<8xi32>, tensor<8x3xf32>) -> tensor<14x3xf32>
func.func @scatter(%x: tensor<2x7x3xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4x3xf32>) -> tensor<2x7x3xf32> {
  %0 = tosa.scatter %x, %i, %u : (tensor<2x7x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>) -> tensor<2x7x3xf32>
  return %0 : tensor<2x7x3xf32>
}
