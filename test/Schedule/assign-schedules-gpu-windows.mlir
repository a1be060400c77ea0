// RUN: fuse-opt %s --fuse-assign-schedules=gpu --split-input-file | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#one = affine_map<(d0, d1) -> (d0)>

// A row of 16 bytes is one thread's. Ten elements, which no 16 bytes divide, are 5 pairs.
// CHECK-LABEL: module @rows
// CHECK: func.func private @four({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [256]>, <subgroup, dims = [0], sizes = [1]>], threads = 256, lanes = 1>
// CHECK: func.func private @ten({{.*}}#fuse.schedule<levels = [<block, dims = [0], sizes = [16]>, <subgroup, dims = [0], sizes = [1]>], threads = 128, lanes = 8>
module @rows {
  func.func private @four(%x: tensor<400000x4xf32>, %y: tensor<400000xf32> {bufferization.writable = true}) -> tensor<400000xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<400000xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<400000xf32>) -> tensor<400000xf32>
    %0 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<400000x4xf32>) outs(%f : tensor<400000xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<400000xf32>
    return %0 : tensor<400000xf32>
  }
  func.func private @ten(%x: tensor<4000x10xf32>, %y: tensor<4000xf32> {bufferization.writable = true}) -> tensor<4000xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4000xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4000xf32>) -> tensor<4000xf32>
    %0 = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4000x10xf32>) outs(%f : tensor<4000xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<4000xf32>
    return %0 : tensor<4000xf32>
  }
}

// -----

#window = affine_map<(n, w, k) -> (n, w * 2 + k)>
#taps = affine_map<(n, w, k) -> (k)>
#point = affine_map<(n, w, k) -> (n, w)>

// Two elements of a window are folded by the thread of their point; of 512, lanes share the work.
// CHECK-LABEL: module @windows
// CHECK: func.func private @short({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [1, 1024]>], threads = 256>
// CHECK: func.func private @long({{.*}}threads = 128, lanes = 32>
module @windows {
  func.func private @short(%x: tensor<1000x2048xf32>, %y: tensor<1000x1024xf32> {bufferization.writable = true}) -> tensor<1000x1024xf32> {
    %least = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<1000x1024xf32>
    %k = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%least : f32) outs(%e : tensor<1000x1024xf32>) -> tensor<1000x1024xf32>
    %0 = linalg.generic {indexing_maps = [#window, #taps, #point], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %k : tensor<1000x2048xf32>, tensor<2xf32>) outs(%f : tensor<1000x1024xf32>) {
    ^bb0(%in: f32, %tap: f32, %out: f32):
      %1 = arith.maximumf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<1000x1024xf32>
    return %0 : tensor<1000x1024xf32>
  }
  func.func private @long(%x: tensor<1000x2558xf32>, %y: tensor<1000x1024xf32> {bufferization.writable = true}) -> tensor<1000x1024xf32> {
    %least = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<1000x1024xf32>
    %k = tensor.empty() : tensor<512xf32>
    %f = linalg.fill ins(%least : f32) outs(%e : tensor<1000x1024xf32>) -> tensor<1000x1024xf32>
    %0 = linalg.generic {indexing_maps = [#window, #taps, #point], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %k : tensor<1000x2558xf32>, tensor<512xf32>) outs(%f : tensor<1000x1024xf32>) {
    ^bb0(%in: f32, %tap: f32, %out: f32):
      %1 = arith.maximumf %out, %in : f32
      linalg.yield %1 : f32
    } -> tensor<1000x1024xf32>
    return %0 : tensor<1000x1024xf32>
  }
}

// -----

#id = affine_map<(b, t, c) -> (b, t, c)>
#token = affine_map<(b, t, c) -> (b, t)>

// An operand for each row of the result is not turned: the tile has whole rows of it.
// CHECK-LABEL: module @scaled
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [1, 2, 512]>], threads = 256>
module @scaled {
  func.func private @k(%x: tensor<8x512x512xf32>, %s: tensor<8x512xf32>, %y: tensor<8x512x512xf32> {bufferization.writable = true}) -> tensor<8x512x512xf32> {
    %e = tensor.empty() : tensor<8x512x512xf32>
    %0 = linalg.generic {indexing_maps = [#id, #token, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %s : tensor<8x512x512xf32>, tensor<8x512xf32>) outs(%e : tensor<8x512x512xf32>) {
    ^bb0(%in: f32, %scale: f32, %out: f32):
      %1 = arith.mulf %in, %scale : f32
      linalg.yield %1 : f32
    } -> tensor<8x512x512xf32>
    return %0 : tensor<8x512x512xf32>
  }
}
