// RUN: fuse-opt %s --fuse-assign-schedules=gpu --split-input-file | FileCheck %s

// A row of 16 bytes is one thread's. Ten elements, which no 16 bytes divide, are 5 pairs.
// CHECK-LABEL: module @rows
// CHECK: func.func private @four({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [256]>, <subgroup, dims = [0], sizes = [1]>], threads = 256, lanes = 1>
// CHECK: func.func private @ten({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [16]>, <subgroup, dims = [0], sizes = [1]>], threads = 128, lanes = 8>
module @rows {
  func.func private @four(%x: tensor<400000x4xf32>, %y: tensor<400000xf32> {bufferization.writable = true}) -> tensor<400000xf32> {
    %0 = fuse.reduce sum %x dimensions = [1] : tensor<400000x4xf32> -> tensor<400000xf32>
    return %0 : tensor<400000xf32>
  }
  func.func private @ten(%x: tensor<4000x10xf32>, %y: tensor<4000xf32> {bufferization.writable = true}) -> tensor<4000xf32> {
    %0 = fuse.reduce sum %x dimensions = [1] : tensor<4000x10xf32> -> tensor<4000xf32>
    return %0 : tensor<4000xf32>
  }
}

// -----

// Two elements of a window are reduced by the thread of their point; of 512, lanes share the work.
// CHECK-LABEL: module @windows
// CHECK: func.func private @short({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [1, 1024]>], threads = 256>
// CHECK: func.func private @long({{.*}}threads = 128, lanes = 32>
module @windows {
  func.func private @short(%x: tensor<1x1000x1x2048xf32>, %y: tensor<1x1000x1x1024xf32> {bufferization.writable = true}) -> tensor<1x1000x1x1024xf32> {
    %0 = fuse.max_pool2d %x kernel = [1, 2] strides = [1, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x1000x1x2048xf32> -> tensor<1x1000x1x1024xf32>
    return %0 : tensor<1x1000x1x1024xf32>
  }
  func.func private @long(%x: tensor<1x1000x1x2558xf32>, %y: tensor<1x1000x1x1024xf32> {bufferization.writable = true}) -> tensor<1x1000x1x1024xf32> {
    %0 = fuse.max_pool2d %x kernel = [1, 512] strides = [1, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x1000x1x2558xf32> -> tensor<1x1000x1x1024xf32>
    return %0 : tensor<1x1000x1x1024xf32>
  }
}

// -----

// An operand for each row of the result is not transposed: the tile has whole rows of it.
// CHECK-LABEL: module @scaled
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [1, 2, 512]>], threads = 256>
module @scaled {
  func.func private @k(%x: tensor<8x512x512xf32>, %s: tensor<8x512x1xf32>, %y: tensor<8x512x512xf32> {bufferization.writable = true}) -> tensor<8x512x512xf32> {
    %0 = fuse.binary mul %x, %s : (tensor<8x512x512xf32>, tensor<8x512x1xf32>) -> tensor<8x512x512xf32>
    return %0 : tensor<8x512x512xf32>
  }
}
