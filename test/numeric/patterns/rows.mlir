// Rows with what is reduced along them are one kernel, by the planner's own decision.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// CHECK-LABEL: @softmax_last
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_last(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// CHECK-LABEL: @softmax_middle
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_middle(%x: tensor<40x30x50xf32>) -> tensor<40x30x50xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<40x30x50xf32>
  return %0 : tensor<40x30x50xf32>
}

// CHECK-LABEL: @softmax_first
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_first(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.softmax %x dimension = 0 : tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// CHECK-LABEL: @softmax_by_hand
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @softmax_by_hand(%x: tensor<40x30x50xf32>) -> tensor<40x30x50xf32> {
  %m = fuse.reduce max %x dimensions = [0] keep_dims : tensor<40x30x50xf32> -> tensor<1x30x50xf32>
  %d = fuse.binary sub %x, %m : (tensor<40x30x50xf32>, tensor<1x30x50xf32>) -> tensor<40x30x50xf32>
  %e = fuse.unary exp %d : tensor<40x30x50xf32>
  %s = fuse.reduce sum %e dimensions = [0] keep_dims : tensor<40x30x50xf32> -> tensor<1x30x50xf32>
  %0 = fuse.binary div %e, %s : (tensor<40x30x50xf32>, tensor<1x30x50xf32>) -> tensor<40x30x50xf32>
  return %0 : tensor<40x30x50xf32>
}

// CHECK-LABEL: @logsumexp
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @logsumexp(%x: tensor<200x300xf32>) -> tensor<200xf32> {
  %m = fuse.reduce max %x dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %x, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d : tensor<200x300xf32>
  %s = fuse.reduce sum %e dimensions = [1] : tensor<200x300xf32> -> tensor<200xf32>
  %l = fuse.unary log %s : tensor<200xf32>
  %r = fuse.reshape %m : tensor<200x1xf32> -> tensor<200xf32>
  %0 = fuse.binary add %l, %r : tensor<200xf32>
  return %0 : tensor<200xf32>
}

// CHECK-LABEL: @layer_norm
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @layer_norm(%x: tensor<200x300xf32>, %s: tensor<300xf32>, %b: tensor<300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.layer_norm %x, %s, %b dimensions = [1] epsilon = 1.0e-5 : (tensor<200x300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// CHECK-LABEL: @layer_norm_by_hand
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @layer_norm_by_hand(%x: tensor<200x300xf32>, %g: tensor<300xf32>, %b: tensor<300xf32>) -> tensor<200x300xf32> {
  %eps = arith.constant dense<1.0e-5> : tensor<f32>
  %m = fuse.reduce mean %x dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %c = fuse.binary sub %x, %m : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %q = fuse.binary mul %c, %c : tensor<200x300xf32>
  %v = fuse.reduce mean %q dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %e = fuse.binary add %v, %eps : (tensor<200x1xf32>, tensor<f32>) -> tensor<200x1xf32>
  %s = fuse.unary sqrt %e : tensor<200x1xf32>
  %n = fuse.binary div %c, %s : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %t = fuse.binary mul %n, %g : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %0 = fuse.binary add %t, %b : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// CHECK-LABEL: @rms_norm
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @rms_norm(%x: tensor<200x300xf32>, %g: tensor<300xf32>, %eps: tensor<f32>) -> tensor<200x300xf32> {
  %q = fuse.binary mul %x, %x : tensor<200x300xf32>
  %m = fuse.reduce mean %q dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %a = fuse.unary abs %eps : tensor<f32>
  %e = fuse.binary add %m, %a : (tensor<200x1xf32>, tensor<f32>) -> tensor<200x1xf32>
  %r = fuse.unary rsqrt %e : tensor<200x1xf32>
  %n = fuse.binary mul %x, %r : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %0 = fuse.binary mul %n, %g : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// CHECK-LABEL: @residual_norm
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @residual_norm(%x: tensor<200x300xf32>, %y: tensor<200x300xf32>, %s: tensor<300xf32>, %b: tensor<300xf32>) -> (tensor<200x300xf32>, tensor<200x300xf32>) {
  %r = fuse.binary add %x, %y : tensor<200x300xf32>
  %0 = fuse.layer_norm %r, %s, %b dimensions = [1] epsilon = 1.0e-5 : (tensor<200x300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %r, %0 : tensor<200x300xf32>, tensor<200x300xf32>
}

// CHECK-LABEL: @norm_gelu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @norm_gelu(%x: tensor<200x300xf32>, %s: tensor<300xf32>, %b: tensor<300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.layer_norm %x, %s, %b dimensions = [1] epsilon = 1.0e-5 : (tensor<200x300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %1 = fuse.unary gelu %0 approximate = none : tensor<200x300xf32>
  return %1 : tensor<200x300xf32>
}

// CHECK-LABEL: @bias_gelu
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @bias_gelu(%x: tensor<200x300xf32>, %b: tensor<300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.binary add %x, %b : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %1 = fuse.unary gelu %0 approximate = none : tensor<200x300xf32>
  return %1 : tensor<200x300xf32>
}

// CHECK-LABEL: @value_sum_max
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// expect kernels=1 blocks>=16
func.func @value_sum_max(%x: tensor<200x300xf32>) -> (tensor<200x300xf32>, tensor<200xf32>, tensor<200xf32>) {
  %0 = fuse.unary exp %x : tensor<200x300xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<200x300xf32> -> tensor<200xf32>
  %2 = fuse.reduce max %0 dimensions = [1] : tensor<200x300xf32> -> tensor<200xf32>
  return %0, %1, %2 : tensor<200x300xf32>, tensor<200xf32>, tensor<200xf32>
}

// CHECK-LABEL: @two_axes
// CHECK-NEXT: Fusion: {{[0-9]+}} → 1 kernels
// Small enough for one thread: what each of the two folds need not be cut.
// expect kernels=1
func.func @two_axes(%x: tensor<30x40xf32>) -> (tensor<30xf32>, tensor<40xf32>) {
  %0 = fuse.reduce sum %x dimensions = [1] : tensor<30x40xf32> -> tensor<30xf32>
  %1 = fuse.reduce max %x dimensions = [0] : tensor<30x40xf32> -> tensor<40xf32>
  return %0, %1 : tensor<30xf32>, tensor<40xf32>
}
