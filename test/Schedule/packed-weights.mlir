// Tiles of kernels whose weights lie in blocks and whose images have their channels last.
// RUN: fuse-opt %s --fuse-pipeline=layouts | fuse-opt --pass-pipeline="builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules{stream},func.func(fuse-members-to-linalg,fuse-merge-members)))" | FileCheck %s

// Two dims stand for the columns; the inner one is a whole block in each tile.
// CHECK-DAG: func.func private @{{.*}}tensor<16x256x32xf32>, %{{.*}}tensor<512x512xf32>{{.*}}<block, dims = [0, 1, 2], sizes = [{{[0-9]+}}, {{[0-9]+}}, 32]>
func.func @product(%x: tensor<512x256xf32>, %w: tensor<256x512xf32> {fuse.param}) -> tensor<512x512xf32> {
  %0 = fuse.matmul %x, %w : (tensor<512x256xf32>, tensor<256x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// Padded columns are one dim, cut between blocks.
// CHECK-DAG: func.func private @{{.*}}tensor<32x256x32xf32>, %{{.*}}tensor<512x1000xf32>{{.*}}<block, dims = [0, 1], sizes = [{{[0-9]+}}, {{32|64|96|128|160|192|224|256|320|512|1000|1024}}]>
func.func @padded(%x: tensor<512x256xf32>, %w: tensor<256x1000xf32> {fuse.param}) -> tensor<512x1000xf32> {
  %0 = fuse.matmul %x, %w : (tensor<512x256xf32>, tensor<256x1000xf32>) -> tensor<512x1000xf32>
  return %0 : tensor<512x1000xf32>
}

// What the product does not have comes last, so that neighbouring blocks share what it computes.
// CHECK-DAG: func.func private @{{.*}}tensor<4x256x32xf32>, %{{.*}}tensor<8x64x128xf32>{{.*}}<block, dims = [1, 2, 3, 0], sizes = [{{[0-9]+}}, {{[0-9]+}}, 32, {{[0-9]+}}]>
func.func @order(%z: tensor<8x64x128xf32>, %x: tensor<64x256xf32>, %w: tensor<256x128xf32> {fuse.param}) -> tensor<8x64x128xf32> {
  %0 = fuse.matmul %x, %w : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %1 = fuse.binary add %z, %0 : (tensor<8x64x128xf32>, tensor<64x128xf32>) -> tensor<8x64x128xf32>
  return %1 : tensor<8x64x128xf32>
}

// A window over each channel of an image whose channels are last: whole vectors of channels.
// CHECK-DAG: func.func private @{{.*}}tensor<3x3x1x64xf32>, %{{.*}}tensor<1x28x28x64xf32> {{.*}}<block, dims = [0, 1, 2], sizes = [{{[0-9]+}}, {{[0-9]+}}, {{16|32|64}}]>
func.func @depthwise(%x: tensor<1x64x28x28xf32>, %p: tensor<64x64x1x1xf32> {fuse.param}, %w: tensor<64x1x3x3xf32> {fuse.param}) -> tensor<1x64x28x28xf32> {
  %0 = fuse.conv2d %x, %p strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.alone} : (tensor<1x64x28x28xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x28x28xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 64 layout = nchw_fchw {fuse.alone} : (tensor<1x64x28x28xf32>, tensor<64x1x3x3xf32>) -> tensor<1x64x28x28xf32>
  %2 = fuse.conv2d %1, %p strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.alone} : (tensor<1x64x28x28xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x28x28xf32>
  return %2 : tensor<1x64x28x28xf32>
}

// What a batch norm computes of a channel would be computed once with all pixels in a tile; that is worth less than a
// whole block of columns.
// CHECK-DAG: func.func private @{{.*}}tensor<8x1x1x1024x32xf32>, %{{.*}}tensor<1x14x14x256xf32> {{.*}}<block, dims = [0, 1, 2, 3], sizes = [{{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}, 32]>
func.func @batch_norm(%x: tensor<1x1024x14x14xf32>, %w: tensor<256x1024x1x1xf32> {fuse.param}, %v: tensor<256x256x1x1xf32> {fuse.param}, %p: tensor<256xf32>) -> tensor<1x256x14x14xf32> {
  %0 = fuse.unary exp %x {fuse.alone} : tensor<1x1024x14x14xf32>
  %1 = fuse.conv2d %0, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "a"} : (tensor<1x1024x14x14xf32>, tensor<256x1024x1x1xf32>) -> tensor<1x256x14x14xf32>
  %2 = fuse.batch_norm %1, %p, %p, %p, %p epsilon = 1.0e-05 feature_dimension = 1 {fuse.together = "a"} : (tensor<1x256x14x14xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<1x256x14x14xf32>
  %3 = fuse.conv2d %2, %v strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.alone} : (tensor<1x256x14x14xf32>, tensor<256x256x1x1xf32>) -> tensor<1x256x14x14xf32>
  return %3 : tensor<1x256x14x14xf32>
}

// Rows that stay near the core while each panel of columns goes through them: 64 of 4 KB.
// CHECK-DAG: func.func private @{{.*}}tensor<2x1024x32xf32>, %{{.*}}tensor<4096x64xf32>{{.*}}<block, dims = [0, 1, 2], sizes = [64, 2, 32]>
func.func @near_rows(%x: tensor<4096x1024xf32>, %w: tensor<1024x64xf32> {fuse.param}) -> tensor<4096x64xf32> {
  %0 = fuse.matmul %x, %w : (tensor<4096x1024xf32>, tensor<1024x64xf32>) -> tensor<4096x64xf32>
  return %0 : tensor<4096x64xf32>
}

// A few more are not cut in two.
// CHECK-DAG: func.func private @{{.*}}tensor<128x1024x32xf32>, %{{.*}}tensor<101x4096xf32>{{.*}}<block, dims = [0, 1, 2], sizes = [101, {{[0-9]+}}, 32]>
func.func @few_rows(%x: tensor<101x1024xf32>, %w: tensor<1024x4096xf32> {fuse.param}) -> tensor<101x4096xf32> {
  %0 = fuse.matmul %x, %w : (tensor<101x1024xf32>, tensor<1024x4096xf32>) -> tensor<101x4096xf32>
  return %0 : tensor<101x4096xf32>
}

// Attention with the projection of its queries, whose weights lie packed: the rows that the weights go through are those
// of the queries alone, and not times the columns of the values, so that a block has many.
// CHECK-DAG: func.func private @{{.*}}tensor<12x384x32xf32>, {{.*}}<block, dims = [0, 1, 2], sizes = [{{[1-6]}}, {{[3-9][0-9]|[1-9][0-9][0-9]}}, {{[0-9]+}}]>
func.func @projected(%x: tensor<512x384xf32>, %w: tensor<384x384xf32> {fuse.param}, %k: tensor<6x512x64xf32>, %v: tensor<6x512x64xf32>) -> tensor<6x512x64xf32> {
  %0 = fuse.matmul %x, %w {fuse.together = "p"} : (tensor<512x384xf32>, tensor<384x384xf32>) -> tensor<512x384xf32>
  %1 = fuse.reshape %0 : tensor<512x384xf32> -> tensor<512x6x64xf32>
  %2 = fuse.transpose %1 permutation = [1, 0, 2] : tensor<512x6x64xf32> -> tensor<6x512x64xf32>
  %3 = fuse.matmul %2, %k transpose_rhs {fuse.together = "p"} : (tensor<6x512x64xf32>, tensor<6x512x64xf32>) -> tensor<6x512x512xf32>
  %4 = fuse.softmax %3 dimension = 2 {fuse.together = "p"} : tensor<6x512x512xf32>
  %5 = fuse.matmul %4, %v {fuse.together = "p"} : (tensor<6x512x512xf32>, tensor<6x512x64xf32>) -> tensor<6x512x64xf32>
  return %5 : tensor<6x512x64xf32>
}

// A window behind a convolution goes over its channels with the same two loops as the convolution: over the 12 blocks
// of filters that the weights lie in, and over those of a block. So a tile of the window computes no filter of another.
// CHECK-DAG: func.func private @{{.*}}tensor<12x1x1x384x32xf32>, {{.*}}<block, dims = [2, 3, 0, 1], sizes = [{{[0-9]+}}, {{16|32}}, {{[0-9]+}}, {{[0-9]+}}]>
func.func @window_behind(%x: tensor<1x384x3x33xf32>, %w: tensor<384x384x1x1xf32> {fuse.param}, %b: tensor<1x384x1x1xf32> {fuse.param}, %d: tensor<384x1x3x3xf32> {fuse.param}) -> tensor<1x384x3x33xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw {fuse.together = "a"} : (tensor<1x384x3x33xf32>, tensor<384x384x1x1xf32>) -> tensor<1x384x3x33xf32>
  %1 = fuse.binary add %0, %b {fuse.together = "a"} : (tensor<1x384x3x33xf32>, tensor<1x384x1x1xf32>) -> tensor<1x384x3x33xf32>
  %2 = fuse.conv2d %1, %d strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 384 layout = nchw_fchw {fuse.together = "a"} : (tensor<1x384x3x33xf32>, tensor<384x1x3x3xf32>) -> tensor<1x384x3x33xf32>
  %3 = fuse.unary exp %2 {fuse.alone} : tensor<1x384x3x33xf32>
  return %3 : tensor<1x384x3x33xf32>
}

// The same of a convolution in groups: the padded window goes over 2 groups of 12 channels, and a tile of it asks
// for the filters of one group.
// CHECK-DAG: func.func private @{{.*}}tensor<3x3x16x24xf32>, %{{.*}}tensor<1x24x15x15xf32>{{.*}}<block, dims = [0, 1, 2, 3], sizes = [1, 12, {{[0-9]+}}, {{[0-9]+}}]>
func.func @groups_behind(%x: tensor<1x32x60x60xf32>, %w: tensor<24x16x3x3xf32> {fuse.param}) -> tensor<1x24x15x15xf32> {
  %0 = fuse.conv2d %x, %w strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 2 layout = nchw_fchw {fuse.together = "g"} : (tensor<1x32x60x60xf32>, tensor<24x16x3x3xf32>) -> tensor<1x24x29x29xf32>
  %1 = fuse.avg_pool2d %0 kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nchw_fchw {fuse.together = "g"} : tensor<1x24x29x29xf32> -> tensor<1x24x15x15xf32>
  return %1 : tensor<1x24x15x15xf32>
}
