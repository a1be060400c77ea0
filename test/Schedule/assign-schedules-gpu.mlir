// RUN: fuse-opt %s --fuse-assign-schedules=gpu --split-input-file | fuse-opt --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-assign-schedules=gpu --split-input-file | FileCheck %s

// A thread takes four points, where that leaves each processor blocks; a small kernel has more blocks.
// CHECK-LABEL: module @points
// CHECK: func.func private @large({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [1024]>], threads = 256>
// CHECK: func.func private @small({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [256]>], threads = 256>
module @points attributes {fuse.target = #fuse.target<"gpu", gpu, {max_threads = 108.0, shared_memory_bytes = 49152.0}>} {
  func.func private @large(%x: tensor<16777216xf32>, %y: tensor<16777216xf32> {bufferization.writable = true}) -> tensor<16777216xf32> {
    %0 = fuse.unary neg %x : tensor<16777216xf32>
    return %0 : tensor<16777216xf32>
  }
  func.func private @small(%x: tensor<65536xf32>, %y: tensor<65536xf32> {bufferization.writable = true}) -> tensor<65536xf32> {
    %0 = fuse.unary neg %x : tensor<65536xf32>
    return %0 : tensor<65536xf32>
  }
}

// -----

// Rows: a lane for 16 bytes of a short one, so that a subgroup has several; long ones have more lanes.
// CHECK-LABEL: module @rows
// CHECK: func.func private @short({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [16]>, <subgroup, dims = [0], sizes = [1]>], threads = 256, lanes = 16>
// CHECK: func.func private @long({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [1]>, <subgroup, dims = [0], sizes = [1]>], threads = 256, lanes = 256>
module @rows {
  func.func private @short(%x: tensor<4096x64xf32>, %y: tensor<4096xf32> {bufferization.writable = true}) -> tensor<4096xf32> {
    %0 = fuse.reduce sum %x dimensions = [1] : tensor<4096x64xf32> -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
  func.func private @long(%x: tensor<4096x4096xf32>, %y: tensor<4096xf32> {bufferization.writable = true}) -> tensor<4096xf32> {
    %0 = fuse.reduce sum %x dimensions = [1] : tensor<4096x4096xf32> -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
}

// -----

// Lines of both buffers are read and written whole: square tiles.
// CHECK-LABEL: module @transposed
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [32, 32]>], threads = 256>
module @transposed {
  func.func private @k(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32> {bufferization.writable = true}) -> tensor<4096x4096xf32> {
    %0 = fuse.transpose %x permutation = [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
    %1 = fuse.copy %0 : tensor<4096x4096xf32>
    return %1 : tensor<4096x4096xf32>
  }
}

// -----

// A product's tile has sides of 128 where there are tiles for most processors, and less else.
// CHECK-LABEL: module @products
// CHECK: func.func private @large({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [128, 128]>], threads = 256>
// CHECK: func.func private @small({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [32, 32]>], threads = 128>
module @products attributes {fuse.target = #fuse.target<"gpu", gpu, {max_threads = 108.0, shared_memory_bytes = 49152.0}>} {
  func.func private @large(%a: tensor<4096x512xf32>, %b: tensor<512x4096xf32>, %c: tensor<4096x4096xf32> {bufferization.writable = true}) -> tensor<4096x4096xf32> {
    %0 = fuse.matmul %a, %b : (tensor<4096x512xf32>, tensor<512x4096xf32>) -> tensor<4096x4096xf32>
    return %0 : tensor<4096x4096xf32>
  }
  func.func private @small(%a: tensor<256x512xf32>, %b: tensor<512x256xf32>, %c: tensor<256x256xf32> {bufferization.writable = true}) -> tensor<256x256xf32> {
    %0 = fuse.matmul %a, %b : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
    return %0 : tensor<256x256xf32>
  }
}
