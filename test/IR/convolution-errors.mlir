// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @conv_rank(%x: tensor<2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{expected input and filter of rank 4, found ranks 3 and 4}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_mask(%x: tensor<1x2x4x4xi1>, %w: tensor<3x2x3x3xi1>) -> tensor<1x3x2x2xi1> {
  // expected-error@+1 {{does not take element type i1}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xi1>, tensor<3x2x3x3xi1>) -> tensor<1x3x2x2xi1>
  return %0 : tensor<1x3x2x2xi1>
}

// -----

func.func @conv_types(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf16>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{expected element type 'f32' throughout, found 'f16'}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf16>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_result_type(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf16>
  return %0 : tensor<1x3x2x2xf16>
}

// -----

func.func @conv_dynamic(%x: tensor<1x?x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{expected static channels and a static filter, found 1x?x4x4 and 3x2x3x3}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x?x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_groups(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{2 groups do not fit 2 input channels, 2 filter channels and 3 features}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 2 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_no_group(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{0 groups do not fit}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 0 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_negative_group(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{-2 groups do not fit}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = -2 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_channels(%x: tensor<1x5x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{1 groups do not fit 5 input channels, 2 filter channels and 3 features}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x5x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_bias(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>, %b: tensor<2xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{expected a bias of shape 3 and element type 'f32', found 'tensor<2xf32>'}}
  %0 = fuse.conv2d %x, %w, %b strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>, tensor<2xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_strides(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{expected 2 entries of 'strides', found 1}}
  %0 = fuse.conv2d %x, %w strides = [1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_stride(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{entries of 'strides' are at least 1, found 0}}
  %0 = fuse.conv2d %x, %w strides = [1, 0] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_dilations(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{entries of 'dilations' are at least 1, found -1}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [-1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_padding(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{expected 4 entries of 'padding', found 2}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_pad(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{entries of 'padding' are at least 0, found -1}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, -1, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_empty_filter(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x0x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{entries of 'kernel' are at least 1, found 0}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x0x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_window(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{a window of 3 with dilation 2 does not fit in the padded extent 4}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [2, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// -----

func.func @conv_shape(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32> {
  // expected-error@+1 {{expected result shape 1x3x2x2, found 1x3x4x4}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

func.func @conv_layout(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x3xf32>) -> tensor<1x3x2x2xf32> {
  // expected-error@+1 {{expected result shape 1x2x2x3, found 1x3x2x2}}
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}
