// Each function by fuse-run, converted, and by upstream's own lowering.
// RUN: %python %S/Inputs/compare.py %s | FileCheck %s --check-prefix=REPORT
// REPORT-NOT: {{: .*(differ|error|got|Command)}}
// REPORT: {{^[1-9][0-9]* of [0-9]+ agree}}

func.func @elementwise(%x: tensor<5x7xf32>, %y: tensor<1x7xf32>) -> tensor<5x7xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.add %x, %y : (tensor<5x7xf32>, tensor<1x7xf32>) -> tensor<5x7xf32>
  %1 = tosa.tanh %0 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = tosa.mul %1, %y, %s : (tensor<5x7xf32>, tensor<1x7xf32>, tensor<1xi8>) -> tensor<5x7xf32>
  %3 = tosa.abs %2 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %4 = tosa.rsqrt %3 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %5 = tosa.log %4 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %6 = tosa.negate %5, %zp, %zp : (tensor<5x7xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5x7xf32>
  %7 = tosa.sigmoid %6 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %8 = tosa.maximum %7, %x : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %9 = tosa.erf %8 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %10 = tosa.exp %9 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %11 = tosa.reciprocal %10 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %12 = tosa.sub %11, %x : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %13 = tosa.sin %12 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %14 = tosa.cos %13 : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %15 = tosa.pow %14, %y : (tensor<5x7xf32>, tensor<1x7xf32>) -> tensor<5x7xf32>
  %16 = tosa.minimum %15, %y : (tensor<5x7xf32>, tensor<1x7xf32>) -> tensor<5x7xf32>
  %17 = tosa.clamp %16 {min_val = -1.0 : f32, max_val = 1.5 : f32} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %17 : tensor<5x7xf32>
}

// -----

func.func @rounding(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xi32>, tensor<40xi8>) {
  %0 = tosa.floor %x : (tensor<40xf32>) -> tensor<40xf32>
  %1 = tosa.ceil %x : (tensor<40xf32>) -> tensor<40xf32>
  %2 = tosa.cast %x : (tensor<40xf32>) -> tensor<40xi32>
  %c = "tosa.const"() {values = dense<100.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %3 = tosa.mul %x, %c, %s : (tensor<40xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<40xf32>
  %4 = tosa.cast %3 : (tensor<40xf32>) -> tensor<40xi8>
  return %0, %1, %2, %4 : tensor<40xf32>, tensor<40xf32>, tensor<40xi32>, tensor<40xi8>
}

// -----

// range 2 0 31
func.func @integers(%x: tensor<60xi32>, %y: tensor<60xi32>, %n: tensor<60xi32>) -> (tensor<60xi32>, tensor<60xi32>, tensor<60xi32>, tensor<60xi32>) {
  %0 = tosa.bitwise_xor %x, %y : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %1 = tosa.bitwise_and %0, %x : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %2 = tosa.bitwise_or %1, %y : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %3 = tosa.bitwise_not %2 : (tensor<60xi32>) -> tensor<60xi32>
  %4 = tosa.logical_left_shift %x, %n : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %5 = tosa.logical_right_shift %y, %n : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %6 = tosa.arithmetic_right_shift %y, %n {round = false} : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  return %3, %4, %5, %6 : tensor<60xi32>, tensor<60xi32>, tensor<60xi32>, tensor<60xi32>
}

// -----

// range 1 1 9
func.func @division(%x: tensor<60xi32>, %y: tensor<60xi32>) -> (tensor<60xi32>, tensor<60xi32>) {
  %0 = tosa.intdiv %x, %y : (tensor<60xi32>, tensor<60xi32>) -> tensor<60xi32>
  %1 = tosa.abs %x : (tensor<60xi32>) -> tensor<60xi32>
  return %0, %1 : tensor<60xi32>, tensor<60xi32>
}

// -----

func.func @masks(%x: tensor<60xf32>, %y: tensor<60xf32>, %m: tensor<60xi1>) -> (tensor<60xf32>, tensor<60xi1>) {
  %0 = tosa.greater %x, %y : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xi1>
  %1 = tosa.greater_equal %y, %x : (tensor<60xf32>, tensor<60xf32>) -> tensor<60xi1>
  %2 = tosa.logical_and %0, %m : (tensor<60xi1>, tensor<60xi1>) -> tensor<60xi1>
  %3 = tosa.logical_xor %1, %m : (tensor<60xi1>, tensor<60xi1>) -> tensor<60xi1>
  %4 = tosa.logical_or %2, %3 : (tensor<60xi1>, tensor<60xi1>) -> tensor<60xi1>
  %5 = tosa.logical_not %4 : (tensor<60xi1>) -> tensor<60xi1>
  %6 = tosa.select %5, %x, %y : (tensor<60xi1>, tensor<60xf32>, tensor<60xf32>) -> tensor<60xf32>
  return %6, %4 : tensor<60xf32>, tensor<60xi1>
}

// -----

func.func @reductions(%x: tensor<4x6x5xf32>, %i: tensor<4x6xi32>, %m: tensor<4x6xi1>) -> (tensor<4x1x5xf32>, tensor<1x6x5xf32>, tensor<4x6x1xf32>, tensor<4x6x1xf32>, tensor<4x1xi32>, tensor<1x6xi1>, tensor<4x1xi1>, tensor<4x5xi32>) {
  %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x6x5xf32>) -> tensor<4x1x5xf32>
  %1 = tosa.reduce_max %x {axis = 0 : i32} : (tensor<4x6x5xf32>) -> tensor<1x6x5xf32>
  %2 = tosa.reduce_min %x {axis = 2 : i32} : (tensor<4x6x5xf32>) -> tensor<4x6x1xf32>
  %3 = tosa.reduce_product %x {axis = 2 : i32} : (tensor<4x6x5xf32>) -> tensor<4x6x1xf32>
  %4 = tosa.reduce_sum %i {axis = 1 : i32} : (tensor<4x6xi32>) -> tensor<4x1xi32>
  %5 = tosa.reduce_all %m {axis = 0 : i32} : (tensor<4x6xi1>) -> tensor<1x6xi1>
  %6 = tosa.reduce_any %m {axis = 1 : i32} : (tensor<4x6xi1>) -> tensor<4x1xi1>
  %7 = tosa.argmax %x {axis = 1 : i32} : (tensor<4x6x5xf32>) -> tensor<4x5xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<4x1x5xf32>, tensor<1x6x5xf32>, tensor<4x6x1xf32>, tensor<4x6x1xf32>, tensor<4x1xi32>, tensor<1x6xi1>, tensor<4x1xi1>, tensor<4x5xi32>
}

// -----

func.func @conv2d(%x: tensor<2x8x8x4xf32>, %w: tensor<6x3x2x4xf32>, %b: tensor<6xf32>) -> tensor<2x5x13x6xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, pad = array<i64: 1, 2, 3, 4>, stride = array<i64: 2, 1>, dilation = array<i64: 1, 2>} : (tensor<2x8x8x4xf32>, tensor<6x3x2x4xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x5x13x6xf32>
  return %0 : tensor<2x5x13x6xf32>
}

// -----

func.func @conv2d_i8(%x: tensor<1x6x6x4xi8>, %w: tensor<6x3x3x4xi8>, %b: tensor<6xi32>) -> tensor<1x6x6x6xi32> {
  %zp = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = i32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x6x4xi8>, tensor<6x3x3x4xi8>, tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x6x6xi32>
  return %0 : tensor<1x6x6x6xi32>
}

// -----

func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x2xf32>, %b: tensor<8xf32>) -> tensor<1x8x7x8xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, pad = array<i64: 2, 0, 0, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x7x8xf32>
  return %0 : tensor<1x8x7x8xf32>
}

// -----

func.func @transpose_conv(%x: tensor<1x4x5x2xf32>, %w: tensor<6x3x2x2xf32>, %b: tensor<6xf32>) -> tensor<1x10x6x6xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %zp, %zp {acc_type = f32, out_pad = array<i64: 1, 0, -1, 1>, stride = array<i64: 2, 1>} : (tensor<1x4x5x2xf32>, tensor<6x3x2x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x10x6x6xf32>
  return %0 : tensor<1x10x6x6xf32>
}

// -----

func.func @matmul(%a: tensor<2x9x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x9x5xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %zp, %zp : (tensor<2x9x4xf32>, tensor<2x4x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x9x5xf32>
  return %0 : tensor<2x9x5xf32>
}

// -----

func.func @matmul_i8(%a: tensor<2x9x4xi8>, %b: tensor<2x4x5xi8>) -> tensor<2x9x5xi32> {
  %zp = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %zp, %zp : (tensor<2x9x4xi8>, tensor<2x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x9x5xi32>
  return %0 : tensor<2x9x5xi32>
}

// -----

func.func @pools(%x: tensor<1x8x8x4xf32>) -> (tensor<1x4x8x4xf32>, tensor<1x4x4x4xf32>) {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 2>, pad = array<i64: 1, 0, 0, 1>, stride = array<i64: 2, 1>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x8x4xf32>
  %1 = tosa.avg_pool2d %x, %zp, %zp {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 0, 1>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x8x4xf32>, tensor<1x4x4x4xf32>
}

// -----

// range 1 0 4
func.func @moves(%x: tensor<2x3x4xf32>, %i: tensor<2x7xi32>, %v: tensor<2x5x4xf32>, %b: tensor<9xi8>, %t: tensor<256xi8>) -> (tensor<10x3x8xf32>, tensor<4x2x2xf32>, tensor<3x8x5xf32>, tensor<2x7x4xf32>, tensor<9xi8>) {
  %multiples = tosa.const_shape {values = dense<[5, 1, 2]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.tile %x, %multiples : (tensor<2x3x4xf32>, !tosa.shape<3>) -> tensor<10x3x8xf32>
  %start = tosa.const_shape {values = dense<[0, 1, 0]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %size = tosa.const_shape {values = dense<[2, 2, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %1 = tosa.slice %x, %start, %size : (tensor<2x3x4xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<2x2x4xf32>
  %2 = tosa.transpose %1 {perms = array<i32: 2, 0, 1>} : (tensor<2x2x4xf32>) -> tensor<4x2x2xf32>
  %padding = tosa.const_shape {values = dense<[1, 0, 2, 3, 0, 1]> : tensor<6xindex>} : () -> !tosa.shape<6>
  %value = "tosa.const"() {values = dense<1.5> : tensor<1xf32>} : () -> tensor<1xf32>
  %3 = tosa.pad %x, %padding, %value : (tensor<2x3x4xf32>, !tosa.shape<6>, tensor<1xf32>) -> tensor<3x8x5xf32>
  %4 = tosa.gather %v, %i : (tensor<2x5x4xf32>, tensor<2x7xi32>) -> tensor<2x7x4xf32>
  %5 = tosa.table %b, %t : (tensor<9xi8>, tensor<256xi8>) -> tensor<9xi8>
  return %0, %2, %3, %4, %5 : tensor<10x3x8xf32>, tensor<4x2x2xf32>, tensor<3x8x5xf32>, tensor<2x7x4xf32>, tensor<9xi8>
}

// -----

func.func @joined(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<14xf32> {
  %0 = tosa.concat %x, %y {axis = 1 : i32} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  %shape = tosa.const_shape {values = dense<[14]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %1 = tosa.reshape %0, %shape : (tensor<2x7xf32>, !tosa.shape<1>) -> tensor<14xf32>
  return %1 : tensor<14xf32>
}

// -----

func.func @rescale(%x: tensor<20x2xi32>) -> tensor<20x2xi8> {
  %m = "tosa.const"() {values = dense<[1073741824, 1288490189]> : tensor<2xi32>} : () -> tensor<2xi32>
  %s = "tosa.const"() {values = dense<[31, 30]> : tensor<2xi8>} : () -> tensor<2xi8>
  %izp = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %ozp = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %izp, %ozp {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<20x2xi32>, tensor<2xi32>, tensor<2xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<20x2xi8>
  return %0 : tensor<20x2xi8>
}

// -----

// What is left goes upstream's way, between kernels.
func.func @mixed(%x: tensor<5x7xf32>) -> tensor<5x1xf32> {
  %0 = tosa.exp %x : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = tosa.reverse %0 {axis = 1 : i32} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = tosa.add %0, %1 : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<5x7xf32>) -> tensor<5x1xf32>
  return %3 : tensor<5x1xf32>
}

// -----

func.func @left_clz(%x: tensor<9xi32>) -> tensor<9xi32> {
  %0 = tosa.clz %x : (tensor<9xi32>) -> tensor<9xi32>
  return %0 : tensor<9xi32>
}

// -----

func.func @conv2d_zero_points(%x: tensor<1x6x6x4xi8>, %w: tensor<6x3x3x4xi8>, %b: tensor<6xi32>) -> tensor<1x6x6x6xi32> {
  %xz = "tosa.const"() {values = dense<-7> : tensor<1xi8>} : () -> tensor<1xi8>
  %wz = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %xz, %wz {acc_type = i32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x6x6x4xi8>, tensor<6x3x3x4xi8>, tensor<6xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x6x6x6xi32>
  return %0 : tensor<1x6x6x6xi32>
}

// -----

func.func @depthwise_zero_points(%x: tensor<1x8x8x4xi8>, %w: tensor<3x3x4x2xi8>, %b: tensor<8xi32>) -> tensor<1x8x7x8xi32> {
  %xz = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %wz = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.depthwise_conv2d %x, %w, %b, %xz, %wz {acc_type = i32, pad = array<i64: 2, 0, 0, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x8x8x4xi8>, tensor<3x3x4x2xi8>, tensor<8xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x7x8xi32>
  return %0 : tensor<1x8x7x8xi32>
}

// -----

func.func @matmul_zero_points(%a: tensor<2x9x4xi8>, %b: tensor<2x4x5xi8>) -> tensor<2x9x5xi32> {
  %az = "tosa.const"() {values = dense<-128> : tensor<1xi8>} : () -> tensor<1xi8>
  %bz = "tosa.const"() {values = dense<11> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %az, %bz : (tensor<2x9x4xi8>, tensor<2x4x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x9x5xi32>
  return %0 : tensor<2x9x5xi32>
}
