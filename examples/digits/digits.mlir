// A classifier of handwritten digits, 360 scans of 8x8 at once; README.md beside this file tells how
// it was made. 17 ops from the image to `probability`; weights are arguments, named as in
// digits_weights.npz.
func.func @digits(
    %image: tensor<360x1x8x8xf32> {fuse.name = "image"},
    %label: tensor<360xi64> {fuse.name = "label"},
    %block1_conv_weight: tensor<16x1x3x3xf32> {fuse.param, fuse.name = "block1.conv.weight"},
    %block1_bn_scale: tensor<16xf32> {fuse.param, fuse.name = "block1.bn.scale"},
    %block1_bn_bias: tensor<16xf32> {fuse.param, fuse.name = "block1.bn.bias"},
    %block1_bn_mean: tensor<16xf32> {fuse.param, fuse.name = "block1.bn.mean"},
    %block1_bn_var: tensor<16xf32> {fuse.param, fuse.name = "block1.bn.var"},
    %block2_conv_weight: tensor<32x16x3x3xf32> {fuse.param, fuse.name = "block2.conv.weight"},
    %block2_bn_scale: tensor<32xf32> {fuse.param, fuse.name = "block2.bn.scale"},
    %block2_bn_bias: tensor<32xf32> {fuse.param, fuse.name = "block2.bn.bias"},
    %block2_bn_mean: tensor<32xf32> {fuse.param, fuse.name = "block2.bn.mean"},
    %block2_bn_var: tensor<32xf32> {fuse.param, fuse.name = "block2.bn.var"},
    %block3_conv_weight: tensor<64x32x3x3xf32> {fuse.param, fuse.name = "block3.conv.weight"},
    %block3_bn_scale: tensor<64xf32> {fuse.param, fuse.name = "block3.bn.scale"},
    %block3_bn_bias: tensor<64xf32> {fuse.param, fuse.name = "block3.bn.bias"},
    %block3_bn_mean: tensor<64xf32> {fuse.param, fuse.name = "block3.bn.mean"},
    %block3_bn_var: tensor<64xf32> {fuse.param, fuse.name = "block3.bn.var"},
    %fc1_weight: tensor<64x64xf32> {fuse.param, fuse.name = "fc1.weight"},
    %fc1_bias: tensor<64xf32> {fuse.param, fuse.name = "fc1.bias"},
    %fc2_weight: tensor<10x64xf32> {fuse.param, fuse.name = "fc2.weight"},
    %fc2_bias: tensor<10xf32> {fuse.param, fuse.name = "fc2.bias"})
    -> (tensor<360x10xf32> {fuse.name = "probability"}, tensor<i32> {fuse.name = "correct"}) {
  // Block 1: 1 to 16 channels of 8x8.
  %block1_conv = fuse.conv2d %image, %block1_conv_weight strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<360x1x8x8xf32>, tensor<16x1x3x3xf32>) -> tensor<360x16x8x8xf32>
  %block1_bn = fuse.batch_norm %block1_conv, %block1_bn_scale, %block1_bn_bias, %block1_bn_mean, %block1_bn_var epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<360x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<360x16x8x8xf32>
  %block1_relu = fuse.unary relu %block1_bn : tensor<360x16x8x8xf32>

  // Block 2: 16 to 32 channels of 8x8.
  %block2_conv = fuse.conv2d %block1_relu, %block2_conv_weight strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<360x16x8x8xf32>, tensor<32x16x3x3xf32>) -> tensor<360x32x8x8xf32>
  %block2_bn = fuse.batch_norm %block2_conv, %block2_bn_scale, %block2_bn_bias, %block2_bn_mean, %block2_bn_var epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<360x32x8x8xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<360x32x8x8xf32>
  %block2_relu = fuse.unary relu %block2_bn : tensor<360x32x8x8xf32>
  %pool = fuse.max_pool2d %block2_relu kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<360x32x8x8xf32> -> tensor<360x32x4x4xf32>

  // Block 3: 32 to 64 channels of 4x4.
  %block3_conv = fuse.conv2d %pool, %block3_conv_weight strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<360x32x4x4xf32>, tensor<64x32x3x3xf32>) -> tensor<360x64x4x4xf32>
  %block3_bn = fuse.batch_norm %block3_conv, %block3_bn_scale, %block3_bn_bias, %block3_bn_mean, %block3_bn_var epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<360x64x4x4xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<360x64x4x4xf32>
  %block3_relu = fuse.unary relu %block3_bn : tensor<360x64x4x4xf32>

  // The head: the mean of each channel, two linear layers, probabilities.
  %mean = fuse.reduce mean %block3_relu dimensions = [2, 3] : tensor<360x64x4x4xf32> -> tensor<360x64xf32>
  %fc1_product = fuse.matmul %mean, %fc1_weight transpose_rhs : (tensor<360x64xf32>, tensor<64x64xf32>) -> tensor<360x64xf32>
  %fc1 = fuse.binary add %fc1_product, %fc1_bias : (tensor<360x64xf32>, tensor<64xf32>) -> tensor<360x64xf32>
  %gelu = fuse.unary gelu %fc1 approximate = tanh : tensor<360x64xf32>
  %fc2_product = fuse.matmul %gelu, %fc2_weight transpose_rhs : (tensor<360x64xf32>, tensor<10x64xf32>) -> tensor<360x10xf32>
  %fc2 = fuse.binary add %fc2_product, %fc2_bias : (tensor<360x10xf32>, tensor<10xf32>) -> tensor<360x10xf32>
  %probability = fuse.softmax %fc2 dimension = 1 : tensor<360x10xf32>

  // How many scans got the digit that they are labelled with.
  %digit = fuse.argmax %probability dimension = 1 : tensor<360x10xf32> -> tensor<360xi64>
  %hit = fuse.compare eq %digit, %label : (tensor<360xi64>, tensor<360xi64>) -> tensor<360xi1>
  %count = fuse.cast %hit : (tensor<360xi1>) -> tensor<360xi32>
  %correct = fuse.reduce sum %count dimensions = [0] : tensor<360xi32> -> tensor<i32>
  return %probability, %correct : tensor<360x10xf32>, tensor<i32>
}
