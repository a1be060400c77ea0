// Case 17: a cast is never left out because another one follows.
// RUN: fuse-opt %s --canonicalize --cse --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// f32 -> bf16 -> f32 rounds to eight bits.
// CHECK-LABEL: @round_trip
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 exact
// with %x = 1 + np.arange(1024) / 1024
// gives result0 = np.round((1 + np.arange(1024) / 1024) * 128) / 128 - (1 + np.arange(1024) / 1024)
func.func @round_trip(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %a = fuse.cast %x : (tensor<1024xf32>) -> tensor<1024xbf16>
  %b = fuse.cast %a : (tensor<1024xbf16>) -> tensor<1024xf32>
  %c = fuse.binary sub %b, %x : tensor<1024xf32>
  return %c : tensor<1024xf32>
}

// What is compared is what was rounded.
// CHECK-LABEL: @compared
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1 exact
// with %x = 1 + np.arange(1024) / 16384
// gives result0 = (1 + np.arange(1024) / 16384).astype(np.float16) == np.float16(1)
// gives result1 = (1 + np.arange(1024) / 16384) == 1
func.func @compared(%x: tensor<1024xf32>) -> (tensor<1024xi1>, tensor<1024xi1>) {
  %one = arith.constant dense<1.0> : tensor<f32>
  %a = fuse.cast %x : (tensor<1024xf32>) -> tensor<1024xf16>
  %b = fuse.cast %a : (tensor<1024xf16>) -> tensor<1024xf32>
  %c = fuse.compare eq %b, %one : (tensor<1024xf32>, tensor<f32>) -> tensor<1024xi1>
  %d = fuse.compare eq %x, %one : (tensor<1024xf32>, tensor<f32>) -> tensor<1024xi1>
  return %c, %d : tensor<1024xi1>, tensor<1024xi1>
}

// Narrowing overflows: f32 -> f16 to infinity, i32 -> i8 wraps, and widening does not undo it.
// CHECK-LABEL: @narrowing
// CHECK-NEXT: Fusion: 5 → 2 kernels
// expect kernels=2 exact
// with %x = np.resize([65504, 65519, 65520, -1e6, 1e-8, 6e-8], 66)
// with %i = np.resize([127, 128, 255, 256, -129, 70000], 66)
// gives result0 = np.resize([65504, 65504, np.inf, -np.inf, 0, 2.0 ** -24], 66)
// gives result1 = np.resize([127, -128, -1, 0, 127, 112], 66)
// gives result2 = np.resize([True, True, True, True, True, True], 66)
func.func @narrowing(%x: tensor<66xf32>, %i: tensor<66xi32>) -> (tensor<66xf32>, tensor<66xi32>, tensor<66xi1>) {
  %a = fuse.cast %x : (tensor<66xf32>) -> tensor<66xf16>
  %b = fuse.cast %a : (tensor<66xf16>) -> tensor<66xf32>
  %c = fuse.cast %i : (tensor<66xi32>) -> tensor<66xi8>
  %d = fuse.cast %c : (tensor<66xi8>) -> tensor<66xi32>
  %e = fuse.cast %x : (tensor<66xf32>) -> tensor<66xi1>
  %f = fuse.binary and %e, %e : tensor<66xi1>
  return %b, %d, %f : tensor<66xf32>, tensor<66xi32>, tensor<66xi1>
}

// bf16 rounds after each op, also where the next one is in the same kernel: 256 + 1 is 256.
// CHECK-LABEL: @each_op
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 exact
// with %x = np.full(shape, 256.0)
// gives result0 = 256
func.func @each_op(%x: tensor<512xbf16>) -> tensor<512xbf16> {
  %one = arith.constant dense<1.0> : tensor<bf16>
  %a = fuse.binary add %x, %one : (tensor<512xbf16>, tensor<bf16>) -> tensor<512xbf16>
  %b = fuse.binary add %a, %one : (tensor<512xbf16>, tensor<bf16>) -> tensor<512xbf16>
  %c = fuse.binary add %b, %one : (tensor<512xbf16>, tensor<bf16>) -> tensor<512xbf16>
  return %c : tensor<512xbf16>
}

// f64 through f32, before and behind a sum, and into a mask.
// CHECK-LABEL: @double
// CHECK-NEXT: Fusion: 5 → 1 kernels
// expect kernels=1 exact
// with %x = np.full(shape, 1 + 2.0 ** -30)
// gives result0 = 0
// gives result1 = 30 * (1 + 2.0 ** -30)
func.func @double(%x: tensor<20x30xf64>) -> (tensor<20xf64>, tensor<20xf64>) {
  %one = arith.constant dense<-30.0> : tensor<f64>
  %a = fuse.cast %x : (tensor<20x30xf64>) -> tensor<20x30xf32>
  %b = fuse.cast %a : (tensor<20x30xf32>) -> tensor<20x30xf64>
  %s = fuse.reduce sum %b dimensions = [1] : tensor<20x30xf64> -> tensor<20xf64>
  %t = fuse.reduce sum %x dimensions = [1] : tensor<20x30xf64> -> tensor<20xf64>
  %r = fuse.binary add %s, %one : (tensor<20xf64>, tensor<f64>) -> tensor<20xf64>
  return %r, %t : tensor<20xf64>, tensor<20xf64>
}
