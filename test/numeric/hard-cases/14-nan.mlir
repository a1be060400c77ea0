// Case 14: NaN goes through max, min, relu, clamp and reductions, fused as unfused, in whole vectors
// as in their tails.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// CHECK-LABEL: @chain
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1 blocks>=16 exact
// with %x = odd
// with %y = odd[::-1, ::-1]
// gives result0 = np.minimum(np.maximum(np.minimum(np.maximum(x, y), x + 0), 0) + np.float32(0), np.float32(3))
func.func @chain(%x: tensor<203x307xf32>, %y: tensor<203x307xf32>) -> tensor<203x307xf32> {
  %l = arith.constant dense<-2.0> : tensor<f32>
  %h = arith.constant dense<3.0> : tensor<f32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %a = fuse.binary max %x, %y : tensor<203x307xf32>
  %s = fuse.binary add %x, %z : (tensor<203x307xf32>, tensor<f32>) -> tensor<203x307xf32>
  %b = fuse.binary min %a, %s : tensor<203x307xf32>
  %c = fuse.unary relu %b : tensor<203x307xf32>
  %d = fuse.clamp %c, %l, %h : (tensor<203x307xf32>, tensor<f32>, tensor<f32>) -> tensor<203x307xf32>
  return %d : tensor<203x307xf32>
}

// One NaN anywhere in a row is the row's greatest and least; the first one is its index.
// CHECK-LABEL: @rows
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1 blocks>=16 exact
// with %x = np.where((np.arange(203 * 307) % 331 == 0).reshape(shape), np.nan, np.sin(np.arange(203 * 307).reshape(shape)))
// gives result0 = np.max(-x, 1)
// gives result1 = np.min(-x, 1)
// gives result2 = np.argmax(-x, 1)
func.func @rows(%x: tensor<203x307xf32>) -> (tensor<203xf32>, tensor<203xf32>, tensor<203xi64>, tensor<203xi64>) {
  %n = fuse.unary neg %x : tensor<203x307xf32>
  %a = fuse.reduce max %n dimensions = [1] : tensor<203x307xf32> -> tensor<203xf32>
  %b = fuse.reduce min %n dimensions = [1] : tensor<203x307xf32> -> tensor<203xf32>
  %c = fuse.argmax %n dimension = 1 : tensor<203x307xf32> -> tensor<203xi64>
  %d = fuse.argmin %n dimension = 1 : tensor<203x307xf32> -> tensor<203xi64>
  return %a, %b, %c, %d : tensor<203xf32>, tensor<203xf32>, tensor<203xi64>, tensor<203xi64>
}

// Columns, and f16 and bf16.
// CHECK-LABEL: @columns
// expect kernels=1 exact
// with %x = np.where((np.arange(203 * 307) % 331 == 0).reshape(shape), np.nan, -1 - np.arange(203 * 307).reshape(shape) % 256)
// gives result0 = np.max(np.maximum(x, -200), 0)
func.func @columns(%x: tensor<203x307xbf16>) -> tensor<307xbf16> {
  %c = arith.constant dense<-200.0> : tensor<bf16>
  %a = fuse.binary max %x, %c : (tensor<203x307xbf16>, tensor<bf16>) -> tensor<203x307xbf16>
  %b = fuse.reduce max %a dimensions = [0] : tensor<203x307xbf16> -> tensor<307xbf16>
  return %b : tensor<307xbf16>
}

// A comparison with NaN is false but for ne, and what is selected then.
// CHECK-LABEL: @compared
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1 exact
// with %x = odd
// with %y = odd[::-1]
// gives result0 = np.where((x >= y) | (x != y), x, y)
func.func @compared(%x: tensor<1003xf16>, %y: tensor<1003xf16>) -> tensor<1003xf16> {
  %g = fuse.compare ge %x, %y : (tensor<1003xf16>, tensor<1003xf16>) -> tensor<1003xi1>
  %n = fuse.compare ne %x, %y : (tensor<1003xf16>, tensor<1003xf16>) -> tensor<1003xi1>
  %o = fuse.binary or %g, %n : tensor<1003xi1>
  %s = fuse.select %o, %x, %y : (tensor<1003xi1>, tensor<1003xf16>, tensor<1003xf16>) -> tensor<1003xf16>
  return %s : tensor<1003xf16>
}

// A NaN before a softmax makes its own row NaN, and no other.
// CHECK-LABEL: @softmax
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 blocks>=16
// with %x = np.where((np.arange(203 * 307) == 307 * 50 + 299).reshape(shape), np.nan, 0)
// gives result0 = np.where(np.arange(203).reshape(203, 1) == 50, np.nan, np.float32(1) / np.float32(307))
func.func @softmax(%x: tensor<203x307xf32>) -> tensor<203x307xf32> {
  %n = fuse.unary neg %x : tensor<203x307xf32>
  %r = fuse.unary relu %n : tensor<203x307xf32>
  %s = fuse.softmax %r dimension = 1 : tensor<203x307xf32>
  return %s : tensor<203x307xf32>
}
