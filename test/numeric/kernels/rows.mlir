// RUN: %python %S/Inputs/check_kernels.py %s

// Kernels of rows: what is reduced along a row stays in the block that has the row.

// expect kernels=1 blocks>=16
func.func @softmax_last(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=16
func.func @softmax_first(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.softmax %x dimension = 0 {fuse.together = "k"} : tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=16
func.func @softmax_middle(%x: tensor<40x30x50xf32>) -> tensor<40x30x50xf32> {
  %0 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<40x30x50xf32>
  return %0 : tensor<40x30x50xf32>
}

// expect kernels=1 blocks>=16
func.func @logsumexp(%x: tensor<200x300xf32>) -> tensor<200xf32> {
  %m = fuse.reduce max %x dimensions = [1] keep_dims {fuse.together = "k"} : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %x, %m {fuse.together = "k"} : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %e = fuse.unary exp %d {fuse.together = "k"} : tensor<200x300xf32>
  %s = fuse.reduce sum %e dimensions = [1] {fuse.together = "k"} : tensor<200x300xf32> -> tensor<200xf32>
  %l = fuse.unary log %s {fuse.together = "k"} : tensor<200xf32>
  %r = fuse.reshape %m : tensor<200x1xf32> -> tensor<200xf32>
  %0 = fuse.binary add %l, %r {fuse.together = "k"} : tensor<200xf32>
  return %0 : tensor<200xf32>
}

// expect kernels=1 blocks>=16
func.func @layer_norm(%x: tensor<200x300xf32>, %s: tensor<300xf32>, %b: tensor<300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.layer_norm %x, %s, %b dimensions = [1] epsilon = 1.0e-5 {fuse.together = "k"} : (tensor<200x300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=16
func.func @rms_norm(%x: tensor<200x300xf32>, %g: tensor<300xf32>, %eps: tensor<f32>) -> tensor<200x300xf32> {
  %q = fuse.binary mul %x, %x {fuse.together = "k"} : tensor<200x300xf32>
  %m = fuse.reduce mean %q dimensions = [1] keep_dims {fuse.together = "k"} : tensor<200x300xf32> -> tensor<200x1xf32>
  %a = fuse.unary abs %eps {fuse.together = "k"} : tensor<f32>
  %e = fuse.binary add %m, %a {fuse.together = "k"} : (tensor<200x1xf32>, tensor<f32>) -> tensor<200x1xf32>
  %r = fuse.unary rsqrt %e {fuse.together = "k"} : tensor<200x1xf32>
  %n = fuse.binary mul %x, %r {fuse.together = "k"} : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  %0 = fuse.binary mul %n, %g {fuse.together = "k"} : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %0 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=16
func.func @residual_norm(%x: tensor<200x300xf32>, %y: tensor<200x300xf32>, %s: tensor<300xf32>, %b: tensor<300xf32>) -> (tensor<200x300xf32>, tensor<200x300xf32>) {
  %r = fuse.binary add %x, %y {fuse.together = "k"} : tensor<200x300xf32>
  %0 = fuse.layer_norm %r, %s, %b dimensions = [1] epsilon = 1.0e-5 {fuse.together = "k"} : (tensor<200x300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  return %r, %0 : tensor<200x300xf32>, tensor<200x300xf32>
}

// expect kernels=1 blocks>=16
func.func @norm_gelu(%x: tensor<200x300xf32>, %s: tensor<300xf32>, %b: tensor<300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.layer_norm %x, %s, %b dimensions = [1] epsilon = 1.0e-5 {fuse.together = "k"} : (tensor<200x300xf32>, tensor<300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %1 = fuse.unary gelu %0 approximate = none {fuse.together = "k"} : tensor<200x300xf32>
  return %1 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=16
func.func @bias_gelu(%x: tensor<200x300xf32>, %b: tensor<300xf32>) -> tensor<200x300xf32> {
  %0 = fuse.binary add %x, %b {fuse.together = "k"} : (tensor<200x300xf32>, tensor<300xf32>) -> tensor<200x300xf32>
  %1 = fuse.unary gelu %0 approximate = none {fuse.together = "k"} : tensor<200x300xf32>
  return %1 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=16
func.func @value_sum_max(%x: tensor<200x300xf32>) -> (tensor<200x300xf32>, tensor<200xf32>, tensor<200xf32>) {
  %0 = fuse.unary exp %x {fuse.together = "k"} : tensor<200x300xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] {fuse.together = "k"} : tensor<200x300xf32> -> tensor<200xf32>
  %2 = fuse.reduce max %0 dimensions = [1] {fuse.together = "k"} : tensor<200x300xf32> -> tensor<200xf32>
  return %0, %1, %2 : tensor<200x300xf32>, tensor<200xf32>, tensor<200xf32>
}

// expect kernels=1 blocks>=1
func.func @two_axes(%x: tensor<200x300xf32>) -> (tensor<200xf32>, tensor<300xf32>) {
  %0 = fuse.reduce sum %x dimensions = [1] {fuse.together = "k"} : tensor<200x300xf32> -> tensor<200xf32>
  %1 = fuse.reduce sum %x dimensions = [0] {fuse.together = "k"} : tensor<200x300xf32> -> tensor<300xf32>
  return %0, %1 : tensor<200xf32>, tensor<300xf32>
}

// expect kernels=1 blocks>=16
func.func @normalize_columns(%a: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %x = fuse.unary sigmoid %a {fuse.together = "k"} : tensor<200x300xf32>
  %0 = fuse.reduce sum %x dimensions = [0] keep_dims {fuse.together = "k"} : tensor<200x300xf32> -> tensor<1x300xf32>
  %1 = fuse.binary div %x, %0 {fuse.together = "k"} : (tensor<200x300xf32>, tensor<1x300xf32>) -> tensor<200x300xf32>
  return %1 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=1
func.func @all_rows_share(%a: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %x = fuse.unary sigmoid %a {fuse.together = "k"} : tensor<200x300xf32>
  %0 = fuse.reduce sum %x dimensions = [0, 1] keep_dims {fuse.together = "k"} : tensor<200x300xf32> -> tensor<1x1xf32>
  %1 = fuse.binary div %x, %0 {fuse.together = "k"} : (tensor<200x300xf32>, tensor<1x1xf32>) -> tensor<200x300xf32>
  return %1 : tensor<200x300xf32>
}

// expect kernels=1 blocks>=1
func.func @softmax_mean(%x: tensor<200x300xf32>) -> (tensor<200x300xf32>, tensor<300xf32>) {
  %0 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<200x300xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] {fuse.together = "k"} : tensor<200x300xf32> -> tensor<300xf32>
  return %0, %1 : tensor<200x300xf32>, tensor<300xf32>
}
