// Case 23: what is matched is what is computed. Every spelling has the one kernel of the first.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// A product, a bias, relu: commuted, relu as max or clamp or select, the bias reshaped or broadcast.
// CHECK-LABEL: @linear_relu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @linear_relu(%x: tensor<60x70xf32>, %w: tensor<70x80xf32>, %b: tensor<80xf32>) -> tensor<60x80xf32> {
  %m = fuse.matmul %x, %w : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %a = fuse.binary add %m, %b : (tensor<60x80xf32>, tensor<80xf32>) -> tensor<60x80xf32>
  %r = fuse.unary relu %a : tensor<60x80xf32>
  return %r : tensor<60x80xf32>
}

// CHECK-LABEL: @commuted
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @commuted(%x: tensor<60x70xf32>, %w: tensor<70x80xf32>, %b: tensor<80xf32>) -> tensor<60x80xf32> {
  %m = fuse.matmul %x, %w : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %z = arith.constant dense<0.0> : tensor<f32>
  %a = fuse.binary add %b, %m : (tensor<80xf32>, tensor<60x80xf32>) -> tensor<60x80xf32>
  %r = fuse.binary max %z, %a : (tensor<f32>, tensor<60x80xf32>) -> tensor<60x80xf32>
  return %r : tensor<60x80xf32>
}

// CHECK-LABEL: @selected
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @selected(%x: tensor<60x70xf32>, %w: tensor<70x80xf32>, %b: tensor<80xf32>) -> tensor<60x80xf32> {
  %m = fuse.matmul %x, %w : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %z = arith.constant dense<0.0> : tensor<60x80xf32>
  %a = fuse.binary add %m, %b : (tensor<60x80xf32>, tensor<80xf32>) -> tensor<60x80xf32>
  %c = fuse.compare gt %a, %z : (tensor<60x80xf32>, tensor<60x80xf32>) -> tensor<60x80xi1>
  %r = fuse.select %c, %a, %z : (tensor<60x80xi1>, tensor<60x80xf32>, tensor<60x80xf32>) -> tensor<60x80xf32>
  return %r : tensor<60x80xf32>
}

// CHECK-LABEL: @bias_broadcast
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @bias_broadcast(%x: tensor<60x70xf32>, %w: tensor<70x80xf32>, %b: tensor<80xf32>) -> tensor<60x80xf32> {
  %m = fuse.matmul %x, %w : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %c = fuse.broadcast %b dimensions = [0] : tensor<80xf32> -> tensor<60x80xf32>
  %a = fuse.binary sub %m, %c : tensor<60x80xf32>
  %r = fuse.unary relu %a : tensor<60x80xf32>
  return %r : tensor<60x80xf32>
}

// CHECK-LABEL: @bias_before_reshape
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @bias_before_reshape(%x: tensor<60x70xf32>, %w: tensor<70x80xf32>, %b: tensor<80xf32>) -> tensor<60x4x20xf32> {
  %m = fuse.matmul %x, %w : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %a = fuse.binary add %m, %b : (tensor<60x80xf32>, tensor<80xf32>) -> tensor<60x80xf32>
  %s = fuse.reshape %a : tensor<60x80xf32> -> tensor<60x4x20xf32>
  %q = fuse.unary relu %s : tensor<60x4x20xf32>
  %r = fuse.copy %q : tensor<60x4x20xf32>
  return %r : tensor<60x4x20xf32>
}

// CHECK-LABEL: @bias_after_reshape
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @bias_after_reshape(%x: tensor<60x70xf32>, %w: tensor<70x80xf32>, %b: tensor<80xf32>) -> tensor<60x4x20xf32> {
  %m = fuse.matmul %x, %w : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %s = fuse.reshape %m : tensor<60x80xf32> -> tensor<60x4x20xf32>
  %c = fuse.reshape %b : tensor<80xf32> -> tensor<4x20xf32>
  %a = fuse.binary add %c, %s : (tensor<4x20xf32>, tensor<60x4x20xf32>) -> tensor<60x4x20xf32>
  %r = fuse.unary relu %a : tensor<60x4x20xf32>
  return %r : tensor<60x4x20xf32>
}

// CHECK-LABEL: @transposed_weights
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @transposed_weights(%x: tensor<60x70xf32>, %w: tensor<80x70xf32>, %b: tensor<80xf32>) -> tensor<60x80xf32> {
  %v = fuse.transpose %w permutation = [1, 0] : tensor<80x70xf32> -> tensor<70x80xf32>
  %m = fuse.matmul %x, %v : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %a = fuse.binary add %m, %b : (tensor<60x80xf32>, tensor<80xf32>) -> tensor<60x80xf32>
  %r = fuse.unary relu %a : tensor<60x80xf32>
  return %r : tensor<60x80xf32>
}

// CHECK-LABEL: @cast_between
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @cast_between(%x: tensor<60x70xf32>, %w: tensor<70x80xf32>, %b: tensor<80xf32>) -> tensor<60x80xf32> {
  %m = fuse.matmul %x, %w : (tensor<60x70xf32>, tensor<70x80xf32>) -> tensor<60x80xf32>
  %h = fuse.cast %m : (tensor<60x80xf32>) -> tensor<60x80xf16>
  %f = fuse.cast %h : (tensor<60x80xf16>) -> tensor<60x80xf32>
  %a = fuse.binary add %f, %b : (tensor<60x80xf32>, tensor<80xf32>) -> tensor<60x80xf32>
  %r = fuse.unary relu %a : tensor<60x80xf32>
  return %r : tensor<60x80xf32>
}

// Softmax: by a reciprocal, by the logarithm, with reshapes for kept dimensions, transposed, in halves.
// CHECK-LABEL: @softmax
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %m = fuse.reduce max %x dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %x, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %z = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %r = fuse.binary div %e, %z : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// CHECK-LABEL: @softmax_reciprocal
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_reciprocal(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %m = fuse.reduce max %x dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %x, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %z = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %i = fuse.unary reciprocal %z : tensor<200x1xf32>
  %r = fuse.binary mul %i, %e : (tensor<200x1xf32>, tensor<200x300xf32>) -> tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// CHECK-LABEL: @softmax_logarithm
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_logarithm(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %m = fuse.reduce max %x dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %x, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %z = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %l = fuse.unary log %z : tensor<200x1xf32>
  %o = fuse.binary sub %d, %l : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %r = fuse.unary exp %o : tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// CHECK-LABEL: @softmax_reshaped
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_reshaped(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %n = fuse.reduce max %x dimensions = [1] : tensor<200x300xf32> -> tensor<200xf32>
  %m = fuse.reshape %n : tensor<200xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %x, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %y = fuse.reduce sum %e dimensions = [1] : tensor<200x300xf32> -> tensor<200xf32>
  %k = fuse.broadcast %y dimensions = [1] : tensor<200xf32> -> tensor<200x300xf32>
  %r = fuse.binary div %e, %k : tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// CHECK-LABEL: @softmax_negated
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_negated(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %n = fuse.unary neg %x : tensor<200x300xf32>
  %m = fuse.reduce min %n dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %m, %n : (tensor<200x1xf32>, tensor<200x300xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %z = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %r = fuse.binary div %e, %z : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// CHECK-LABEL: @softmax_cast
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_cast(%x: tensor<200x300xf16>) -> tensor<200x300xf16> {
  %w = fuse.cast %x : (tensor<200x300xf16>) -> tensor<200x300xf32>
  %m = fuse.reduce max %w dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %w, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %z = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %q = fuse.binary div %e, %z : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %r = fuse.cast %q : (tensor<200x300xf32>) -> tensor<200x300xf16>
  return %r : tensor<200x300xf16>
}

// CHECK-LABEL: @softmax_composite
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_composite(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %r = fuse.softmax %x dimension = -1 : tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// RMS norm: as pow and division, as a sum, with the scale first.
// CHECK-LABEL: @rms_norm
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @rms_norm(%x: tensor<200x300xf32>, %g: tensor<300xf32>) -> tensor<200x300xf32> {
  %p = arith.constant dense<1.0e-5> : tensor<f32>
  %q = fuse.binary mul %x, %x : tensor<200x300xf32>
  %m = fuse.reduce mean %q dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %v = fuse.binary add %m, %p : (tensor<200x1xf32>, tensor<f32>) -> tensor<200x1xf32>
  %i = fuse.unary rsqrt %v : tensor<200x1xf32>
  %k = fuse.binary mul %x, %i : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %r = fuse.binary mul %k, %g : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// CHECK-LABEL: @rms_norm_pow
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @rms_norm_pow(%x: tensor<200x300xf32>, %g: tensor<300xf32>) -> tensor<200x300xf32> {
  %p = arith.constant dense<1.0e-5> : tensor<f32>
  %two = arith.constant dense<2.0> : tensor<f32>
  %n = arith.constant dense<300.0> : tensor<f32>
  %q = fuse.binary pow %x, %two : (tensor<200x300xf32>, tensor<f32>) -> tensor<200x300xf32>
  %y = fuse.reduce sum %q dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %m = fuse.binary div %y, %n : (tensor<200x1xf32>, tensor<f32>) -> tensor<200x1xf32>
  %v = fuse.binary add %p, %m : (tensor<f32>, tensor<200x1xf32>) -> tensor<200x1xf32>
  %i = fuse.unary sqrt %v : tensor<200x1xf32>
  %k = fuse.binary div %x, %i : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %r = fuse.binary mul %g, %k : (tensor<300xf32>, tensor<200x300xf32>) -> tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}

// CHECK-LABEL: @rms_norm_scale_first
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @rms_norm_scale_first(%x: tensor<200x300xf32>, %g: tensor<300xf32>) -> tensor<200x300xf32> {
  %p = arith.constant dense<1.0e-5> : tensor<f32>
  %q = fuse.binary mul %x, %x : tensor<200x300xf32>
  %m = fuse.reduce mean %q dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %v = fuse.binary add %m, %p : (tensor<200x1xf32>, tensor<f32>) -> tensor<200x1xf32>
  %i = fuse.unary rsqrt %v : tensor<200x1xf32>
  %h = fuse.binary mul %g, %x : (tensor<300xf32>, tensor<200x300xf32>) -> tensor<200x300xf32>
  %r = fuse.binary mul %i, %h : (tensor<200x1xf32>, tensor<200x300xf32>) -> tensor<200x300xf32>
  return %r : tensor<200x300xf32>
}
