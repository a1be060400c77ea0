// Case 16: integers wrap, fused as unfused, and never trap.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// i8 stays i8 between the ops: it wraps at each.
// CHECK-LABEL: @i8_chain
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1 exact
// with %x = np.arange(1024) % 256 - 128
// with %y = np.arange(1024) * 7 % 256 - 128
// gives result0 = np.maximum(-((x + y) * x), np.int8(0))
func.func @i8_chain(%x: tensor<1024xi8>, %y: tensor<1024xi8>) -> tensor<1024xi8> {
  %a = fuse.binary add %x, %y : tensor<1024xi8>
  %b = fuse.binary mul %a, %x : tensor<1024xi8>
  %c = fuse.unary neg %b : tensor<1024xi8>
  %d = fuse.unary relu %c : tensor<1024xi8>
  return %d : tensor<1024xi8>
}

// ui8: 250 is greater than 5, 250 / 5 is 50, and 5 - 250 is 11.
// CHECK-LABEL: @ui8_chain
// CHECK-NEXT: Fusion: 7 → 1 kernels
// expect kernels=1 exact
// with %x = np.arange(1024) % 256
// with %y = np.arange(1024) * 7 % 255 + 1
// gives result0 = np.maximum(x - y, x // y)
// gives result1 = (x < y) ^ ((x + y) > x)
func.func @ui8_chain(%x: tensor<1024xui8>, %y: tensor<1024xui8>) -> (tensor<1024xui8>, tensor<1024xi1>) {
  %a = fuse.binary sub %x, %y : tensor<1024xui8>
  %b = fuse.binary div %x, %y : tensor<1024xui8>
  %c = fuse.binary max %a, %b : tensor<1024xui8>
  %l = fuse.compare lt %x, %y : (tensor<1024xui8>, tensor<1024xui8>) -> tensor<1024xi1>
  %s = fuse.binary add %x, %y : tensor<1024xui8>
  %g = fuse.compare gt %s, %x : (tensor<1024xui8>, tensor<1024xui8>) -> tensor<1024xi1>
  %o = fuse.binary xor %l, %g : tensor<1024xi1>
  return %c, %o : tensor<1024xui8>, tensor<1024xi1>
}

// The limits of i32: MIN / -1 = MIN, MIN rem -1 = 0, x / 0 = -1, x rem 0 = x; -MIN = MIN.
// CHECK-LABEL: @limits
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1 exact
// with %x = np.resize([-2147483648, 2147483647, 5, -7, 0, -2147483648], 66)
// with %y = np.resize([-1, 2, 0, 3, 0, 0], 66)
// gives result0 = np.resize([-2147483648, 1073741823, -1, -2, -1, -1], 66)
// gives result1 = np.resize([0, 1, 5, -1, 0, -2147483648], 66)
// gives result2 = np.resize([-2147483648, -2147483647, -5, 7, 0, -2147483648], 66)
// gives result3 = np.resize([-2147483648, 2147483647, 5, 7, 0, -2147483648], 66)
// gives result4 = np.resize([0, -2, 10, -14, 0, 0], 66)
func.func @limits(%x: tensor<66xi32>, %y: tensor<66xi32>) -> (tensor<66xi32>, tensor<66xi32>, tensor<66xi32>, tensor<66xi32>, tensor<66xi32>) {
  %0 = fuse.binary div %x, %y : tensor<66xi32>
  %1 = fuse.binary rem %x, %y : tensor<66xi32>
  %2 = fuse.unary neg %x : tensor<66xi32>
  %3 = fuse.unary abs %x : tensor<66xi32>
  %4 = fuse.binary add %x, %x : tensor<66xi32>
  return %0, %1, %2, %3, %4 : tensor<66xi32>, tensor<66xi32>, tensor<66xi32>, tensor<66xi32>, tensor<66xi32>
}

// Float to integer truncates toward zero and saturates, NaN gives 0; what follows sees that.
// CHECK-LABEL: @from_float
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1 exact
// with %x = np.resize([np.nan, np.inf, -np.inf, 3e9, -3e9, 2.9, -2.9, 300.5, -0.5, 255.9, -129.5], 77)
// gives result0 = np.resize([1, -2147483648, -2147483647, -2147483648, -2147483647, 3, -1, 301, 1, 256, -128], 77)
// gives result1 = np.resize([0, 127, -128, 127, -128, 2, -2, 127, 0, 127, -128], 77)
// gives result2 = np.resize([0, 255, 0, 255, 0, 2, 0, 255, 0, 255, 0], 77)
// gives result3 = np.resize([0, -1, 0, -1, 0, 2, -2, 44, 0, -1, 127], 77)
func.func @from_float(%x: tensor<77xf32>) -> (tensor<77xi32>, tensor<77xi8>, tensor<77xui8>, tensor<77xi8>) {
  %one = arith.constant dense<1> : tensor<i32>
  %i = fuse.cast %x : (tensor<77xf32>) -> tensor<77xi32>
  %a = fuse.binary add %i, %one : (tensor<77xi32>, tensor<i32>) -> tensor<77xi32>
  %b = fuse.cast %x : (tensor<77xf32>) -> tensor<77xi8>
  %c = fuse.cast %x : (tensor<77xf32>) -> tensor<77xui8>
  %d = fuse.cast %i : (tensor<77xi32>) -> tensor<77xi8>
  return %a, %b, %c, %d : tensor<77xi32>, tensor<77xi8>, tensor<77xui8>, tensor<77xi8>
}

// i8 products and sums accumulate in i32; a sum of i8 has the type i8, and wraps.
// CHECK-LABEL: @accumulators
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1 exact
// with %x = np.full(shape, -128)
// with %w = np.full(shape, -128)
// gives result0 = 128 * 128 * 500 - 1
// gives result1 = np.int64(-128 * 500).astype(np.int8)
// gives result2 = -128 * 500
func.func @accumulators(%x: tensor<20x500xi8>, %w: tensor<500x24xi8>) -> (tensor<20x24xi32>, tensor<20xi8>, tensor<20xi32>) {
  %one = arith.constant dense<1> : tensor<i32>
  %p = fuse.matmul %x, %w : (tensor<20x500xi8>, tensor<500x24xi8>) -> tensor<20x24xi32>
  %q = fuse.binary sub %p, %one : (tensor<20x24xi32>, tensor<i32>) -> tensor<20x24xi32>
  %s = fuse.reduce sum %x dimensions = [1] : tensor<20x500xi8> -> tensor<20xi8>
  %c = fuse.cast %x : (tensor<20x500xi8>) -> tensor<20x500xi32>
  %t = fuse.reduce sum %c dimensions = [1] : tensor<20x500xi32> -> tensor<20xi32>
  return %q, %s, %t : tensor<20x24xi32>, tensor<20xi8>, tensor<20xi32>
}

// Powers wrap; a negative exponent gives 0 but for bases 1 and -1.
// CHECK-LABEL: @powers
// expect kernels=1 exact
// with %x = np.resize([3, -3, 1, -1, 0, 2, 2, -1], 64)
// with %y = np.resize([21, 3, -5, -5, 0, -1, 32, -4], 64)
// gives result0 = np.resize([10460353203 % 2 ** 32 - 2 ** 32 * (10460353203 % 2 ** 32 >= 2 ** 31), -27, 1, -1, 1, 0, 0, 1], 64)
func.func @powers(%x: tensor<64xi32>, %y: tensor<64xi32>) -> tensor<64xi32> {
  %0 = fuse.binary pow %x, %y : tensor<64xi32>
  %1 = fuse.unary neg %0 : tensor<64xi32>
  %2 = fuse.unary neg %1 : tensor<64xi32>
  return %2 : tensor<64xi32>
}
