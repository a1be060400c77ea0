// Products are priced at the rates that the cost model has for their types: half of what tensor cores do where nothing
// keeps them waiting. Each of two ranks multiplies 1024^3 times.
// RUN: fuse-opt %s -split-input-file -fuse-distribute='shard=auto=2 explain' 2>&1 | FileCheck %s

// CHECK: remark: chosen: grid 2, {{[0-9.]+}} us (2147.5 computing, 0.0 in 0 collectives)
module attributes {fuse.target = #fuse.target<"device", gpu, {memory_bw = 1000000.0, matmul_flops_per_ns = 100.0, tensor_flops_per_ns = 2000.0, tensor_int8_flops_per_ns = 4000.0}>} {
  func.func @shorts(%x: tensor<2048x1024xf16>, %w: tensor<1024x1024xf16> {fuse.param}) -> tensor<2048x1024xf16> {
    %0 = fuse.matmul %x, %w : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
    return %0 : tensor<2048x1024xf16>
  }
}

// -----

// CHECK: remark: chosen: grid 2, {{[0-9.]+}} us (1073.7 computing, 0.0 in 0 collectives)
module attributes {fuse.target = #fuse.target<"device", gpu, {memory_bw = 1000000.0, matmul_flops_per_ns = 100.0, tensor_flops_per_ns = 2000.0, tensor_int8_flops_per_ns = 4000.0}>} {
  func.func @bytes(%x: tensor<2048x1024xi8>, %w: tensor<1024x1024xi8> {fuse.param}) -> tensor<2048x1024xi32> {
    %0 = fuse.matmul %x, %w : (tensor<2048x1024xi8>, tensor<1024x1024xi8>) -> tensor<2048x1024xi32>
    return %0 : tensor<2048x1024xi32>
  }
}

// -----

// Without tensor cores all products have one rate.
// CHECK: remark: chosen: grid 2, {{[0-9.]+}} us (21474.8 computing, 0.0 in 0 collectives)
module attributes {fuse.target = #fuse.target<"device", gpu, {memory_bw = 1000000.0, matmul_flops_per_ns = 100.0}>} {
  func.func @none(%x: tensor<2048x1024xf16>, %w: tensor<1024x1024xf16> {fuse.param}) -> tensor<2048x1024xf16> {
    %0 = fuse.matmul %x, %w : (tensor<2048x1024xf16>, tensor<1024x1024xf16>) -> tensor<2048x1024xf16>
    return %0 : tensor<2048x1024xf16>
  }
}
