// Quantized forms of TOSA by fuse-run, converted, and by upstream's own lowering.
// RUN: %python %S/Inputs/compare.py %s | FileCheck %s --check-prefix=REPORT
// REPORT-NOT: {{: .*(differ|error|got|Command)}}
// REPORT: {{^[1-9][0-9]* of [0-9]+ agree}}

// range 0 -128 127
func.func @average(%x: tensor<1x7x8x5xi8>) -> tensor<1x4x4x5xi8> {
  %a = "tosa.const"() {values = dense<-3> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<7> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.avg_pool2d %x, %a, %b {acc_type = i32, kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 0>} : (tensor<1x7x8x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x5xi8>
  return %0 : tensor<1x4x4x5xi8>
}

// -----

// range 0 -128 127
func.func @average_of_all(%x: tensor<2x7x5x3xi8>) -> tensor<2x1x1x3xi8> {
  %a = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<-128> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.avg_pool2d %x, %a, %b {acc_type = i32, kernel = array<i64: 7, 5>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<2x7x5x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x1x1x3xi8>
  return %0 : tensor<2x1x1x3xi8>
}

// -----

// range 0 -128 127
func.func @negate(%x: tensor<256xi8>) -> tensor<256xi8> {
  %a = "tosa.const"() {values = dense<5> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<-100> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.negate %x, %a, %b : (tensor<256xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<256xi8>
  return %0 : tensor<256xi8>
}

// -----

// range 0 -300 300
func.func @rescale_twice(%x: tensor<37x3xi32>) -> tensor<37x3xi8> {
  %m = "tosa.const"() {values = dense<[1073741824, 1342177280, 2147483647]> : tensor<3xi32>} : () -> tensor<3xi32>
  %s = "tosa.const"() {values = dense<[30, 38, 33]> : tensor<3xi8>} : () -> tensor<3xi8>
  %a = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %b = "tosa.const"() {values = dense<-7> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %a, %b {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<37x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<37x3xi8>
  return %0 : tensor<37x3xi8>
}

// -----

// range 0 -128 127
func.func @rescale_unsigned(%x: tensor<37x3xi8>) -> tensor<37x3xi8> {
  %m = "tosa.const"() {values = dense<[1518500250]> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<[31]> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = "tosa.const"() {values = dense<-128> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.rescale %x, %m, %s, %a, %b {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = true, output_unsigned = true} : (tensor<37x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<37x3xi8>
  return %0 : tensor<37x3xi8>
}

// -----

// range 0 -128 127
func.func @rescale_from_bytes(%x: tensor<37x3xi8>) -> tensor<37x3xi32> {
  %m = "tosa.const"() {values = dense<[1518500250]> : tensor<1xi32>} : () -> tensor<1xi32>
  %s = "tosa.const"() {values = dense<[20]> : tensor<1xi8>} : () -> tensor<1xi8>
  %a = "tosa.const"() {values = dense<13> : tensor<1xi8>} : () -> tensor<1xi8>
  %b = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %0 = tosa.rescale %x, %m, %s, %a, %b {scale32 = true, rounding_mode = SINGLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<37x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<37x3xi32>
  return %0 : tensor<37x3xi32>
}
