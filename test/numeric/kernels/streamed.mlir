// RUN: %python %S/Inputs/check_streamed.py %s

// Attention with the keys in tiles, in the spellings that models have; 19 keys and tiles that do not
// divide them, tiles of one key, and one tile of all.

// stream tiles=1,4,7,19,32
func.func @plain(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.softmax %0 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %2 : tensor<1x2x5x4xf32>
}

// stream tiles=1,8
func.func @two_keys(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x2x4xf32>, %v: tensor<1x2x2x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x5x2xf32>
  %1 = fuse.softmax %0 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x2xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<1x2x5x2xf32>, tensor<1x2x2x4xf32>) -> tensor<1x2x5x4xf32>
  return %2 : tensor<1x2x5x4xf32>
}

// stream tiles=2,4,8
func.func @whole_tiles(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x16x4xf32>, %v: tensor<1x2x16x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x16x4xf32>) -> tensor<1x2x5x16xf32>
  %1 = fuse.softmax %0 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x16xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<1x2x5x16xf32>, tensor<1x2x16x4xf32>) -> tensor<1x2x5x4xf32>
  return %2 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @scaled_queries(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %c0 = arith.constant dense<0.5> : tensor<f32>
  %0 = fuse.binary mul %q, %c0 {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<f32>) -> tensor<1x2x5x4xf32>
  %1 = fuse.matmul %0, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.softmax %1 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %3 = fuse.matmul %2, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %3 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @scaled_scores(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<0.5> : tensor<f32>
  %1 = fuse.binary mul %0, %c1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.softmax %1 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %3 = fuse.matmul %2, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %3 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @divided_scores(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<2.0> : tensor<f32>
  %1 = fuse.binary div %0, %c1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.softmax %1 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %3 = fuse.matmul %2, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %3 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @added_mask(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<0.5> : tensor<f32>
  %1 = fuse.binary mul %0, %c1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.binary add %1, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<5x19xf32>) -> tensor<1x2x5x19xf32>
  %3 = fuse.softmax %2 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %4 = fuse.matmul %3, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %4 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @added_mask_first(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<5x19xf32>) -> tensor<1x2x5x19xf32>
  %c2 = arith.constant dense<0.5> : tensor<f32>
  %2 = fuse.binary mul %1, %c2 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %3 = fuse.softmax %2 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %4 = fuse.matmul %3, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %4 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @selected_mask(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xi1>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<0.5> : tensor<f32>
  %1 = fuse.binary mul %0, %c1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %c3 = arith.constant dense<0xFF800000> : tensor<f32>
  %2 = fuse.select %mask, %1, %c3 {fuse.together = "k"} : (tensor<5x19xi1>, tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %3 = fuse.softmax %2 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %4 = fuse.matmul %3, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %4 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @selected_low_mask(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xi1>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<0.5> : tensor<f32>
  %1 = fuse.binary mul %0, %c1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %c3 = arith.constant dense<-1.0e4> : tensor<f32>
  %2 = fuse.select %mask, %1, %c3 {fuse.together = "k"} : (tensor<5x19xi1>, tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %3 = fuse.softmax %2 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %4 = fuse.matmul %3, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %4 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @causal(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<0.5> : tensor<f32>
  %1 = fuse.binary mul %0, %c1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.iota dimension = 0 {fuse.together = "k"} : tensor<5x19xi64>
  %3 = fuse.iota dimension = 1 {fuse.together = "k"} : tensor<5x19xi64>
  %4 = fuse.compare le %3, %2 {fuse.together = "k"} : (tensor<5x19xi64>, tensor<5x19xi64>) -> tensor<5x19xi1>
  %c6 = arith.constant dense<0xFF800000> : tensor<f32>
  %5 = fuse.select %4, %1, %c6 {fuse.together = "k"} : (tensor<5x19xi1>, tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %6 = fuse.softmax %5 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %7 = fuse.matmul %6, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %7 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @causal_more_rows(%q: tensor<1x2x40x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x40x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x40x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x40x19xf32>
  %c1 = arith.constant dense<0.5> : tensor<f32>
  %1 = fuse.binary mul %0, %c1 {fuse.together = "k"} : (tensor<1x2x40x19xf32>, tensor<f32>) -> tensor<1x2x40x19xf32>
  %2 = fuse.iota dimension = 0 {fuse.together = "k"} : tensor<40x19xi64>
  %3 = fuse.iota dimension = 1 {fuse.together = "k"} : tensor<40x19xi64>
  %4 = fuse.compare le %3, %2 {fuse.together = "k"} : (tensor<40x19xi64>, tensor<40x19xi64>) -> tensor<40x19xi1>
  %c6 = arith.constant dense<0xFF800000> : tensor<f32>
  %5 = fuse.select %4, %1, %c6 {fuse.together = "k"} : (tensor<40x19xi1>, tensor<1x2x40x19xf32>, tensor<f32>) -> tensor<1x2x40x19xf32>
  %6 = fuse.softmax %5 dimension = 3 {fuse.together = "k"} : tensor<1x2x40x19xf32>
  %7 = fuse.matmul %6, %v {fuse.together = "k"} : (tensor<1x2x40x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x40x4xf32>
  return %7 : tensor<1x2x40x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @grouped(%q: tensor<2x4x5x4xf32>, %k: tensor<2x1x19x4xf32>, %v: tensor<2x1x19x4xf32>) -> tensor<2x4x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x4x5x4xf32>, tensor<2x1x19x4xf32>) -> tensor<2x4x5x19xf32>
  %1 = fuse.softmax %0 dimension = 3 {fuse.together = "k"} : tensor<2x4x5x19xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<2x4x5x19xf32>, tensor<2x1x19x4xf32>) -> tensor<2x4x5x4xf32>
  return %2 : tensor<2x4x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @by_hand(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<5x19xf32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.reduce max %1 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %3 = fuse.binary sub %1, %2 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %4 = fuse.unary exp %3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %5 = fuse.reduce sum %4 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %6 = fuse.binary div %4, %5 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %7 = fuse.matmul %6, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %7 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @divided_after(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<5x19xf32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.reduce max %1 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %3 = fuse.binary sub %1, %2 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %4 = fuse.unary exp %3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %5 = fuse.reduce sum %4 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %6 = fuse.matmul %4, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  %7 = fuse.binary div %6, %5 {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x4xf32>
  return %7 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @reciprocal(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<5x19xf32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.reduce max %1 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %3 = fuse.binary sub %1, %2 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %4 = fuse.unary exp %3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %5 = fuse.reduce sum %4 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %6 = fuse.unary reciprocal %5 {fuse.together = "k"} : tensor<1x2x5x1xf32>
  %7 = fuse.binary mul %4, %6 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %8 = fuse.matmul %7, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %8 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @reciprocal_first(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xi1>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<0xFF800000> : tensor<f32>
  %1 = fuse.select %mask, %0, %c1 {fuse.together = "k"} : (tensor<5x19xi1>, tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.reduce max %1 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %3 = fuse.binary sub %1, %2 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %4 = fuse.unary exp %3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %5 = fuse.reduce sum %4 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %6 = fuse.unary reciprocal %5 {fuse.together = "k"} : tensor<1x2x5x1xf32>
  %7 = fuse.binary mul %6, %4 {fuse.together = "k"} : (tensor<1x2x5x1xf32>, tensor<1x2x5x19xf32>) -> tensor<1x2x5x19xf32>
  %8 = fuse.matmul %7, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %8 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @no_division(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.reduce max %0 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %2 = fuse.binary sub %0, %1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %4 = fuse.reduce sum %3 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %5 = fuse.matmul %3, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %5 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @no_division_masked(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<5x19xf32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.reduce max %1 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %3 = fuse.binary sub %1, %2 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %4 = fuse.unary exp %3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %5 = fuse.reduce sum %4 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %6 = fuse.matmul %4, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %6 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @temperature(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<5x19xf32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.reduce max %1 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %3 = fuse.binary sub %1, %2 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %c4 = arith.constant dense<0.25> : tensor<f32>
  %4 = fuse.binary mul %3, %c4 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %5 = fuse.unary exp %4 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %6 = fuse.reduce sum %5 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %7 = fuse.binary div %5, %6 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %8 = fuse.matmul %7, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %8 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,7,19,32
func.func @guarded_sum(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.reduce max %0 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %2 = fuse.binary sub %0, %1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %4 = fuse.reduce sum %3 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %c5 = arith.constant dense<1.0e-3> : tensor<f32>
  %5 = fuse.binary add %4, %c5 {fuse.together = "k"} : (tensor<1x2x5x1xf32>, tensor<f32>) -> tensor<1x2x5x1xf32>
  %6 = fuse.binary div %3, %5 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %7 = fuse.matmul %6, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %7 : tensor<1x2x5x4xf32>
}

// stream tiles=4,19 rows=nan
func.func @nan_scores(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>, %mask: tensor<5x19xi1>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %c1 = arith.constant dense<0xFF800000> : tensor<f32>
  %1 = fuse.select %mask, %0, %c1 {fuse.together = "k"} : (tensor<5x19xi1>, tensor<1x2x5x19xf32>, tensor<f32>) -> tensor<1x2x5x19xf32>
  %2 = fuse.softmax %1 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %3 = fuse.matmul %2, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %3 : tensor<1x2x5x4xf32>
}

// stream tiles=1,4,19 rtol=4e-3
func.func @half(%q: tensor<1x2x5x4xf16>, %k: tensor<1x2x19x4xf16>, %v: tensor<1x2x19x4xf16>, %mask: tensor<5x19xi1>) -> tensor<1x2x5x4xf16> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf16>, tensor<1x2x19x4xf16>) -> tensor<1x2x5x19xf16>
  %c1 = arith.constant dense<0.5> : tensor<f16>
  %1 = fuse.binary mul %0, %c1 {fuse.together = "k"} : (tensor<1x2x5x19xf16>, tensor<f16>) -> tensor<1x2x5x19xf16>
  %c3 = arith.constant dense<0xFC00> : tensor<f16>
  %2 = fuse.select %mask, %1, %c3 {fuse.together = "k"} : (tensor<5x19xi1>, tensor<1x2x5x19xf16>, tensor<f16>) -> tensor<1x2x5x19xf16>
  %3 = fuse.softmax %2 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf16>
  %4 = fuse.matmul %3, %v {fuse.together = "k"} : (tensor<1x2x5x19xf16>, tensor<1x2x19x4xf16>) -> tensor<1x2x5x4xf16>
  return %4 : tensor<1x2x5x4xf16>
}

// stream tiles=1,4,19 rtol=4e-3
func.func @half_after(%q: tensor<1x2x5x4xf16>, %k: tensor<1x2x19x4xf16>, %v: tensor<1x2x19x4xf16>, %mask: tensor<5x19xf16>) -> tensor<1x2x5x4xf16> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf16>, tensor<1x2x19x4xf16>) -> tensor<1x2x5x19xf16>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf16>, tensor<5x19xf16>) -> tensor<1x2x5x19xf16>
  %2 = fuse.reduce max %1 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf16> -> tensor<1x2x5x1xf16>
  %3 = fuse.binary sub %1, %2 {fuse.together = "k"} : (tensor<1x2x5x19xf16>, tensor<1x2x5x1xf16>) -> tensor<1x2x5x19xf16>
  %4 = fuse.unary exp %3 {fuse.together = "k"} : tensor<1x2x5x19xf16>
  %5 = fuse.reduce sum %4 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf16> -> tensor<1x2x5x1xf16>
  %6 = fuse.matmul %4, %v {fuse.together = "k"} : (tensor<1x2x5x19xf16>, tensor<1x2x19x4xf16>) -> tensor<1x2x5x4xf16>
  %7 = fuse.binary div %6, %5 {fuse.together = "k"} : (tensor<1x2x5x4xf16>, tensor<1x2x5x1xf16>) -> tensor<1x2x5x4xf16>
  return %7 : tensor<1x2x5x4xf16>
}

// stream tiles=1,4,7,19,32
func.func @double(%q: tensor<1x2x5x4xf64>, %k: tensor<1x2x19x4xf64>, %v: tensor<1x2x19x4xf64>, %mask: tensor<5x19xf64>) -> tensor<1x2x5x4xf64> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf64>, tensor<1x2x19x4xf64>) -> tensor<1x2x5x19xf64>
  %1 = fuse.binary add %0, %mask {fuse.together = "k"} : (tensor<1x2x5x19xf64>, tensor<5x19xf64>) -> tensor<1x2x5x19xf64>
  %2 = fuse.softmax %1 dimension = 3 {fuse.together = "k"} : tensor<1x2x5x19xf64>
  %3 = fuse.matmul %2, %v {fuse.together = "k"} : (tensor<1x2x5x19xf64>, tensor<1x2x19x4xf64>) -> tensor<1x2x5x4xf64>
  return %3 : tensor<1x2x5x4xf64>
}

// refused 'arith.addf' needs the final value of what is reduced along the dim
func.func @final_sum_added(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x19x4xf32>, %v: tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<1x2x5x4xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x19xf32>
  %1 = fuse.reduce max %0 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %2 = fuse.binary sub %0, %1 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<1x2x5x19xf32>
  %4 = fuse.reduce sum %3 dimensions = [3] keep_dims {fuse.together = "k"} : tensor<1x2x5x19xf32> -> tensor<1x2x5x1xf32>
  %5 = fuse.binary add %3, %4 {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x5x1xf32>) -> tensor<1x2x5x19xf32>
  %6 = fuse.matmul %5, %v {fuse.together = "k"} : (tensor<1x2x5x19xf32>, tensor<1x2x19x4xf32>) -> tensor<1x2x5x4xf32>
  return %6 : tensor<1x2x5x4xf32>
}

// stream tiles=1,8,19
func.func @logsumexp(%q: tensor<2x5x4xf32>, %k: tensor<2x19x4xf32>) -> tensor<2x5xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x5x4xf32>, tensor<2x19x4xf32>) -> tensor<2x5x19xf32>
  %1 = fuse.reduce max %0 dimensions = [2] keep_dims {fuse.together = "k"} : tensor<2x5x19xf32> -> tensor<2x5x1xf32>
  %2 = fuse.binary sub %0, %1 {fuse.together = "k"} : (tensor<2x5x19xf32>, tensor<2x5x1xf32>) -> tensor<2x5x19xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<2x5x19xf32>
  %4 = fuse.reduce sum %3 dimensions = [2] {fuse.together = "k"} : tensor<2x5x19xf32> -> tensor<2x5xf32>
  %5 = fuse.unary log %4 {fuse.together = "k"} : tensor<2x5xf32>
  %6 = fuse.reduce max %0 dimensions = [2] {fuse.together = "k"} : tensor<2x5x19xf32> -> tensor<2x5xf32>
  %7 = fuse.binary add %5, %6 {fuse.together = "k"} : tensor<2x5xf32>
  return %7 : tensor<2x5xf32>
}

// stream tiles=1,8,19
func.func @layers(%x: tensor<5x4xf32>, %u: tensor<4x19xf32>, %w: tensor<19x6xf32>) -> tensor<5x6xf32> {
  %0 = fuse.matmul %x, %u {fuse.together = "k"} : (tensor<5x4xf32>, tensor<4x19xf32>) -> tensor<5x19xf32>
  %1 = fuse.unary relu %0 {fuse.together = "k"} : tensor<5x19xf32>
  %2 = fuse.matmul %1, %w {fuse.together = "k"} : (tensor<5x19xf32>, tensor<19x6xf32>) -> tensor<5x6xf32>
  return %2 : tensor<5x6xf32>
}

// refused a result of the kernel runs along the dim
func.func @probabilities(%q: tensor<2x5x4xf32>, %k: tensor<2x19x4xf32>) -> tensor<2x5x19xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x5x4xf32>, tensor<2x19x4xf32>) -> tensor<2x5x19xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x5x19xf32>
  return %1 : tensor<2x5x19xf32>
}

// stream tiles=1,8 unknown=1,8,19
func.func @unknown_keys(%q: tensor<2x5x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>) -> tensor<2x5x4xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x5x4xf32>, tensor<2x?x4xf32>) -> tensor<2x5x?xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x5x?xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<2x5x?xf32>, tensor<2x?x4xf32>) -> tensor<2x5x4xf32>
  return %2 : tensor<2x5x4xf32>
}

// The factor of a row's norm moves behind the product with the weights.
// stream tiles=1,4,7
func.func @rms_norm_linear(%x: tensor<5x7xf32>, %y: tensor<5x7xf32>, %g: tensor<7xf32>, %w: tensor<7x6xf32>) -> tensor<5x6xf32> {
  %e = arith.constant dense<1.0e-5> : tensor<f32>
  %0 = fuse.binary add %x, %y {fuse.together = "k"} : tensor<5x7xf32>
  %1 = fuse.binary mul %0, %0 {fuse.together = "k"} : tensor<5x7xf32>
  %2 = fuse.reduce mean %1 dimensions = [1] keep_dims {fuse.together = "k"} : tensor<5x7xf32> -> tensor<5x1xf32>
  %3 = fuse.binary add %2, %e {fuse.together = "k"} : (tensor<5x1xf32>, tensor<f32>) -> tensor<5x1xf32>
  %4 = fuse.unary rsqrt %3 {fuse.together = "k"} : tensor<5x1xf32>
  %5 = fuse.binary mul %0, %4 {fuse.together = "k"} : (tensor<5x7xf32>, tensor<5x1xf32>) -> tensor<5x7xf32>
  %6 = fuse.binary mul %5, %g {fuse.together = "k"} : (tensor<5x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  %7 = fuse.matmul %6, %w {fuse.together = "k"} : (tensor<5x7xf32>, tensor<7x6xf32>) -> tensor<5x6xf32>
  return %7 : tensor<5x6xf32>
}
