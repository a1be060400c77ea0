// Case 12: attention, as it is spelled. One kernel each, and the numbers of its own spelling.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// The scale is not one over the square root of the width.
// CHECK-LABEL: @odd_scale
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @odd_scale(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %c = arith.constant dense<0.7> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %x = fuse.binary mul %c, %s : (tensor<f32>, tensor<2x4x33x33xf32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %x dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %x, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}

// The queries are scaled, not the scores.
// CHECK-LABEL: @scale_before
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @scale_before(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %c = arith.constant dense<0.7> : tensor<f32>
  %y = fuse.binary mul %q, %c : (tensor<2x4x33x16xf32>, tensor<f32>) -> tensor<2x4x33x16xf32>
  %s = fuse.matmul %y, %k transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %s dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %s, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}

// Divided where others multiply.
// CHECK-LABEL: @divided
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @divided(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %c = arith.constant dense<4.0> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %x = fuse.binary div %s, %c : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %x dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %x, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}

// mask + scores, where others write scores + mask; the mask is of one batch.
// CHECK-LABEL: @mask_first
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
// with %m = np.where(np.tri(33), 0.0, -np.inf)
func.func @mask_first(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>, %m: tensor<1x33x33xf32>) -> tensor<2x4x33x16xf32> {
  %c = arith.constant dense<0.25> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %x = fuse.binary mul %s, %c : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %y = fuse.binary add %m, %x : (tensor<1x33x33xf32>, tensor<2x4x33x33xf32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %y dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %y, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}

// An f32 mask over f16 scores: the sum is f32, and rounded once.
// CHECK-LABEL: @wide_mask
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
// with %m = 1e-3 * np.arange(2 * 33 * 33).reshape(shape)
func.func @wide_mask(%q: tensor<2x4x33x16xf16>, %k: tensor<2x4x33x16xf16>, %v: tensor<2x4x33x16xf16>, %m: tensor<2x1x33x33xf32>) -> tensor<2x4x33x16xf16> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x33x16xf16>, tensor<2x4x33x16xf16>) -> tensor<2x4x33x33xf16>
  %w = fuse.cast %s : (tensor<2x4x33x33xf16>) -> tensor<2x4x33x33xf32>
  %y = fuse.binary add %w, %m : (tensor<2x4x33x33xf32>, tensor<2x1x33x33xf32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %y dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %y, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %n = fuse.cast %p : (tensor<2x4x33x33xf32>) -> tensor<2x4x33x33xf16>
  %o = fuse.matmul %n, %v : (tensor<2x4x33x33xf16>, tensor<2x4x33x16xf16>) -> tensor<2x4x33x16xf16>
  return %o : tensor<2x4x33x16xf16>
}

// The keys come transposed.
// CHECK-LABEL: @transposed_keys
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @transposed_keys(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x16x33xf32>, %v: tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %c = arith.constant dense<0.25> : tensor<f32>
  %s = fuse.matmul %q, %k : (tensor<2x4x33x16xf32>, tensor<2x4x16x33xf32>) -> tensor<2x4x33x33xf32>
  %x = fuse.binary mul %s, %c : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %x dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %x, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}

// As many keys as there are columns: a transposed operand would go unnoticed by shapes.
// CHECK-LABEL: @square_keys
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @square_keys(%q: tensor<2x4x32x32xf32>, %k: tensor<2x4x32x32xf32>, %v: tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32> {
  %s = fuse.matmul %q, %k : (tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
  %mx = fuse.reduce max %s dimensions = [3] keep_dims : tensor<2x4x32x32xf32> -> tensor<2x4x32x1xf32>
  %sx = fuse.binary sub %s, %mx : (tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) -> tensor<2x4x32x32xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x32x32xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x32x32xf32> -> tensor<2x4x32x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x32x32xf32>, tensor<2x4x32x1xf32>) -> tensor<2x4x32x32xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x32x32xf32>, tensor<2x4x32x32xf32>) -> tensor<2x4x32x32xf32>
  return %o : tensor<2x4x32x32xf32>
}

// Two heads of queries for each head of keys.
// CHECK-LABEL: @grouped
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @grouped(%q: tensor<2x4x33x16xf32>, %k: tensor<2x2x1x33x16xf32>, %v: tensor<2x2x1x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %y = fuse.reshape %q : tensor<2x4x33x16xf32> -> tensor<2x2x2x33x16xf32>
  %s = fuse.matmul %y, %k transpose_rhs : (tensor<2x2x2x33x16xf32>, tensor<2x2x1x33x16xf32>) -> tensor<2x2x2x33x33xf32>
  %mx = fuse.reduce max %s dimensions = [4] keep_dims : tensor<2x2x2x33x33xf32> -> tensor<2x2x2x33x1xf32>
  %sx = fuse.binary sub %s, %mx : (tensor<2x2x2x33x33xf32>, tensor<2x2x2x33x1xf32>) -> tensor<2x2x2x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x2x2x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [4] keep_dims : tensor<2x2x2x33x33xf32> -> tensor<2x2x2x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x2x2x33x33xf32>, tensor<2x2x2x33x1xf32>) -> tensor<2x2x2x33x33xf32>
  %z = fuse.matmul %p, %v : (tensor<2x2x2x33x33xf32>, tensor<2x2x1x33x16xf32>) -> tensor<2x2x2x33x16xf32>
  %w = fuse.reshape %z : tensor<2x2x2x33x16xf32> -> tensor<2x4x33x16xf32>
  %o = fuse.unary neg %w : tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}

// The sum divides the product, not the weights.
// CHECK-LABEL: @divided_after
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @divided_after(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %s dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %s, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %z = fuse.matmul %ex, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  %o = fuse.binary div %z, %su : (tensor<2x4x33x16xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}

// Causal, by select, compare and iota; with a cap on the scores.
// CHECK-LABEL: @selected
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @selected(%q: tensor<2x4x33x16xf32>, %k: tensor<2x4x33x16xf32>, %v: tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32> {
  %c = arith.constant dense<30.0> : tensor<f32>
  %ninf = arith.constant dense<0xFF800000> : tensor<f32>
  %s = fuse.matmul %q, %k transpose_rhs : (tensor<2x4x33x16xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x33xf32>
  %x0 = fuse.binary div %s, %c : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %x1 = fuse.unary tanh %x0 : tensor<2x4x33x33xf32>
  %x2 = fuse.binary mul %x1, %c : (tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %i = fuse.iota dimension = 0 : tensor<33x33xi64>
  %j = fuse.iota dimension = 1 : tensor<33x33xi64>
  %g = fuse.compare ge %i, %j : (tensor<33x33xi64>, tensor<33x33xi64>) -> tensor<33x33xi1>
  %y = fuse.select %g, %x2, %ninf : (tensor<33x33xi1>, tensor<2x4x33x33xf32>, tensor<f32>) -> tensor<2x4x33x33xf32>
  %mx = fuse.reduce max %y dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %sx = fuse.binary sub %y, %mx : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %ex = fuse.unary exp %sx : tensor<2x4x33x33xf32>
  %su = fuse.reduce sum %ex dimensions = [3] keep_dims : tensor<2x4x33x33xf32> -> tensor<2x4x33x1xf32>
  %p = fuse.binary div %ex, %su : (tensor<2x4x33x33xf32>, tensor<2x4x33x1xf32>) -> tensor<2x4x33x33xf32>
  %o = fuse.matmul %p, %v : (tensor<2x4x33x33xf32>, tensor<2x4x33x16xf32>) -> tensor<2x4x33x16xf32>
  return %o : tensor<2x4x33x16xf32>
}
