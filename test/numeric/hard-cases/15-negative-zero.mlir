// Case 15: -0.0. Nothing that looks like a no-op may be dropped unless it is one for every value.
// RUN: fuse-opt %s --canonicalize --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// x + 0.0 turns -0.0 into 0.0; x - 0.0 is x.
// CHECK-LABEL: @add_zero
// CHECK-NEXT: Fusion: 2 → 1 kernels
// expect kernels=1 exact
// with %x = odd
// gives result0 = -(x + np.float32(0))
func.func @add_zero(%x: tensor<1003xf32>) -> tensor<1003xf32> {
  %z = arith.constant dense<0.0> : tensor<1003xf32>
  %a = fuse.binary add %x, %z : tensor<1003xf32>
  %n = fuse.unary neg %a : tensor<1003xf32>
  return %n : tensor<1003xf32>
}

// CHECK-LABEL: @subtract
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 2 {{[0-9. -]+}} sub, neg{{$}}
// expect kernels=1 exact
// with %x = odd
// gives result0 = x - np.float32(0)
// gives result1 = np.float32(0) - x
// gives result2 = -x
func.func @subtract(%x: tensor<1003xf32>) -> (tensor<1003xf32>, tensor<1003xf32>, tensor<1003xf32>) {
  %z = arith.constant dense<0.0> : tensor<f32>
  %a = fuse.binary sub %x, %z : (tensor<1003xf32>, tensor<f32>) -> tensor<1003xf32>
  %b = fuse.binary sub %z, %x : (tensor<f32>, tensor<1003xf32>) -> tensor<1003xf32>
  %c = fuse.unary neg %x : tensor<1003xf32>
  return %a, %b, %c : tensor<1003xf32>, tensor<1003xf32>, tensor<1003xf32>
}

// x * 0 is -0.0 or NaN at times; x - x is NaN at times.
// CHECK-LABEL: @times_zero
// CHECK-NEXT: Fusion: 3 → 1 kernels
// expect kernels=1 exact
// with %x = odd
// gives result0 = x * np.float32(0)
// gives result1 = (x - x) * np.float32(-1)
func.func @times_zero(%x: tensor<1003xf32>) -> (tensor<1003xf32>, tensor<1003xf32>) {
  %z = arith.constant dense<0.0> : tensor<f32>
  %m = arith.constant dense<-1.0> : tensor<f32>
  %a = fuse.binary mul %x, %z : (tensor<1003xf32>, tensor<f32>) -> tensor<1003xf32>
  %s = fuse.binary sub %x, %x : tensor<1003xf32>
  %b = fuse.binary mul %s, %m : (tensor<1003xf32>, tensor<f32>) -> tensor<1003xf32>
  return %a, %b : tensor<1003xf32>, tensor<1003xf32>
}

// relu(-0.0) is +0.0; 0.0 is greater than -0.0, whichever comes first.
// CHECK-LABEL: @order
// expect kernels=1 exact
// with %x = np.where(np.arange(1003) % 2, 0.0, -0.0)
// with %y = np.where(np.arange(1003) % 3, 0.0, -0.0)
// gives result0 = 0.0
// gives result1 = np.where((np.arange(1003) % 2 == 0) & (np.arange(1003) % 3 == 0), np.float32(-0.0), np.float32(0.0))
// gives result2 = np.where((np.arange(1003) % 2 == 1) & (np.arange(1003) % 3 > 0), np.float32(0.0), np.float32(-0.0))
func.func @order(%x: tensor<1003xf32>, %y: tensor<1003xf32>) -> (tensor<1003xf32>, tensor<1003xf32>, tensor<1003xf32>) {
  %r = fuse.unary relu %x : tensor<1003xf32>
  %a = fuse.binary max %x, %y : tensor<1003xf32>
  %b = fuse.binary min %x, %y : tensor<1003xf32>
  return %r, %a, %b : tensor<1003xf32>, tensor<1003xf32>, tensor<1003xf32>
}

// A sum starts from 0.0, so a row of -0.0 adds up to 0.0; the sign survives a round trip and a view.
// CHECK-LABEL: @sums
// expect kernels=1 exact
// with %x = np.full(shape, -0.0)
// gives result0 = 0.0
// gives result1 = -0.0
// gives result2 = -0.0
func.func @sums(%x: tensor<7x30xf32>) -> (tensor<7xf32>, tensor<7x30xbf16>, tensor<7xf32>) {
  %s = fuse.reduce sum %x dimensions = [1] : tensor<7x30xf32> -> tensor<7xf32>
  %b = fuse.cast %x : (tensor<7x30xf32>) -> tensor<7x30xbf16>
  %m = fuse.reduce max %x dimensions = [1] : tensor<7x30xf32> -> tensor<7xf32>
  return %s, %b, %m : tensor<7xf32>, tensor<7x30xbf16>, tensor<7xf32>
}
