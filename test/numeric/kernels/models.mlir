// RUN: %python %S/Inputs/check_kernels.py %s

// Layers of models, a label per kernel.

// expect kernels=5 blocks>=16
func.func @bert_layer(%x: tensor<2x64x64xf32>, %wq: tensor<64x64xf32>, %bq: tensor<64xf32>, %wk: tensor<64x64xf32>, %bk: tensor<64xf32>, %wv: tensor<64x64xf32>, %bv: tensor<64xf32>, %wo: tensor<64x64xf32>, %bo: tensor<64xf32>, %w1: tensor<64x256xf32>, %b1: tensor<256xf32>, %w2: tensor<256x64xf32>, %b2: tensor<64xf32>, %g1: tensor<64xf32>, %o1: tensor<64xf32>, %g2: tensor<64xf32>, %o2: tensor<64xf32>, %mask: tensor<2x1x1x64xf32>) -> tensor<2x64x64xf32> {
  %sc = arith.constant dense<0.25> : tensor<f32>
  %mq = fuse.matmul %x, %wq {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64x64xf32>) -> tensor<2x64x64xf32>
  %aq = fuse.binary add %mq, %bq {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %rq = fuse.reshape %aq : tensor<2x64x64xf32> -> tensor<2x64x4x16xf32>
  %tq = fuse.transpose %rq permutation = [0, 2, 1, 3] : tensor<2x64x4x16xf32> -> tensor<2x4x64x16xf32>
  %mk = fuse.matmul %x, %wk {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64x64xf32>) -> tensor<2x64x64xf32>
  %ak = fuse.binary add %mk, %bk {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %rk = fuse.reshape %ak : tensor<2x64x64xf32> -> tensor<2x64x4x16xf32>
  %tk = fuse.transpose %rk permutation = [0, 2, 1, 3] : tensor<2x64x4x16xf32> -> tensor<2x4x64x16xf32>
  %mv = fuse.matmul %x, %wv {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64x64xf32>) -> tensor<2x64x64xf32>
  %av = fuse.binary add %mv, %bv {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %rv = fuse.reshape %av : tensor<2x64x64xf32> -> tensor<2x64x4x16xf32>
  %tv = fuse.transpose %rv permutation = [0, 2, 1, 3] : tensor<2x64x4x16xf32> -> tensor<2x4x64x16xf32>
  %s0 = fuse.matmul %tq, %tk transpose_rhs {fuse.together = "att"} : (tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>) -> tensor<2x4x64x64xf32>
  %s1 = fuse.binary mul %s0, %sc {fuse.together = "att"} : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64x64xf32>
  %s2 = fuse.binary add %s1, %mask {fuse.together = "att"} : (tensor<2x4x64x64xf32>, tensor<2x1x1x64xf32>) -> tensor<2x4x64x64xf32>
  %s3 = fuse.softmax %s2 dimension = 3 {fuse.together = "att"} : tensor<2x4x64x64xf32>
  %c0 = fuse.matmul %s3, %tv {fuse.together = "att"} : (tensor<2x4x64x64xf32>, tensor<2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
  %c1 = fuse.transpose %c0 permutation = [0, 2, 1, 3] : tensor<2x4x64x16xf32> -> tensor<2x64x4x16xf32>
  %c2 = fuse.reshape %c1 : tensor<2x64x4x16xf32> -> tensor<2x64x64xf32>
  %p0 = fuse.matmul %c2, %wo {fuse.together = "out"} : (tensor<2x64x64xf32>, tensor<64x64xf32>) -> tensor<2x64x64xf32>
  %p1 = fuse.binary add %p0, %bo {fuse.together = "out"} : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %p2 = fuse.binary add %p1, %x {fuse.together = "out"} : tensor<2x64x64xf32>
  %n1 = fuse.layer_norm %p2, %g1, %o1 dimensions = [2] epsilon = 1.0e-5 {fuse.together = "out"} : (tensor<2x64x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %f0 = fuse.matmul %n1, %w1 {fuse.together = "ffn1"} : (tensor<2x64x64xf32>, tensor<64x256xf32>) -> tensor<2x64x256xf32>
  %f1 = fuse.binary add %f0, %b1 {fuse.together = "ffn1"} : (tensor<2x64x256xf32>, tensor<256xf32>) -> tensor<2x64x256xf32>
  %f2 = fuse.unary gelu %f1 approximate = none {fuse.together = "ffn1"} : tensor<2x64x256xf32>
  %h0 = fuse.matmul %f2, %w2 {fuse.together = "ffn2"} : (tensor<2x64x256xf32>, tensor<256x64xf32>) -> tensor<2x64x64xf32>
  %h1 = fuse.binary add %h0, %b2 {fuse.together = "ffn2"} : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %h2 = fuse.binary add %h1, %n1 {fuse.together = "ffn2"} : tensor<2x64x64xf32>
  %n2 = fuse.layer_norm %h2, %g2, %o2 dimensions = [2] epsilon = 1.0e-5 {fuse.together = "ffn2"} : (tensor<2x64x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  return %n2 : tensor<2x64x64xf32>
}

// expect kernels=6 blocks>=16
func.func @llama_block(%x: tensor<2x64x64xf32>, %g1: tensor<64xf32>, %g2: tensor<64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x32xf32>, %wv: tensor<64x32xf32>, %wo: tensor<64x64xf32>, %w1: tensor<64x96xf32>, %w3: tensor<64x96xf32>, %w2: tensor<96x64xf32>, %cos: tensor<64x16xf32>, %sin: tensor<64x16xf32>) -> tensor<2x64x64xf32> {
  %sc = arith.constant dense<0.25> : tensor<f32>
  %eps = arith.constant dense<1.0e-5> : tensor<f32>
  %q1 = fuse.binary mul %x, %x {fuse.together = "n1"} : tensor<2x64x64xf32>
  %u1 = fuse.reduce mean %q1 dimensions = [2] keep_dims {fuse.together = "n1"} : tensor<2x64x64xf32> -> tensor<2x64x1xf32>
  %e1 = fuse.binary add %u1, %eps {fuse.together = "n1"} : (tensor<2x64x1xf32>, tensor<f32>) -> tensor<2x64x1xf32>
  %v1 = fuse.unary rsqrt %e1 {fuse.together = "n1"} : tensor<2x64x1xf32>
  %n1 = fuse.binary mul %x, %v1 {fuse.together = "n1"} : (tensor<2x64x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
  %y1 = fuse.binary mul %n1, %g1 {fuse.together = "n1"} : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %mq = fuse.matmul %y1, %wq {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64x64xf32>) -> tensor<2x64x64xf32>
  %rq = fuse.reshape %mq : tensor<2x64x64xf32> -> tensor<2x64x4x16xf32>
  %tq = fuse.transpose %rq permutation = [0, 2, 1, 3] : tensor<2x64x4x16xf32> -> tensor<2x4x64x16xf32>
  %lq = fuse.slice %tq offsets = [0, 0, 0, 0] sizes = [2, 4, 64, 8] strides = [1, 1, 1, 1] : tensor<2x4x64x16xf32> -> tensor<2x4x64x8xf32>
  %hq = fuse.slice %tq offsets = [0, 0, 0, 8] sizes = [2, 4, 64, 8] strides = [1, 1, 1, 1] : tensor<2x4x64x16xf32> -> tensor<2x4x64x8xf32>
  %neq = fuse.unary neg %hq {fuse.together = "qkv"} : tensor<2x4x64x8xf32>
  %roq = fuse.concat %neq, %lq dimension = 3 {fuse.together = "qkv"} : (tensor<2x4x64x8xf32>, tensor<2x4x64x8xf32>) -> tensor<2x4x64x16xf32>
  %cq = fuse.binary mul %tq, %cos {fuse.together = "qkv"} : (tensor<2x4x64x16xf32>, tensor<64x16xf32>) -> tensor<2x4x64x16xf32>
  %dq = fuse.binary mul %roq, %sin {fuse.together = "qkv"} : (tensor<2x4x64x16xf32>, tensor<64x16xf32>) -> tensor<2x4x64x16xf32>
  %zq = fuse.binary add %cq, %dq {fuse.together = "qkv"} : tensor<2x4x64x16xf32>
  %mk = fuse.matmul %y1, %wk {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64x32xf32>) -> tensor<2x64x32xf32>
  %rk = fuse.reshape %mk : tensor<2x64x32xf32> -> tensor<2x64x2x16xf32>
  %tk = fuse.transpose %rk permutation = [0, 2, 1, 3] : tensor<2x64x2x16xf32> -> tensor<2x2x64x16xf32>
  %lk = fuse.slice %tk offsets = [0, 0, 0, 0] sizes = [2, 2, 64, 8] strides = [1, 1, 1, 1] : tensor<2x2x64x16xf32> -> tensor<2x2x64x8xf32>
  %hk = fuse.slice %tk offsets = [0, 0, 0, 8] sizes = [2, 2, 64, 8] strides = [1, 1, 1, 1] : tensor<2x2x64x16xf32> -> tensor<2x2x64x8xf32>
  %nek = fuse.unary neg %hk {fuse.together = "qkv"} : tensor<2x2x64x8xf32>
  %rok = fuse.concat %nek, %lk dimension = 3 {fuse.together = "qkv"} : (tensor<2x2x64x8xf32>, tensor<2x2x64x8xf32>) -> tensor<2x2x64x16xf32>
  %ck = fuse.binary mul %tk, %cos {fuse.together = "qkv"} : (tensor<2x2x64x16xf32>, tensor<64x16xf32>) -> tensor<2x2x64x16xf32>
  %dk = fuse.binary mul %rok, %sin {fuse.together = "qkv"} : (tensor<2x2x64x16xf32>, tensor<64x16xf32>) -> tensor<2x2x64x16xf32>
  %zk = fuse.binary add %ck, %dk {fuse.together = "qkv"} : tensor<2x2x64x16xf32>
  %mv = fuse.matmul %y1, %wv {fuse.together = "qkv"} : (tensor<2x64x64xf32>, tensor<64x32xf32>) -> tensor<2x64x32xf32>
  %rv = fuse.reshape %mv : tensor<2x64x32xf32> -> tensor<2x64x2x16xf32>
  %tv = fuse.transpose %rv permutation = [0, 2, 1, 3] : tensor<2x64x2x16xf32> -> tensor<2x2x64x16xf32>
  %bk = fuse.broadcast %zk dimensions = [2] : tensor<2x2x64x16xf32> -> tensor<2x2x2x64x16xf32>
  %bbk = fuse.reshape %bk : tensor<2x2x2x64x16xf32> -> tensor<2x4x64x16xf32>
  %bv = fuse.broadcast %tv dimensions = [2] : tensor<2x2x64x16xf32> -> tensor<2x2x2x64x16xf32>
  %bbv = fuse.reshape %bv : tensor<2x2x2x64x16xf32> -> tensor<2x4x64x16xf32>
  %s0 = fuse.matmul %zq, %bbk transpose_rhs {fuse.together = "att"} : (tensor<2x4x64x16xf32>, tensor<2x4x64x16xf32>) -> tensor<2x4x64x64xf32>
  %s1 = fuse.binary mul %s0, %sc {fuse.together = "att"} : (tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64x64xf32>
  %i0 = fuse.iota dimension = 0 {fuse.together = "att"} : tensor<64x64xi64>
  %i1 = fuse.iota dimension = 1 {fuse.together = "att"} : tensor<64x64xi64>
  %cm = fuse.compare ge %i0, %i1 {fuse.together = "att"} : (tensor<64x64xi64>, tensor<64x64xi64>) -> tensor<64x64xi1>
  %ninf = arith.constant dense<0xFF800000> : tensor<f32>
  %s2 = fuse.select %cm, %s1, %ninf {fuse.together = "att"} : (tensor<64x64xi1>, tensor<2x4x64x64xf32>, tensor<f32>) -> tensor<2x4x64x64xf32>
  %s3 = fuse.softmax %s2 dimension = 3 {fuse.together = "att"} : tensor<2x4x64x64xf32>
  %c0 = fuse.matmul %s3, %bbv {fuse.together = "att"} : (tensor<2x4x64x64xf32>, tensor<2x4x64x16xf32>) -> tensor<2x4x64x16xf32>
  %c1 = fuse.transpose %c0 permutation = [0, 2, 1, 3] : tensor<2x4x64x16xf32> -> tensor<2x64x4x16xf32>
  %c2 = fuse.reshape %c1 : tensor<2x64x4x16xf32> -> tensor<2x64x64xf32>
  %p0 = fuse.matmul %c2, %wo {fuse.together = "out"} : (tensor<2x64x64xf32>, tensor<64x64xf32>) -> tensor<2x64x64xf32>
  %p1 = fuse.binary add %p0, %x {fuse.together = "out"} : tensor<2x64x64xf32>
  %q2 = fuse.binary mul %p1, %p1 {fuse.together = "out"} : tensor<2x64x64xf32>
  %u2 = fuse.reduce mean %q2 dimensions = [2] keep_dims {fuse.together = "out"} : tensor<2x64x64xf32> -> tensor<2x64x1xf32>
  %e2 = fuse.binary add %u2, %eps {fuse.together = "out"} : (tensor<2x64x1xf32>, tensor<f32>) -> tensor<2x64x1xf32>
  %v2 = fuse.unary rsqrt %e2 {fuse.together = "out"} : tensor<2x64x1xf32>
  %n2 = fuse.binary mul %p1, %v2 {fuse.together = "out"} : (tensor<2x64x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
  %y2 = fuse.binary mul %n2, %g2 {fuse.together = "out"} : (tensor<2x64x64xf32>, tensor<64xf32>) -> tensor<2x64x64xf32>
  %f0 = fuse.matmul %y2, %w1 {fuse.together = "gate"} : (tensor<2x64x64xf32>, tensor<64x96xf32>) -> tensor<2x64x96xf32>
  %f1 = fuse.matmul %y2, %w3 {fuse.together = "gate"} : (tensor<2x64x64xf32>, tensor<64x96xf32>) -> tensor<2x64x96xf32>
  %f2 = fuse.unary silu %f0 {fuse.together = "gate"} : tensor<2x64x96xf32>
  %f3 = fuse.binary mul %f2, %f1 {fuse.together = "gate"} : tensor<2x64x96xf32>
  %k0 = fuse.matmul %f3, %w2 {fuse.together = "down"} : (tensor<2x64x96xf32>, tensor<96x64xf32>) -> tensor<2x64x64xf32>
  %k1 = fuse.binary add %k0, %p1 {fuse.together = "down"} : tensor<2x64x64xf32>
  return %k1 : tensor<2x64x64xf32>
}

// expect kernels=3 blocks>=1
func.func @resnet_bottleneck(%x: tensor<1x32x16x16xf32>, %w1: tensor<16x32x1x1xf32>, %w2: tensor<16x16x3x3xf32>, %w3: tensor<32x16x1x1xf32>, %a1: tensor<16xf32>, %b1: tensor<16xf32>, %m1: tensor<16xf32>, %v1: tensor<16xf32>, %a2: tensor<16xf32>, %b2: tensor<16xf32>, %m2: tensor<16xf32>, %v2: tensor<16xf32>, %a3: tensor<32xf32>, %b3: tensor<32xf32>, %m3: tensor<32xf32>, %v3: tensor<32xf32>) -> tensor<1x32x16x16xf32> {
  %va1 = fuse.unary exp %v1 {fuse.together = "c1"} : tensor<16xf32>
  %c1 = fuse.conv2d %x, %w1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "c1"} : (tensor<1x32x16x16xf32>, tensor<16x32x1x1xf32>) -> tensor<1x16x16x16xf32>
  %d1 = fuse.batch_norm %c1, %a1, %b1, %m1, %va1 epsilon = 1.0e-05 feature_dimension = 1 {fuse.together = "c1"} : (tensor<1x16x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x16x16xf32>
  %e1 = fuse.unary relu %d1 {fuse.together = "c1"} : tensor<1x16x16x16xf32>
  %va2 = fuse.unary exp %v2 {fuse.together = "c2"} : tensor<16xf32>
  %c2 = fuse.conv2d %e1, %w2 strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw {fuse.together = "c2"} : (tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x16x16xf32>
  %d2 = fuse.batch_norm %c2, %a2, %b2, %m2, %va2 epsilon = 1.0e-05 feature_dimension = 1 {fuse.together = "c2"} : (tensor<1x16x16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x16x16xf32>
  %e2 = fuse.unary relu %d2 {fuse.together = "c2"} : tensor<1x16x16x16xf32>
  %va3 = fuse.unary exp %v3 {fuse.together = "c3"} : tensor<32xf32>
  %c3 = fuse.conv2d %e2, %w3 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "c3"} : (tensor<1x16x16x16xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x16x16xf32>
  %d3 = fuse.batch_norm %c3, %a3, %b3, %m3, %va3 epsilon = 1.0e-05 feature_dimension = 1 {fuse.together = "c3"} : (tensor<1x32x16x16xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<1x32x16x16xf32>
  %s = fuse.binary add %d3, %x {fuse.together = "c3"} : tensor<1x32x16x16xf32>
  %e3 = fuse.unary relu %s {fuse.together = "c3"} : tensor<1x32x16x16xf32>
  return %e3 : tensor<1x32x16x16xf32>
}
