// RUN: fuse-opt %s --verify-roundtrip | FileCheck %s
// RUN: fuse-opt %s --mlir-print-op-generic | fuse-opt | FileCheck %s

// Every op with every form of its attributes, as it is printed.

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<8x4xf32>, %i: tensor<?xui8>, %b: tensor<i1>) {
  // CHECK: fuse.unary relu %{{.*}} : tensor<8x4xf32>
  %0 = fuse.unary relu %x : tensor<8x4xf32>
  // CHECK: fuse.unary leaky_relu %{{.*}} alpha = 1.000000e-01 : tensor<8x4xf32>
  %1 = fuse.unary leaky_relu %x alpha = 1.000000e-01 : tensor<8x4xf32>
  // CHECK: fuse.unary hard_sigmoid %{{.*}} alpha = 1.000000e-01 beta = 5.000000e-01 : tensor<8x4xf32>
  %2 = fuse.unary hard_sigmoid %x alpha = 1.000000e-01 beta = 5.000000e-01 : tensor<8x4xf32>
  // CHECK: fuse.unary gelu %{{.*}} approximate = tanh : tensor<8x4xf32>
  %3 = fuse.unary gelu %x approximate = tanh : tensor<8x4xf32>
  // CHECK: fuse.unary gelu %{{.*}} approximate = none fastmath<nnan,ninf> : tensor<8x4xf32>
  %4 = fuse.unary gelu %x approximate = none fastmath<nnan,ninf> : tensor<8x4xf32>
  // CHECK: fuse.unary is_nan %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xi1>
  %5 = fuse.unary is_nan %x : (tensor<8x4xf32>) -> tensor<8x4xi1>
  // CHECK: fuse.unary bitwise_not %{{.*}} : tensor<?xui8>
  %6 = fuse.unary bitwise_not %i : tensor<?xui8>
  // CHECK: fuse.unary logical_not %{{.*}} : tensor<i1>
  %7 = fuse.unary logical_not %b : tensor<i1>
  // CHECK: fuse.unary exp %{{.*}} {fuse.alone, fuse.group = array<i64: 1, 2>, fuse.origin = #fuse.origin<3, "softmax">, fuse.together = "a"} : tensor<8x4xf32>
  %8 = fuse.unary exp %x {fuse.alone, fuse.group = array<i64: 1, 2>, fuse.origin = #fuse.origin<3, "softmax">, fuse.together = "a"} : tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<8x4xf32>, %y: tensor<4xf32>, %s: tensor<f32>, %i: tensor<3xi8>, %d: tensor<?x4xf32>) {
  // CHECK: fuse.binary add %{{.*}}, %{{.*}} : tensor<8x4xf32>
  %0 = fuse.binary add %x, %x : tensor<8x4xf32>
  // CHECK: fuse.binary pow %{{.*}}, %{{.*}} fastmath<nsz> : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %1 = fuse.binary pow %x, %y fastmath<nsz> : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: fuse.binary xor %{{.*}}, %{{.*}} : tensor<3xi8>
  %2 = fuse.binary xor %i, %i : tensor<3xi8>
  // CHECK: fuse.binary max %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %3 = fuse.binary max %d, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: fuse.cast %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  %4 = fuse.cast %x : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  // CHECK: fuse.bitcast %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xui32>
  %8 = fuse.bitcast %x : (tensor<8x4xf32>) -> tensor<8x4xui32>
  // CHECK: fuse.binary shift_right %{{.*}}, %{{.*}} : tensor<3xi8>
  %9 = fuse.binary shift_right %i, %i : tensor<3xi8>
  // CHECK: fuse.unary atan %{{.*}} : tensor<4xf32>
  %10 = fuse.unary atan %y : tensor<4xf32>
  // CHECK: fuse.compare ge %{{.*}}, %{{.*}} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xi1>
  %5 = fuse.compare ge %x, %s : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xi1>
  // CHECK: fuse.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %6 = fuse.select %5, %x, %s : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  // CHECK: fuse.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<8x4xf32>
  %7 = fuse.clamp %x, %s, %y : (tensor<8x4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<8x?x4xf32>, %b: tensor<4xi1>) {
  // CHECK: fuse.reduce sum %{{.*}} dimensions = [1, 2] : tensor<8x?x4xf32> -> tensor<8xf32>
  %0 = fuse.reduce sum %x dimensions = [1, 2] : tensor<8x?x4xf32> -> tensor<8xf32>
  // CHECK: fuse.reduce mean %{{.*}} dimensions = [0] keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xf32>
  %1 = fuse.reduce mean %x dimensions = [0] keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xf32>
  // CHECK: fuse.reduce max %{{.*}} dimensions = [] : tensor<8x?x4xf32> -> tensor<8x?x4xf32>
  %2 = fuse.reduce max %x dimensions = [] : tensor<8x?x4xf32> -> tensor<8x?x4xf32>
  // CHECK: fuse.reduce any %{{.*}} dimensions = [0] : tensor<4xi1> -> tensor<i1>
  %3 = fuse.reduce any %b dimensions = [0] : tensor<4xi1> -> tensor<i1>
  // CHECK: fuse.argmax %{{.*}} dimension = 2 : tensor<8x?x4xf32> -> tensor<8x?xi64>
  %4 = fuse.argmax %x dimension = 2 : tensor<8x?x4xf32> -> tensor<8x?xi64>
  // CHECK: fuse.argmin %{{.*}} dimension = 0 keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xi64>
  %5 = fuse.argmin %x dimension = 0 keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xi64>
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<2x3x4xf32>, %d: tensor<?x4xf32>, %s: tensor<f32>) {
  // CHECK: fuse.reshape %{{.*}} : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %0 = fuse.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  // CHECK: fuse.reshape %{{.*}} : tensor<?x4xf32> -> tensor<?x2x2xf32>
  %1 = fuse.reshape %d : tensor<?x4xf32> -> tensor<?x2x2xf32>
  // CHECK: fuse.transpose %{{.*}} permutation = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %2 = fuse.transpose %x permutation = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK: fuse.transpose %{{.*}} permutation = [] : tensor<f32> -> tensor<f32>
  %3 = fuse.transpose %s permutation = [] : tensor<f32> -> tensor<f32>
  // CHECK: fuse.slice %{{.*}} offsets = [0, 1] sizes = [-1, 2] strides = [1, 2] : tensor<?x4xf32> -> tensor<?x2xf32>
  %4 = fuse.slice %d offsets = [0, 1] sizes = [-1, 2] strides = [1, 2] : tensor<?x4xf32> -> tensor<?x2xf32>
  // CHECK: fuse.broadcast %{{.*}} dimensions = [0, 1] : tensor<f32> -> tensor<8x4xf32>
  %5 = fuse.broadcast %s dimensions = [0, 1] : tensor<f32> -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%m: memref<8x?xf32>, %x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %i: tensor<2x2xi32>) {
  // CHECK: fuse.load %{{.*}} : memref<8x?xf32> -> tensor<8x?xf32>
  %0 = fuse.load %m : memref<8x?xf32> -> tensor<8x?xf32>
  // CHECK: fuse.store %{{.*}}, %{{.*}} : tensor<8x?xf32>, memref<8x?xf32>
  fuse.store %0, %m : tensor<8x?xf32>, memref<8x?xf32>
  // CHECK: fuse.copy %{{.*}} : tensor<2x3xf32>
  %1 = fuse.copy %x : tensor<2x3xf32>
  // CHECK: fuse.concat %{{.*}}, %{{.*}} dimension = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  %2 = fuse.concat %x, %y dimension = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  // CHECK: fuse.pad %{{.*}} low = [0, -1] high = [1, 2] value = 0xFF800000 : f32 : tensor<2x3xf32> -> tensor<3x4xf32>
  %3 = fuse.pad %x low = [0, -1] high = [1, 2] value = 0xFF800000 : f32 : tensor<2x3xf32> -> tensor<3x4xf32>
  // CHECK: fuse.pad %{{.*}} low = [1, 0] high = [0, 0] value = 7 : i32 : tensor<2x2xi32> -> tensor<3x2xi32>
  %4 = fuse.pad %i low = [1, 0] high = [0, 0] value = 7 : i32 : tensor<2x2xi32> -> tensor<3x2xi32>
  // CHECK: fuse.gather %{{.*}}, %{{.*}} dimension = 1 : (tensor<4x3xf32>, tensor<2x2xi32>) -> tensor<4x2x2xf32>
  %5 = fuse.gather %y, %i dimension = 1 : (tensor<4x3xf32>, tensor<2x2xi32>) -> tensor<4x2x2xf32>
  // CHECK: fuse.scatter max %{{.*}}, %{{.*}}, %{{.*}} dimension = 1 : (tensor<4x3xf32>, tensor<2x2xi32>, tensor<4x2x2xf32>) -> tensor<4x3xf32>
  %8 = fuse.scatter max %y, %i, %5 dimension = 1 : (tensor<4x3xf32>, tensor<2x2xi32>, tensor<4x2x2xf32>) -> tensor<4x3xf32>
  // CHECK: fuse.iota dimension = 1 : tensor<2x3xf16>
  %6 = fuse.iota dimension = 1 : tensor<2x3xf16>
  // CHECK: fuse.resize_nearest %{{.*}} : tensor<2x3xf32> -> tensor<4x9xf32>
  %7 = fuse.resize_nearest %x : tensor<2x3xf32> -> tensor<4x9xf32>
  return
}
