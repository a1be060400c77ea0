// Blocks of transformers: heads and features are cut, and each block has two all_reduce, whatever
// normalizes, and whether queries, keys and values are one product or three.
// RUN: fuse-opt %s -fuse-distribute='shard=tensor=2' | FileCheck %s
// RUN: fuse-opt %s -fuse-distribute='shard=tensor=2,data=2' | FileCheck %s
// RUN: fuse-opt %s -fuse-distribute='shard=data=2' | FileCheck %s --check-prefix=DATA
// RUN: fuse-opt %s -test-fuse-distribute='shard=tensor=2' -o /dev/null | FileCheck %s --check-prefix=RANKS
// RUN: fuse-opt %s -test-fuse-distribute='shard=tensor=2,data=2' -o /dev/null | FileCheck %s --check-prefix=RANKS
// RUN: fuse-opt %s -test-fuse-distribute='shard=tensor=1,data=2' -o /dev/null | FileCheck %s --check-prefix=APART
// DATA-NOT: fuse.all_
// What a rank has of weights that are read in parts is taken once, not in each call.
// RUN: fuse-opt %s -fuse-distribute='shard=tensor=2' -fuse-pipeline='prepare=true' | FileCheck %s --check-prefix=ONCE
// ONCE: func.func @gpt2(
// ONCE-NOT: fuse.all_slice
// ONCE: func.func @gpt2_prepare(
// ONCE-COUNT-6: fuse.all_slice

// CHECK-LABEL: func.func @bert(
// CHECK-COUNT-2: fuse.all_reduce sum
// CHECK-NOT: fuse.{{(all_reduce|all_gather|all_to_all|reduce_scatter)}}
// RANKS: bert: 2 all_reduce equal within 1e-5
// APART: bert: equal within 1e-5
func.func @bert(%x: tensor<2x8x16xf32>, %wq: tensor<16x16xf32> {fuse.param}, %bq: tensor<16xf32> {fuse.param}, %wk: tensor<16x16xf32> {fuse.param}, %bk: tensor<16xf32> {fuse.param}, %wv: tensor<16x16xf32> {fuse.param}, %bv: tensor<16xf32> {fuse.param}, %wo: tensor<16x16xf32> {fuse.param}, %bo: tensor<16xf32> {fuse.param}, %mask: tensor<2x1x1x8xf32>, %g1: tensor<16xf32> {fuse.param}, %e1: tensor<16xf32> {fuse.param}, %w1: tensor<16x64xf32> {fuse.param}, %b1: tensor<64xf32> {fuse.param}, %w2: tensor<64x16xf32> {fuse.param}, %b2: tensor<16xf32> {fuse.param}, %g2: tensor<16xf32> {fuse.param}, %e2: tensor<16xf32> {fuse.param}) -> tensor<2x8x16xf32> {
  %0 = fuse.matmul %x, %wq : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %1 = fuse.binary add %0, %bq : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %2 = fuse.reshape %1 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %3 = fuse.transpose %2 permutation = [0, 2, 1, 3] : tensor<2x8x4x4xf32> -> tensor<2x4x8x4xf32>
  %4 = fuse.matmul %x, %wk : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %5 = fuse.binary add %4, %bk : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %6 = fuse.reshape %5 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %7 = fuse.transpose %6 permutation = [0, 2, 1, 3] : tensor<2x8x4x4xf32> -> tensor<2x4x8x4xf32>
  %8 = fuse.matmul %x, %wv : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %9 = fuse.binary add %8, %bv : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %10 = fuse.reshape %9 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %11 = fuse.transpose %10 permutation = [0, 2, 1, 3] : tensor<2x8x4x4xf32> -> tensor<2x4x8x4xf32>
  %12 = fuse.attention %3, %7, %11, %mask scale = 5.000000e-01 : (tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>, tensor<2x1x1x8xf32>) -> tensor<2x4x8x4xf32>
  %13 = fuse.transpose %12 permutation = [0, 2, 1, 3] : tensor<2x4x8x4xf32> -> tensor<2x8x4x4xf32>
  %14 = fuse.reshape %13 : tensor<2x8x4x4xf32> -> tensor<2x8x16xf32>
  %15 = fuse.matmul %14, %wo : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %16 = fuse.binary add %15, %bo : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %17 = fuse.binary add %x, %16 : tensor<2x8x16xf32>
  %18 = fuse.layer_norm %17, %g1, %e1 dimensions = [2] epsilon = 1.000000e-05 : (tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %19 = fuse.matmul %18, %w1 : (tensor<2x8x16xf32>, tensor<16x64xf32>) -> tensor<2x8x64xf32>
  %20 = fuse.binary add %19, %b1 : (tensor<2x8x64xf32>, tensor<64xf32>) -> tensor<2x8x64xf32>
  %21 = fuse.unary gelu %20 : tensor<2x8x64xf32>
  %22 = fuse.matmul %21, %w2 : (tensor<2x8x64xf32>, tensor<64x16xf32>) -> tensor<2x8x16xf32>
  %23 = fuse.binary add %22, %b2 : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %24 = fuse.binary add %18, %23 : tensor<2x8x16xf32>
  %25 = fuse.layer_norm %24, %g2, %e2 dimensions = [2] epsilon = 1.000000e-05 : (tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  return %25 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func.func @gpt2(
// CHECK-COUNT-2: fuse.all_reduce sum
// CHECK-NOT: fuse.{{(all_reduce|all_gather|all_to_all|reduce_scatter)}}
// RANKS: gpt2: 2 all_reduce 6 all_slice equal within 1e-5
// APART: gpt2: equal within 1e-5
func.func @gpt2(%x: tensor<2x8x16xf32>, %g1: tensor<16xf32> {fuse.param}, %e1: tensor<16xf32> {fuse.param}, %wc: tensor<16x48xf32> {fuse.param}, %bc: tensor<48xf32> {fuse.param}, %wo: tensor<16x16xf32> {fuse.param}, %bo: tensor<16xf32> {fuse.param}, %g2: tensor<16xf32> {fuse.param}, %e2: tensor<16xf32> {fuse.param}, %w1: tensor<16x64xf32> {fuse.param}, %b1: tensor<64xf32> {fuse.param}, %w2: tensor<64x16xf32> {fuse.param}, %b2: tensor<16xf32> {fuse.param}) -> tensor<2x8x16xf32> {
  %0 = fuse.layer_norm %x, %g1, %e1 dimensions = [2] epsilon = 1.000000e-05 : (tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %1 = fuse.matmul %0, %wc : (tensor<2x8x16xf32>, tensor<16x48xf32>) -> tensor<2x8x48xf32>
  %2 = fuse.binary add %1, %bc : (tensor<2x8x48xf32>, tensor<48xf32>) -> tensor<2x8x48xf32>
  %3 = fuse.slice %2 offsets = [0, 0, 0] sizes = [2, 8, 16] strides = [1, 1, 1] : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %4 = fuse.reshape %3 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %5 = fuse.transpose %4 permutation = [0, 2, 1, 3] : tensor<2x8x4x4xf32> -> tensor<2x4x8x4xf32>
  %6 = fuse.slice %2 offsets = [0, 0, 16] sizes = [2, 8, 16] strides = [1, 1, 1] : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %7 = fuse.reshape %6 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %8 = fuse.transpose %7 permutation = [0, 2, 1, 3] : tensor<2x8x4x4xf32> -> tensor<2x4x8x4xf32>
  %9 = fuse.slice %2 offsets = [0, 0, 32] sizes = [2, 8, 16] strides = [1, 1, 1] : tensor<2x8x48xf32> -> tensor<2x8x16xf32>
  %10 = fuse.reshape %9 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %11 = fuse.transpose %10 permutation = [0, 2, 1, 3] : tensor<2x8x4x4xf32> -> tensor<2x4x8x4xf32>
  %12 = fuse.attention %5, %8, %11 scale = 5.000000e-01 causal : (tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>, tensor<2x4x8x4xf32>) -> tensor<2x4x8x4xf32>
  %13 = fuse.transpose %12 permutation = [0, 2, 1, 3] : tensor<2x4x8x4xf32> -> tensor<2x8x4x4xf32>
  %14 = fuse.reshape %13 : tensor<2x8x4x4xf32> -> tensor<2x8x16xf32>
  %15 = fuse.matmul %14, %wo : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %16 = fuse.binary add %15, %bo : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %17 = fuse.binary add %x, %16 : tensor<2x8x16xf32>
  %18 = fuse.layer_norm %17, %g2, %e2 dimensions = [2] epsilon = 1.000000e-05 : (tensor<2x8x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %19 = fuse.matmul %18, %w1 : (tensor<2x8x16xf32>, tensor<16x64xf32>) -> tensor<2x8x64xf32>
  %20 = fuse.binary add %19, %b1 : (tensor<2x8x64xf32>, tensor<64xf32>) -> tensor<2x8x64xf32>
  %21 = fuse.unary gelu %20 : tensor<2x8x64xf32>
  %22 = fuse.matmul %21, %w2 : (tensor<2x8x64xf32>, tensor<64x16xf32>) -> tensor<2x8x16xf32>
  %23 = fuse.binary add %22, %b2 : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %24 = fuse.binary add %17, %23 : tensor<2x8x16xf32>
  return %24 : tensor<2x8x16xf32>
}

// CHECK-LABEL: func.func @llama(
// CHECK-COUNT-2: fuse.all_reduce sum
// CHECK-NOT: fuse.{{(all_reduce|all_gather|all_to_all|reduce_scatter)}}
// RANKS: llama: 2 all_reduce equal within 1e-5
// APART: llama: equal within 1e-5
func.func @llama(%x: tensor<2x8x16xf32>, %g1: tensor<16xf32> {fuse.param}, %wq: tensor<16x16xf32> {fuse.param}, %wk: tensor<16x8xf32> {fuse.param}, %wv: tensor<16x8xf32> {fuse.param}, %cos: tensor<8x4xf32> {fuse.param}, %sin: tensor<8x4xf32> {fuse.param}, %wo: tensor<16x16xf32> {fuse.param}, %g2: tensor<16xf32> {fuse.param}, %w1: tensor<16x64xf32> {fuse.param}, %w3: tensor<16x64xf32> {fuse.param}, %w2: tensor<64x16xf32> {fuse.param}) -> tensor<2x8x16xf32> {
  %0 = fuse.binary mul %x, %x : tensor<2x8x16xf32>
  %1 = fuse.reduce mean %0 dimensions = [2] keep_dims : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  %2 = arith.constant dense<1.0e-05> : tensor<f32>
  %3 = fuse.binary add %1, %2 : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8x1xf32>
  %4 = fuse.unary rsqrt %3 : tensor<2x8x1xf32>
  %5 = fuse.binary mul %x, %4 : (tensor<2x8x16xf32>, tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
  %6 = fuse.binary mul %5, %g1 : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %7 = fuse.matmul %6, %wq : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %8 = fuse.reshape %7 : tensor<2x8x16xf32> -> tensor<2x8x4x4xf32>
  %9 = fuse.transpose %8 permutation = [0, 2, 1, 3] : tensor<2x8x4x4xf32> -> tensor<2x4x8x4xf32>
  %10 = fuse.slice %9 offsets = [0, 0, 0, 0] sizes = [2, 4, 8, 2] strides = [1, 1, 1, 1] : tensor<2x4x8x4xf32> -> tensor<2x4x8x2xf32>
  %11 = fuse.slice %9 offsets = [0, 0, 0, 2] sizes = [2, 4, 8, 2] strides = [1, 1, 1, 1] : tensor<2x4x8x4xf32> -> tensor<2x4x8x2xf32>
  %12 = fuse.unary neg %11 : tensor<2x4x8x2xf32>
  %13 = fuse.concat %12, %10 dimension = 3 : (tensor<2x4x8x2xf32>, tensor<2x4x8x2xf32>) -> tensor<2x4x8x4xf32>
  %14 = fuse.binary mul %9, %cos : (tensor<2x4x8x4xf32>, tensor<8x4xf32>) -> tensor<2x4x8x4xf32>
  %15 = fuse.binary mul %13, %sin : (tensor<2x4x8x4xf32>, tensor<8x4xf32>) -> tensor<2x4x8x4xf32>
  %16 = fuse.binary add %14, %15 : tensor<2x4x8x4xf32>
  %17 = fuse.matmul %6, %wk : (tensor<2x8x16xf32>, tensor<16x8xf32>) -> tensor<2x8x8xf32>
  %18 = fuse.reshape %17 : tensor<2x8x8xf32> -> tensor<2x8x2x4xf32>
  %19 = fuse.transpose %18 permutation = [0, 2, 1, 3] : tensor<2x8x2x4xf32> -> tensor<2x2x8x4xf32>
  %20 = fuse.slice %19 offsets = [0, 0, 0, 0] sizes = [2, 2, 8, 2] strides = [1, 1, 1, 1] : tensor<2x2x8x4xf32> -> tensor<2x2x8x2xf32>
  %21 = fuse.slice %19 offsets = [0, 0, 0, 2] sizes = [2, 2, 8, 2] strides = [1, 1, 1, 1] : tensor<2x2x8x4xf32> -> tensor<2x2x8x2xf32>
  %22 = fuse.unary neg %21 : tensor<2x2x8x2xf32>
  %23 = fuse.concat %22, %20 dimension = 3 : (tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32>) -> tensor<2x2x8x4xf32>
  %24 = fuse.binary mul %19, %cos : (tensor<2x2x8x4xf32>, tensor<8x4xf32>) -> tensor<2x2x8x4xf32>
  %25 = fuse.binary mul %23, %sin : (tensor<2x2x8x4xf32>, tensor<8x4xf32>) -> tensor<2x2x8x4xf32>
  %26 = fuse.binary add %24, %25 : tensor<2x2x8x4xf32>
  %27 = fuse.matmul %6, %wv : (tensor<2x8x16xf32>, tensor<16x8xf32>) -> tensor<2x8x8xf32>
  %28 = fuse.reshape %27 : tensor<2x8x8xf32> -> tensor<2x8x2x4xf32>
  %29 = fuse.transpose %28 permutation = [0, 2, 1, 3] : tensor<2x8x2x4xf32> -> tensor<2x2x8x4xf32>
  %30 = fuse.attention %16, %26, %29 scale = 5.000000e-01 causal : (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>) -> tensor<2x4x8x4xf32>
  %31 = fuse.transpose %30 permutation = [0, 2, 1, 3] : tensor<2x4x8x4xf32> -> tensor<2x8x4x4xf32>
  %32 = fuse.reshape %31 : tensor<2x8x4x4xf32> -> tensor<2x8x16xf32>
  %33 = fuse.matmul %32, %wo : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %34 = fuse.binary add %x, %33 : tensor<2x8x16xf32>
  %35 = fuse.binary mul %34, %34 : tensor<2x8x16xf32>
  %36 = fuse.reduce mean %35 dimensions = [2] keep_dims : tensor<2x8x16xf32> -> tensor<2x8x1xf32>
  %37 = arith.constant dense<1.0e-05> : tensor<f32>
  %38 = fuse.binary add %36, %37 : (tensor<2x8x1xf32>, tensor<f32>) -> tensor<2x8x1xf32>
  %39 = fuse.unary rsqrt %38 : tensor<2x8x1xf32>
  %40 = fuse.binary mul %34, %39 : (tensor<2x8x16xf32>, tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
  %41 = fuse.binary mul %40, %g2 : (tensor<2x8x16xf32>, tensor<16xf32>) -> tensor<2x8x16xf32>
  %42 = fuse.matmul %41, %w1 : (tensor<2x8x16xf32>, tensor<16x64xf32>) -> tensor<2x8x64xf32>
  %43 = fuse.unary silu %42 : tensor<2x8x64xf32>
  %44 = fuse.matmul %41, %w3 : (tensor<2x8x16xf32>, tensor<16x64xf32>) -> tensor<2x8x64xf32>
  %45 = fuse.binary mul %43, %44 : tensor<2x8x64xf32>
  %46 = fuse.matmul %45, %w2 : (tensor<2x8x64xf32>, tensor<64x16xf32>) -> tensor<2x8x16xf32>
  %47 = fuse.binary add %34, %46 : tensor<2x8x16xf32>
  return %47 : tensor<2x8x16xf32>
}

// A vision transformer: patches by a convolution, a class token before them, one block, the class of the token.
// CHECK-LABEL: func.func @vit(
// CHECK-COUNT-2: fuse.all_reduce sum
// CHECK-NOT: fuse.{{(all_reduce|all_gather|all_to_all|reduce_scatter)}}
// RANKS: vit: 1 all_gather 2 all_reduce equal within 1e-5
// APART: vit: equal within 1e-5
func.func @vit(%x: tensor<2x3x8x8xf32>, %patch: tensor<16x3x4x4xf32> {fuse.param}, %class: tensor<16xf32> {fuse.param}, %position: tensor<5x16xf32> {fuse.param},
               %g: tensor<16xf32> {fuse.param}, %wq: tensor<16x16xf32> {fuse.param}, %wk: tensor<16x16xf32> {fuse.param}, %wv: tensor<16x16xf32> {fuse.param}, %wo: tensor<16x16xf32> {fuse.param},
               %w1: tensor<16x64xf32> {fuse.param}, %w2: tensor<64x16xf32> {fuse.param}, %head: tensor<16x10xf32> {fuse.param}) -> tensor<2x10xf32> {
  %0 = fuse.conv2d %x, %patch strides = [4, 4] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nchw_fchw : (tensor<2x3x8x8xf32>, tensor<16x3x4x4xf32>) -> tensor<2x16x2x2xf32>
  %1 = fuse.reshape %0 : tensor<2x16x2x2xf32> -> tensor<2x16x4xf32>
  %2 = fuse.transpose %1 permutation = [0, 2, 1] : tensor<2x16x4xf32> -> tensor<2x4x16xf32>
  %3 = fuse.broadcast %class dimensions = [0, 1] : tensor<16xf32> -> tensor<2x1x16xf32>
  %4 = fuse.concat %3, %2 dimension = 1 : (tensor<2x1x16xf32>, tensor<2x4x16xf32>) -> tensor<2x5x16xf32>
  %5 = fuse.binary add %4, %position : (tensor<2x5x16xf32>, tensor<5x16xf32>) -> tensor<2x5x16xf32>
  %6 = fuse.layer_norm %5, %g, %g dimensions = [2] epsilon = 1.000000e-05 : (tensor<2x5x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x5x16xf32>
  %7 = fuse.matmul %6, %wq : (tensor<2x5x16xf32>, tensor<16x16xf32>) -> tensor<2x5x16xf32>
  %8 = fuse.matmul %6, %wk : (tensor<2x5x16xf32>, tensor<16x16xf32>) -> tensor<2x5x16xf32>
  %9 = fuse.matmul %6, %wv : (tensor<2x5x16xf32>, tensor<16x16xf32>) -> tensor<2x5x16xf32>
  %10 = fuse.reshape %7 : tensor<2x5x16xf32> -> tensor<2x5x4x4xf32>
  %11 = fuse.reshape %8 : tensor<2x5x16xf32> -> tensor<2x5x4x4xf32>
  %12 = fuse.reshape %9 : tensor<2x5x16xf32> -> tensor<2x5x4x4xf32>
  %13 = fuse.transpose %10 permutation = [0, 2, 1, 3] : tensor<2x5x4x4xf32> -> tensor<2x4x5x4xf32>
  %14 = fuse.transpose %11 permutation = [0, 2, 3, 1] : tensor<2x5x4x4xf32> -> tensor<2x4x4x5xf32>
  %15 = fuse.transpose %12 permutation = [0, 2, 1, 3] : tensor<2x5x4x4xf32> -> tensor<2x4x5x4xf32>
  %16 = fuse.matmul %13, %14 : (tensor<2x4x5x4xf32>, tensor<2x4x4x5xf32>) -> tensor<2x4x5x5xf32>
  %17 = fuse.softmax %16 dimension = -1 : tensor<2x4x5x5xf32>
  %18 = fuse.matmul %17, %15 : (tensor<2x4x5x5xf32>, tensor<2x4x5x4xf32>) -> tensor<2x4x5x4xf32>
  %19 = fuse.transpose %18 permutation = [0, 2, 1, 3] : tensor<2x4x5x4xf32> -> tensor<2x5x4x4xf32>
  %20 = fuse.reshape %19 : tensor<2x5x4x4xf32> -> tensor<2x5x16xf32>
  %21 = fuse.matmul %20, %wo : (tensor<2x5x16xf32>, tensor<16x16xf32>) -> tensor<2x5x16xf32>
  %22 = fuse.binary add %5, %21 : tensor<2x5x16xf32>
  %23 = fuse.layer_norm %22, %g, %g dimensions = [2] epsilon = 1.000000e-05 : (tensor<2x5x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<2x5x16xf32>
  %24 = fuse.matmul %23, %w1 : (tensor<2x5x16xf32>, tensor<16x64xf32>) -> tensor<2x5x64xf32>
  %25 = fuse.unary gelu %24 : tensor<2x5x64xf32>
  %26 = fuse.matmul %25, %w2 : (tensor<2x5x64xf32>, tensor<64x16xf32>) -> tensor<2x5x16xf32>
  %27 = fuse.binary add %22, %26 : tensor<2x5x16xf32>
  %28 = fuse.slice %27 offsets = [0, 0, 0] sizes = [2, 1, 16] strides = [1, 1, 1] : tensor<2x5x16xf32> -> tensor<2x1x16xf32>
  %29 = fuse.reshape %28 : tensor<2x1x16xf32> -> tensor<2x16xf32>
  %30 = fuse.matmul %29, %head : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>
  return %30 : tensor<2x10xf32>
}
