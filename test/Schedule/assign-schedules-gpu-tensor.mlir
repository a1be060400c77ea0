// RUN: fuse-opt %s --split-input-file --fuse-assign-schedules="gpu stream" | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-assign-schedules=gpu | FileCheck %s --check-prefix=EXACT

// On tensor cores, which need an order of their own, four subgroups have 64 x 64 each. Of 512 x 1024 tiles of 128 x 64 are done
// first: 32 of 128 x 128 would leave most processors idle, 128 of 64 x 64 give some two.
// CHECK-LABEL: module @tensor
// EXACT-LABEL: module @tensor
// EXACT: func.func private @large({{.*}}sizes = [128, 128]>], threads = 256>
// CHECK: func.func private @large({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [128, 128]>], threads = 128>
// CHECK: func.func private @few({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{128, 64|64, 128}}]>], threads = 128>
// CHECK: func.func private @low({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [16, 64]>], threads = 128>
module @tensor attributes {fuse.target = #fuse.target<"gpu", gpu, {max_threads = 108.0, shared_memory_bytes = 166912.0, tensor_flops_per_ns = 2889.0, l3_bw = 66.8}>} {
  func.func private @large(%a: tensor<4096x512xf16>, %b: tensor<512x4096xf16>, %y: tensor<4096x4096xf16> {bufferization.writable = true}) -> tensor<4096x4096xf16> {
    %0 = fuse.matmul %a, %b : (tensor<4096x512xf16>, tensor<512x4096xf16>) -> tensor<4096x4096xf16>
    return %0 : tensor<4096x4096xf16>
  }
  func.func private @few(%a: tensor<512x512xbf16>, %b: tensor<512x1024xbf16>, %y: tensor<512x1024xbf16> {bufferization.writable = true}) -> tensor<512x1024xbf16> {
    %0 = fuse.matmul %a, %b : (tensor<512x512xbf16>, tensor<512x1024xbf16>) -> tensor<512x1024xbf16>
    return %0 : tensor<512x1024xbf16>
  }
  func.func private @low(%a: tensor<16x512xf16>, %b: tensor<512x4096xf16>, %y: tensor<16x4096xf16> {bufferization.writable = true}) -> tensor<16x4096xf16> {
    %0 = fuse.matmul %a, %b : (tensor<16x512xf16>, tensor<512x4096xf16>) -> tensor<16x4096xf16>
    return %0 : tensor<16x4096xf16>
  }
}

// -----

// Warpgroups read from shared memory what they multiply: of 128 x 256, by two, least for each product. Operands whose pieces are
// shorter than 16 bytes are those of subgroups, and so are tiles of few rows.
// CHECK-LABEL: module @warpgroups
// CHECK: func.func private @large({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [128, 256]>], threads = 256>
// CHECK: func.func private @odd({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{(32|64|128), (32|64|128)}}]>], threads = 128>
// CHECK: func.func private @low({{.*}}#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [16, {{32|64}}]>], threads = 128>
module @warpgroups attributes {fuse.target = #fuse.target<"gpu", gpu, {max_threads = 132.0, shared_memory_bytes = 232448.0, tensor_flops_per_ns = 7495.0, warpgroup_size = 128.0, l3_bw = 42.0}>} {
  func.func private @large(%a: tensor<4096x512xf16>, %b: tensor<512x4096xf16>, %y: tensor<4096x4096xf16> {bufferization.writable = true}) -> tensor<4096x4096xf16> {
    %0 = fuse.matmul %a, %b : (tensor<4096x512xf16>, tensor<512x4096xf16>) -> tensor<4096x4096xf16>
    return %0 : tensor<4096x4096xf16>
  }
  func.func private @odd(%a: tensor<4096x500xf16>, %b: tensor<500x4096xf16>, %y: tensor<4096x4096xf16> {bufferization.writable = true}) -> tensor<4096x4096xf16> {
    %0 = fuse.matmul %a, %b : (tensor<4096x500xf16>, tensor<500x4096xf16>) -> tensor<4096x4096xf16>
    return %0 : tensor<4096x4096xf16>
  }
  func.func private @low(%a: tensor<16x512xf16>, %b: tensor<512x4096xf16>, %y: tensor<16x4096xf16> {bufferization.writable = true}) -> tensor<16x4096xf16> {
    %0 = fuse.matmul %a, %b : (tensor<16x512xf16>, tensor<512x4096xf16>) -> tensor<16x4096xf16>
    return %0 : tensor<16x4096xf16>
  }
}
