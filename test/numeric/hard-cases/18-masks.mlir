// Case 18: masks. A block of keys that is masked out entirely must leave no trace, and a row without
// any key is NaN where the mask is -inf, and an average where it is a large number.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// The first 3/4 of the keys are masked out for every row, more than any block of keys has. So few rows
// are faster as two kernels: one is asked for.
// CHECK-LABEL: @first_keys
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 rtol=1e-4
// with %q = np.sin(np.arange(2 * 24 * 16)).reshape(shape)
// with %m = np.where(np.arange(1024) < 768, -np.inf, 0)
// with %v = np.where(np.arange(1024).reshape(1024, 1) < 768, 1000, 1)
func.func @first_keys(%q: tensor<1x2x24x16xf32>, %k: tensor<1x2x1024x16xf32>, %v: tensor<1x2x1024x16xf32>, %m: tensor<24x1024xf32>) -> tensor<1x2x24x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs {fuse.together = "attention"} : (tensor<1x2x24x16xf32>, tensor<1x2x1024x16xf32>) -> tensor<1x2x24x1024xf32>
  %x = fuse.binary add %s, %m {fuse.together = "attention"} : (tensor<1x2x24x1024xf32>, tensor<24x1024xf32>) -> tensor<1x2x24x1024xf32>
  %h = fuse.reduce max %x dimensions = [3] keep_dims {fuse.together = "attention"} : tensor<1x2x24x1024xf32> -> tensor<1x2x24x1xf32>
  %d = fuse.binary sub %x, %h {fuse.together = "attention"} : (tensor<1x2x24x1024xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x1024xf32>
  %e = fuse.unary exp %d {fuse.together = "attention"} : tensor<1x2x24x1024xf32>
  %z = fuse.reduce sum %e dimensions = [3] keep_dims {fuse.together = "attention"} : tensor<1x2x24x1024xf32> -> tensor<1x2x24x1xf32>
  %p = fuse.binary div %e, %z {fuse.together = "attention"} : (tensor<1x2x24x1024xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x1024xf32>
  %o = fuse.matmul %p, %v {fuse.together = "attention"} : (tensor<1x2x24x1024xf32>, tensor<1x2x1024x16xf32>) -> tensor<1x2x24x16xf32>
  return %o : tensor<1x2x24x16xf32>
}

// So many keys that no row of scores stays whole near the core: no kernel may hold
// one. Sums of 100000 terms are within 100000 epsilon.
// CHECK-LABEL: @long_rows
// expect kernels<=4 reassociates rtol=6e-3
// with %m = np.where(np.arange(300000) < 200000, -np.inf, 0)
// with %v = np.where(np.arange(300000).reshape(300000, 1) < 200000, 1000, 1)
func.func @long_rows(%q: tensor<1x1x16x16xf32>, %k: tensor<1x1x300000x16xf32>, %v: tensor<1x1x300000x16xf32>, %m: tensor<300000xf32>) -> tensor<1x1x16x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<1x1x16x16xf32>, tensor<1x1x300000x16xf32>) -> tensor<1x1x16x300000xf32>
  %x = fuse.binary add %s, %m : (tensor<1x1x16x300000xf32>, tensor<300000xf32>) -> tensor<1x1x16x300000xf32>
  %h = fuse.reduce max %x dimensions = [3] keep_dims : tensor<1x1x16x300000xf32> -> tensor<1x1x16x1xf32>
  %d = fuse.binary sub %x, %h : (tensor<1x1x16x300000xf32>, tensor<1x1x16x1xf32>) -> tensor<1x1x16x300000xf32>
  %e = fuse.unary exp %d : tensor<1x1x16x300000xf32>
  %z = fuse.reduce sum %e dimensions = [3] keep_dims : tensor<1x1x16x300000xf32> -> tensor<1x1x16x1xf32>
  %p = fuse.binary div %e, %z : (tensor<1x1x16x300000xf32>, tensor<1x1x16x1xf32>) -> tensor<1x1x16x300000xf32>
  %o = fuse.matmul %p, %v : (tensor<1x1x16x300000xf32>, tensor<1x1x300000x16xf32>) -> tensor<1x1x16x16xf32>
  return %o : tensor<1x1x16x16xf32>
}

// The third row has no key at all: NaN there, by the definition of softmax, and nowhere else.
// CHECK-LABEL: @no_key
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1
// with %q = 0
// with %m = np.where(np.arange(24).reshape(24, 1) == 2, -np.inf, 0)
// with %v = 1.0
// gives result0 = np.where(np.arange(24).reshape(24, 1) == 2, np.nan, 1.0)
func.func @no_key(%q: tensor<1x2x24x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>, %m: tensor<24x64xf32>) -> tensor<1x2x24x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<1x2x24x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x24x64xf32>
  %x = fuse.binary add %s, %m : (tensor<1x2x24x64xf32>, tensor<24x64xf32>) -> tensor<1x2x24x64xf32>
  %h = fuse.reduce max %x dimensions = [3] keep_dims : tensor<1x2x24x64xf32> -> tensor<1x2x24x1xf32>
  %d = fuse.binary sub %x, %h : (tensor<1x2x24x64xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x64xf32>
  %e = fuse.unary exp %d : tensor<1x2x24x64xf32>
  %z = fuse.reduce sum %e dimensions = [3] keep_dims : tensor<1x2x24x64xf32> -> tensor<1x2x24x1xf32>
  %p = fuse.binary div %e, %z : (tensor<1x2x24x64xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x64xf32>
  %o = fuse.matmul %p, %v : (tensor<1x2x24x64xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x24x16xf32>
  return %o : tensor<1x2x24x16xf32>
}

// Masked by a large number: the row is an average.
// CHECK-LABEL: @no_key_finite
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1
// with %q = 0
// with %m = np.arange(24).reshape(24, 1) != 2
// with %v = np.arange(64).reshape(64, 1)
// gives result0 = 31.5
func.func @no_key_finite(%q: tensor<1x2x24x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>, %m: tensor<24x64xi1>) -> tensor<1x2x24x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<1x2x24x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x24x64xf32>
  %n = arith.constant dense<-1.0e9> : tensor<f32>
  %x = fuse.select %m, %s, %n : (tensor<24x64xi1>, tensor<1x2x24x64xf32>, tensor<f32>) -> tensor<1x2x24x64xf32>
  %h = fuse.reduce max %x dimensions = [3] keep_dims : tensor<1x2x24x64xf32> -> tensor<1x2x24x1xf32>
  %d = fuse.binary sub %x, %h : (tensor<1x2x24x64xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x64xf32>
  %e = fuse.unary exp %d : tensor<1x2x24x64xf32>
  %z = fuse.reduce sum %e dimensions = [3] keep_dims : tensor<1x2x24x64xf32> -> tensor<1x2x24x1xf32>
  %p = fuse.binary div %e, %z : (tensor<1x2x24x64xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x64xf32>
  %o = fuse.matmul %p, %v : (tensor<1x2x24x64xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x24x16xf32>
  return %o : tensor<1x2x24x16xf32>
}

// Scores plus the lowest number overflow to -inf where the score is large and negative, and not in other rows; the row is NaN or not as it is in the unfused program.
// CHECK-LABEL: @lowest
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1
// with %q = np.where(np.arange(24).reshape(24, 1) % 2, -1e18, 1.0)
// with %k = 1e18
// with %m = np.where(np.arange(64) < 32, np.finfo(np.float32).min, 0)
func.func @lowest(%q: tensor<1x2x24x16xf32>, %k: tensor<1x2x64x16xf32>, %v: tensor<1x2x64x16xf32>, %m: tensor<24x64xf32>) -> tensor<1x2x24x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<1x2x24x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x24x64xf32>
  %x = fuse.binary add %s, %m : (tensor<1x2x24x64xf32>, tensor<24x64xf32>) -> tensor<1x2x24x64xf32>
  %h = fuse.reduce max %x dimensions = [3] keep_dims : tensor<1x2x24x64xf32> -> tensor<1x2x24x1xf32>
  %d = fuse.binary sub %x, %h : (tensor<1x2x24x64xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x64xf32>
  %e = fuse.unary exp %d : tensor<1x2x24x64xf32>
  %z = fuse.reduce sum %e dimensions = [3] keep_dims : tensor<1x2x24x64xf32> -> tensor<1x2x24x1xf32>
  %p = fuse.binary div %e, %z : (tensor<1x2x24x64xf32>, tensor<1x2x24x1xf32>) -> tensor<1x2x24x64xf32>
  %o = fuse.matmul %p, %v : (tensor<1x2x24x64xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x24x16xf32>
  return %o : tensor<1x2x24x16xf32>
}

// mask - maximum of the row, by itself: -inf - -inf is NaN, lowest - 3e38 is -inf.
// CHECK-LABEL: @overflow
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1 exact
// with %x = np.where(np.arange(24).reshape(24, 1) == 2, -np.inf, np.where(np.arange(50) % 2, np.finfo(np.float32).min, 3e38))
// gives result0 = np.where(np.arange(24).reshape(24, 1) == 2, np.nan, np.where(np.arange(50) % 2, 0, 1))
// gives result1 = np.where(np.arange(24) == 2, np.nan, 25)
func.func @overflow(%x: tensor<24x50xf32>) -> (tensor<24x50xf32>, tensor<24xf32>) {
  %h = fuse.reduce max %x dimensions = [1] keep_dims : tensor<24x50xf32> -> tensor<24x1xf32>
  %d = fuse.binary sub %x, %h : (tensor<24x50xf32>, tensor<24x1xf32>) -> tensor<24x50xf32>
  %e = fuse.unary exp %d : tensor<24x50xf32>
  %s = fuse.reduce sum %e dimensions = [1] : tensor<24x50xf32> -> tensor<24xf32>
  return %e, %s : tensor<24x50xf32>, tensor<24xf32>
}

// The composite's mask of i1, and causal: the first row has one key, the masked row none.
// CHECK-LABEL: @composite
// CHECK-NEXT: Fusion: 1 → 1 kernels
// expect kernels=1
// with %q = 0
// with %v = np.arange(40).reshape(40, 1) * 2
// with %m = np.arange(40).reshape(40, 1) != 3
func.func @composite(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x40x16xf32>, %v: tensor<1x2x40x16xf32>, %m: tensor<40x40xi1>) -> tensor<1x2x40x16xf32> {
  %0 = fuse.attention %q, %k, %v, %m scale = 1.0 causal : (tensor<1x2x40x16xf32>, tensor<1x2x40x16xf32>, tensor<1x2x40x16xf32>, tensor<40x40xi1>) -> tensor<1x2x40x16xf32>
  return %0 : tensor<1x2x40x16xf32>
}
