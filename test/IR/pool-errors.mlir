// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @max_pool_mask(%x: tensor<1x2x4x4xi1>) -> tensor<1x2x2x2xi1> {
  // expected-error@+1 {{does not take element type i1}}
  %0 = fuse.max_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xi1> -> tensor<1x2x2x2xi1>
  return %0 : tensor<1x2x2x2xi1>
}

// -----

func.func @max_pool_rank(%x: tensor<2x4x4xf32>) -> tensor<2x2x2xf32> {
  // expected-error@+1 {{expected an input of rank 4, found rank 3}}
  %0 = fuse.max_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<2x4x4xf32> -> tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
}

// -----

func.func @max_pool_type(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.max_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf16>
  return %0 : tensor<1x2x2x2xf16>
}

// -----

func.func @max_pool_kernel(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  // expected-error@+1 {{expected 2 entries of 'kernel', found 3}}
  %0 = fuse.max_pool2d %x kernel = [2, 2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

func.func @max_pool_window(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  // expected-error@+1 {{a window of 5 with dilation 1 does not fit in the padded extent 4}}
  %0 = fuse.max_pool2d %x kernel = [2, 5] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

func.func @max_pool_shape(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
  // expected-error@+1 {{expected result shape 1x2x2x2, found 1x2x3x3}}
  %0 = fuse.max_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xf32> -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// -----

func.func @avg_pool_integers(%x: tensor<1x2x4x4xi32>) -> tensor<1x2x2x2xi32> {
  // expected-error@+1 {{operand #0 must be ranked tensor of floating-point element type values}}
  %0 = fuse.avg_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xi32> -> tensor<1x2x2x2xi32>
  return %0 : tensor<1x2x2x2xi32>
}

// -----

func.func @avg_pool_padding(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  // expected-error@+1 {{expected 4 entries of 'padding', found 1}}
  %0 = fuse.avg_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0] layout = nchw_fchw : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}

// -----

func.func @avg_pool_shape(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32> {
  // expected-error@+1 {{expected result shape 1x2x2x2, found 1x2x3x3}}
  %0 = fuse.avg_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xf32> -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// -----

func.func @max_pool_huge(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32> {
  // expected-error@+1 {{entries of 'dilations' are at most 2147483647, found 9223372036854775807}}
  %0 = fuse.max_pool2d %x kernel = [2, 2] strides = [2, 2] dilations = [9223372036854775807, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}
