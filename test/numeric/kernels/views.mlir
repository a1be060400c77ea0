// RUN: %python %S/Inputs/check_kernels.py %s

// Views, joins, paddings and gathers between members.

// expect kernels=1 blocks>=16
func.func @qkv_heads(%x: tensor<2x133x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64xf32>) -> tensor<2x4x133x16xf32> {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<2x133x64xf32>, tensor<64x64xf32>) -> tensor<2x133x64xf32>
  %1 = fuse.binary add %0, %b {fuse.together = "k"} : (tensor<2x133x64xf32>, tensor<64xf32>) -> tensor<2x133x64xf32>
  %2 = fuse.reshape %1 : tensor<2x133x64xf32> -> tensor<2x133x4x16xf32>
  %3 = fuse.transpose %2 permutation = [0, 2, 1, 3] : tensor<2x133x4x16xf32> -> tensor<2x4x133x16xf32>
  %4 = fuse.copy %3 {fuse.together = "k"} : tensor<2x4x133x16xf32>
  return %4 : tensor<2x4x133x16xf32>
}

// expect kernels=1 blocks>=16
func.func @heads_out_linear(%x: tensor<2x4x133x16xf32>, %w: tensor<64x48xf32>, %r: tensor<2x133x48xf32>) -> tensor<2x133x48xf32> {
  %2 = fuse.transpose %x permutation = [0, 2, 1, 3] : tensor<2x4x133x16xf32> -> tensor<2x133x4x16xf32>
  %3 = fuse.reshape %2 : tensor<2x133x4x16xf32> -> tensor<2x133x64xf32>
  %4 = fuse.matmul %3, %w {fuse.together = "k"} : (tensor<2x133x64xf32>, tensor<64x48xf32>) -> tensor<2x133x48xf32>
  %5 = fuse.binary add %4, %r {fuse.together = "k"} : tensor<2x133x48xf32>
  return %5 : tensor<2x133x48xf32>
}

// expect kernels=1 blocks>=16
func.func @heads_out_linear_m(%x: tensor<2x4x133x16xf32>, %w: tensor<64x48xf32>, %r: tensor<2x133x48xf32>) -> tensor<2x133x48xf32> {
  %1 = fuse.unary relu %x {fuse.together = "k"} : tensor<2x4x133x16xf32>
  %2 = fuse.transpose %1 permutation = [0, 2, 1, 3] : tensor<2x4x133x16xf32> -> tensor<2x133x4x16xf32>
  %3 = fuse.reshape %2 : tensor<2x133x4x16xf32> -> tensor<2x133x64xf32>
  %4 = fuse.matmul %3, %w {fuse.together = "k"} : (tensor<2x133x64xf32>, tensor<64x48xf32>) -> tensor<2x133x48xf32>
  %5 = fuse.binary add %4, %r {fuse.together = "k"} : tensor<2x133x48xf32>
  return %5 : tensor<2x133x48xf32>
}

// expect kernels=1 blocks>=16
func.func @rope(%x: tensor<2x4x133x16xf32>, %c: tensor<133x16xf32>, %s: tensor<133x16xf32>) -> tensor<2x4x133x16xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 0, 0] sizes = [2, 4, 133, 8] strides = [1, 1, 1, 1] : tensor<2x4x133x16xf32> -> tensor<2x4x133x8xf32>
  %1 = fuse.slice %x offsets = [0, 0, 0, 8] sizes = [2, 4, 133, 8] strides = [1, 1, 1, 1] : tensor<2x4x133x16xf32> -> tensor<2x4x133x8xf32>
  %2 = fuse.unary neg %1 {fuse.together = "k"} : tensor<2x4x133x8xf32>
  %3 = fuse.concat %2, %0 dimension = 3 {fuse.together = "k"} : (tensor<2x4x133x8xf32>, tensor<2x4x133x8xf32>) -> tensor<2x4x133x16xf32>
  %4 = fuse.binary mul %x, %c {fuse.together = "k"} : (tensor<2x4x133x16xf32>, tensor<133x16xf32>) -> tensor<2x4x133x16xf32>
  %5 = fuse.binary mul %3, %s {fuse.together = "k"} : (tensor<2x4x133x16xf32>, tensor<133x16xf32>) -> tensor<2x4x133x16xf32>
  %6 = fuse.binary add %4, %5 {fuse.together = "k"} : tensor<2x4x133x16xf32>
  return %6 : tensor<2x4x133x16xf32>
}

// expect kernels=1 blocks>=16
func.func @linear_rope(%x: tensor<2x133x64xf32>, %w: tensor<64x64xf32>, %c: tensor<133x16xf32>, %s: tensor<133x16xf32>) -> tensor<2x4x133x16xf32> {
  %m = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<2x133x64xf32>, tensor<64x64xf32>) -> tensor<2x133x64xf32>
  %mr = fuse.reshape %m : tensor<2x133x64xf32> -> tensor<2x133x4x16xf32>
  %mt = fuse.transpose %mr permutation = [0, 2, 1, 3] : tensor<2x133x4x16xf32> -> tensor<2x4x133x16xf32>
  %0 = fuse.slice %mt offsets = [0, 0, 0, 0] sizes = [2, 4, 133, 8] strides = [1, 1, 1, 1] : tensor<2x4x133x16xf32> -> tensor<2x4x133x8xf32>
  %1 = fuse.slice %mt offsets = [0, 0, 0, 8] sizes = [2, 4, 133, 8] strides = [1, 1, 1, 1] : tensor<2x4x133x16xf32> -> tensor<2x4x133x8xf32>
  %2 = fuse.unary neg %1 {fuse.together = "k"} : tensor<2x4x133x8xf32>
  %3 = fuse.concat %2, %0 dimension = 3 {fuse.together = "k"} : (tensor<2x4x133x8xf32>, tensor<2x4x133x8xf32>) -> tensor<2x4x133x16xf32>
  %4 = fuse.binary mul %mt, %c {fuse.together = "k"} : (tensor<2x4x133x16xf32>, tensor<133x16xf32>) -> tensor<2x4x133x16xf32>
  %5 = fuse.binary mul %3, %s {fuse.together = "k"} : (tensor<2x4x133x16xf32>, tensor<133x16xf32>) -> tensor<2x4x133x16xf32>
  %6 = fuse.binary add %4, %5 {fuse.together = "k"} : tensor<2x4x133x16xf32>
  return %6 : tensor<2x4x133x16xf32>
}

// The heads are two loops to the keys' side, and one to each half of the embedding.
// expect kernels=1 blocks>=24
func.func @rope_grouped_scores(%x: tensor<32x64xf32>, %w: tensor<64x384xf32>, %c: tensor<32x32xf32>, %s: tensor<32x32xf32>, %k: tensor<4x32x32xf32>) -> tensor<12x32x32xf32> {
  %m = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<32x64xf32>, tensor<64x384xf32>) -> tensor<32x384xf32>
  %mr = fuse.reshape %m : tensor<32x384xf32> -> tensor<32x12x32xf32>
  %mt = fuse.transpose %mr permutation = [1, 0, 2] : tensor<32x12x32xf32> -> tensor<12x32x32xf32>
  %0 = fuse.slice %mt offsets = [0, 0, 0] sizes = [12, 32, 16] strides = [1, 1, 1] : tensor<12x32x32xf32> -> tensor<12x32x16xf32>
  %1 = fuse.slice %mt offsets = [0, 0, 16] sizes = [12, 32, 16] strides = [1, 1, 1] : tensor<12x32x32xf32> -> tensor<12x32x16xf32>
  %2 = fuse.unary neg %1 {fuse.together = "k"} : tensor<12x32x16xf32>
  %3 = fuse.concat %2, %0 dimension = 2 {fuse.together = "k"} : (tensor<12x32x16xf32>, tensor<12x32x16xf32>) -> tensor<12x32x32xf32>
  %4 = fuse.binary mul %mt, %c {fuse.together = "k"} : (tensor<12x32x32xf32>, tensor<32x32xf32>) -> tensor<12x32x32xf32>
  %5 = fuse.binary mul %3, %s {fuse.together = "k"} : (tensor<12x32x32xf32>, tensor<32x32xf32>) -> tensor<12x32x32xf32>
  %6 = fuse.binary add %4, %5 {fuse.together = "k"} : tensor<12x32x32xf32>
  %kr = fuse.reshape %k : tensor<4x32x32xf32> -> tensor<4x1x32x32xf32>
  %ks = fuse.reshape %kr : tensor<4x1x32x32xf32> -> tensor<4x32x32xf32>
  %kb = fuse.broadcast %ks dimensions = [1] : tensor<4x32x32xf32> -> tensor<4x3x32x32xf32>
  %kh = fuse.reshape %kb : tensor<4x3x32x32xf32> -> tensor<12x32x32xf32>
  %kt = fuse.transpose %kh permutation = [0, 2, 1] : tensor<12x32x32xf32> -> tensor<12x32x32xf32>
  %7 = fuse.matmul %6, %kt {fuse.together = "k"} : (tensor<12x32x32xf32>, tensor<12x32x32xf32>) -> tensor<12x32x32xf32>
  return %7 : tensor<12x32x32xf32>
}

// expect kernels=1 blocks>=16
func.func @merge_heads_norm(%x: tensor<2x133x4x16xf32>) -> tensor<2x133x64xf32> {
  %1 = fuse.unary tanh %x {fuse.together = "k"} : tensor<2x133x4x16xf32>
  %3 = fuse.reshape %1 : tensor<2x133x4x16xf32> -> tensor<2x133x64xf32>
  %4 = fuse.softmax %3 dimension = 2 {fuse.together = "k"} : tensor<2x133x64xf32>
  return %4 : tensor<2x133x64xf32>
}

// expect kernels=1 blocks>=4
func.func @group_norm(%x: tensor<2x64x10x10xf32>, %s: tensor<64x1x1xf32>) -> tensor<2x64x10x10xf32> {
  %1 = fuse.reshape %x : tensor<2x64x10x10xf32> -> tensor<2x2x3200xf32>
  %4 = fuse.layer_norm %1 dimensions = [2] epsilon = 1.0e-5 {fuse.together = "k"} : (tensor<2x2x3200xf32>) -> tensor<2x2x3200xf32>
  %5 = fuse.reshape %4 : tensor<2x2x3200xf32> -> tensor<2x64x10x10xf32>
  %6 = fuse.binary mul %5, %s {fuse.together = "k"} : (tensor<2x64x10x10xf32>, tensor<64x1x1xf32>) -> tensor<2x64x10x10xf32>
  return %6 : tensor<2x64x10x10xf32>
}

// expect kernels=1 blocks>=16
func.func @concat_members(%x: tensor<640x30xf32>, %y: tensor<640x20xf32>) -> tensor<640x50xf32> {
  %1 = fuse.unary tanh %x {fuse.together = "k"} : tensor<640x30xf32>
  %2 = fuse.unary exp %y {fuse.together = "k"} : tensor<640x20xf32>
  %3 = fuse.concat %1, %2 dimension = 1 {fuse.together = "k"} : (tensor<640x30xf32>, tensor<640x20xf32>) -> tensor<640x50xf32>
  %4 = fuse.unary neg %3 {fuse.together = "k"} : tensor<640x50xf32>
  return %4 : tensor<640x50xf32>
}

// expect kernels=1 blocks>=16
func.func @concat_rows(%x: tensor<30x640xf32>, %y: tensor<20x640xf32>) -> tensor<50x640xf32> {
  %1 = fuse.unary tanh %x {fuse.together = "k"} : tensor<30x640xf32>
  %2 = fuse.unary exp %y {fuse.together = "k"} : tensor<20x640xf32>
  %3 = fuse.concat %1, %2 dimension = 0 {fuse.together = "k"} : (tensor<30x640xf32>, tensor<20x640xf32>) -> tensor<50x640xf32>
  %4 = fuse.unary neg %3 {fuse.together = "k"} : tensor<50x640xf32>
  return %4 : tensor<50x640xf32>
}

// expect kernels=1 blocks>=16
func.func @concat_norm(%x: tensor<640x30xf32>, %y: tensor<640x20xf32>) -> tensor<640x50xf32> {
  %1 = fuse.unary tanh %x {fuse.together = "k"} : tensor<640x30xf32>
  %3 = fuse.concat %1, %y dimension = 1 {fuse.together = "k"} : (tensor<640x30xf32>, tensor<640x20xf32>) -> tensor<640x50xf32>
  %4 = fuse.softmax %3 dimension = 1 {fuse.together = "k"} : tensor<640x50xf32>
  return %4 : tensor<640x50xf32>
}

// expect kernels=1 blocks>=1
func.func @pad_members(%x: tensor<640x30xf32>) -> tensor<643x32xf32> {
  %1 = fuse.unary tanh %x {fuse.together = "k"} : tensor<640x30xf32>
  %2 = fuse.pad %1 low = [1, 2] high = [2, 0] value = 3.0 : f32 {fuse.together = "k"} : tensor<640x30xf32> -> tensor<643x32xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<643x32xf32>
  return %3 : tensor<643x32xf32>
}

// expect kernels=1 blocks>=16
func.func @pad_softmax(%x: tensor<640x30xf32>) -> tensor<640x32xf32> {
  %1 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  %2 = fuse.pad %1 low = [0, 1] high = [0, 1] value = 0.0 : f32 {fuse.together = "k"} : tensor<640x30xf32> -> tensor<640x32xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<640x32xf32>
  return %3 : tensor<640x32xf32>
}

// expect kernels=1 blocks>=16
func.func @gather_norm(%t: tensor<1000x32xf32>, %i: tensor<3x200xi64>, %p: tensor<200x32xf32>) -> tensor<3x200x32xf32> {
  %1 = fuse.gather %t, %i dimension = 0 {fuse.together = "k"} : (tensor<1000x32xf32>, tensor<3x200xi64>) -> tensor<3x200x32xf32>
  %2 = fuse.binary add %1, %p {fuse.together = "k"} : (tensor<3x200x32xf32>, tensor<200x32xf32>) -> tensor<3x200x32xf32>
  %3 = fuse.layer_norm %2 dimensions = [2] epsilon = 1.0e-5 {fuse.together = "k"} : (tensor<3x200x32xf32>) -> tensor<3x200x32xf32>
  return %3 : tensor<3x200x32xf32>
}

// expect kernels=1 blocks>=4
func.func @gather_member(%t: tensor<1000x32xf32>, %i: tensor<3x200xi64>) -> tensor<3x200x32xf32> {
  %0 = fuse.unary tanh %t {fuse.together = "k"} : tensor<1000x32xf32>
  %1 = fuse.gather %0, %i dimension = 0 {fuse.together = "k"} : (tensor<1000x32xf32>, tensor<3x200xi64>) -> tensor<3x200x32xf32>
  return %1 : tensor<3x200x32xf32>
}

// expect kernels=1 blocks>=16
func.func @gather_columns(%t: tensor<1000x32xf32>, %i: tensor<20xi64>) -> tensor<1000x20xf32> {
  %0 = fuse.softmax %t dimension = 1 {fuse.together = "k"} : tensor<1000x32xf32>
  %1 = fuse.gather %0, %i dimension = 1 {fuse.together = "k"} : (tensor<1000x32xf32>, tensor<20xi64>) -> tensor<1000x20xf32>
  return %1 : tensor<1000x20xf32>
}

// expect kernels=1 blocks>=16
func.func @iota_mask(%x: tensor<640x30xf32>, %l: tensor<640xi64>) -> tensor<640x30xf32> {
  %n = arith.constant dense<-1.0e9> : tensor<f32>
  %0 = fuse.iota dimension = 0 {fuse.together = "k"} : tensor<30xi64>
  %1 = fuse.reshape %l : tensor<640xi64> -> tensor<640x1xi64>
  %2 = fuse.compare lt %0, %1 {fuse.together = "k"} : (tensor<30xi64>, tensor<640x1xi64>) -> tensor<640x30xi1>
  %3 = fuse.select %2, %x, %n {fuse.together = "k"} : (tensor<640x30xi1>, tensor<640x30xf32>, tensor<f32>) -> tensor<640x30xf32>
  %4 = fuse.softmax %3 dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  return %4 : tensor<640x30xf32>
}

// expect kernels=1 blocks>=16
func.func @transpose_between(%x: tensor<640x30xf32>) -> tensor<30x640xf32> {
  %1 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  %2 = fuse.transpose %1 permutation = [1, 0] : tensor<640x30xf32> -> tensor<30x640xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<30x640xf32>
  return %3 : tensor<30x640xf32>
}

// expect kernels=1 blocks>=1
func.func @slice_rows(%x: tensor<640x30xf32>) -> tensor<10x30xf32> {
  %1 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  %2 = fuse.slice %1 offsets = [5, 0] sizes = [10, 30] strides = [2, 1] : tensor<640x30xf32> -> tensor<10x30xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<10x30xf32>
  return %3 : tensor<10x30xf32>
}

// expect kernels=1 blocks>=16
func.func @slice_columns(%x: tensor<640x30xf32>) -> tensor<640x10xf32> {
  %1 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  %2 = fuse.slice %1 offsets = [0, 5] sizes = [640, 10] strides = [1, 2] : tensor<640x30xf32> -> tensor<640x10xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<640x10xf32>
  return %3 : tensor<640x10xf32>
}

// expect kernels=1 blocks>=16
func.func @view_result(%x: tensor<640x30xf32>) -> (tensor<640x30xf32>, tensor<320x60xf32>) {
  %1 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  %2 = fuse.reshape %1 : tensor<640x30xf32> -> tensor<320x60xf32>
  %3 = fuse.unary exp %2 {fuse.together = "k"} : tensor<320x60xf32>
  return %1, %3 : tensor<640x30xf32>, tensor<320x60xf32>
}

// expect kernels=1 blocks>=1
func.func @shuffle(%x: tensor<2x64x10x10xf32>) -> tensor<2x64x10x10xf32> {
  %0 = fuse.unary tanh %x {fuse.together = "k"} : tensor<2x64x10x10xf32>
  %1 = fuse.reshape %0 : tensor<2x64x10x10xf32> -> tensor<2x2x32x10x10xf32>
  %2 = fuse.transpose %1 permutation = [0, 2, 1, 3, 4] : tensor<2x2x32x10x10xf32> -> tensor<2x32x2x10x10xf32>
  %3 = fuse.reshape %2 : tensor<2x32x2x10x10xf32> -> tensor<2x64x10x10xf32>
  %4 = fuse.unary exp %3 {fuse.together = "k"} : tensor<2x64x10x10xf32>
  return %4 : tensor<2x64x10x10xf32>
}

// expect kernels=1 blocks>=1
func.func @unaligned_reshape(%x: tensor<6x10xf32>) -> tensor<4x15xf32> {
  %0 = fuse.unary tanh %x {fuse.together = "k"} : tensor<6x10xf32>
  %1 = fuse.reshape %0 : tensor<6x10xf32> -> tensor<4x15xf32>
  %2 = fuse.unary exp %1 {fuse.together = "k"} : tensor<4x15xf32>
  return %2 : tensor<4x15xf32>
}

// expect kernels=1 blocks>=16
func.func @pool_chain(%x: tensor<1x64x20x20xf32>) -> tensor<1x64x10x10xf32> {
  %0 = fuse.unary relu %x {fuse.together = "k"} : tensor<1x64x20x20xf32>
  %1 = fuse.max_pool2d %0 kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw {fuse.together = "k"} : tensor<1x64x20x20xf32> -> tensor<1x64x10x10xf32>
  %2 = fuse.unary exp %1 {fuse.together = "k"} : tensor<1x64x10x10xf32>
  return %2 : tensor<1x64x10x10xf32>
}

// expect kernels=1 blocks>=16
func.func @upsample(%x: tensor<1x64x10x10xf32>) -> tensor<1x64x20x20xf32> {
  %0 = fuse.unary tanh %x {fuse.together = "k"} : tensor<1x64x10x10xf32>
  %1 = fuse.resize_nearest %0 {fuse.together = "k"} : tensor<1x64x10x10xf32> -> tensor<1x64x20x20xf32>
  %2 = fuse.unary exp %1 {fuse.together = "k"} : tensor<1x64x20x20xf32>
  return %2 : tensor<1x64x20x20xf32>
}

// expect kernels=1 blocks>=16
func.func @argmax_gatherlike(%x: tensor<640x30xf32>) -> (tensor<640xi64>, tensor<640xf32>) {
  %0 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  %1 = fuse.argmax %0 dimension = 1 {fuse.together = "k"} : tensor<640x30xf32> -> tensor<640xi64>
  %2 = fuse.reduce max %0 dimensions = [1] {fuse.together = "k"} : tensor<640x30xf32> -> tensor<640xf32>
  return %1, %2 : tensor<640xi64>, tensor<640xf32>
}

// expect kernels=1 blocks>=1
func.func @gram(%x: tensor<640x30xf32>) -> tensor<640x640xf32> {
  %0 = fuse.softmax %x dimension = 1 {fuse.together = "k"} : tensor<640x30xf32>
  %1 = fuse.matmul %0, %0 transpose_rhs {fuse.together = "k"} : (tensor<640x30xf32>, tensor<640x30xf32>) -> tensor<640x640xf32>
  return %1 : tensor<640x640xf32>
}

// expect kernels=1 blocks>=16
func.func @q1(%x: tensor<1x128x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x32xf32>) -> (tensor<1x4x128x16xf32>, tensor<1x2x128x16xf32>) {
  %0 = fuse.matmul %x, %w {fuse.together = "k"} : (tensor<1x128x64xf32>, tensor<64x64xf32>) -> tensor<1x128x64xf32>
  %2 = fuse.reshape %0 : tensor<1x128x64xf32> -> tensor<1x128x4x16xf32>
  %3 = fuse.transpose %2 permutation = [0, 2, 1, 3] : tensor<1x128x4x16xf32> -> tensor<1x4x128x16xf32>
  %4 = fuse.unary neg %3 {fuse.together = "k"} : tensor<1x4x128x16xf32>
  %a0 = fuse.matmul %x, %v {fuse.together = "k"} : (tensor<1x128x64xf32>, tensor<64x32xf32>) -> tensor<1x128x32xf32>
  %a2 = fuse.reshape %a0 : tensor<1x128x32xf32> -> tensor<1x128x2x16xf32>
  %a3 = fuse.transpose %a2 permutation = [0, 2, 1, 3] : tensor<1x128x2x16xf32> -> tensor<1x2x128x16xf32>
  %a4 = fuse.unary neg %a3 {fuse.together = "k"} : tensor<1x2x128x16xf32>
  return %4, %a4 : tensor<1x4x128x16xf32>, tensor<1x2x128x16xf32>
}
