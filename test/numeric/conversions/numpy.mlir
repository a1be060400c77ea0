// What upstream does not lower at once, and dynamic extents, against NumPy.
// RUN: %python %S/Inputs/make_arrays.py %t
// RUN: fuse-run %s --inputs %t-in.npz --expect %t-want.npz --rtol 1e-5
// RUN: fuse-opt %s --convert-linalg-to-fuse | FileCheck %s --implicit-check-not=linalg.

// CHECK: fuse.softmax
// CHECK: fuse.matmul {{.*}} : (tensor<?x4xf32>, tensor<4x5xf32>) -> tensor<?x5xf32>
// CHECK: fuse.matmul {{.*}} transpose_rhs : (tensor<6x4xf16>, tensor<6x4xf16>) -> tensor<6x6xf32>
// CHECK: fuse.concat
func.func @f(%x: tensor<?x4xf32>, %w: tensor<4x5xf32>, %h: tensor<6x4xf16>, %y: tensor<3x4xf32>) -> (tensor<?x4xf32>, tensor<?x5xf32>, tensor<6x6xf32>, tensor<9x4xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %n = tensor.dim %x, %first : tensor<?x4xf32>
  %e0 = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x4xf32>) outs(%e0 : tensor<?x4xf32>) -> tensor<?x4xf32>
  %e1 = tensor.empty(%n) : tensor<?x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x5xf32>) -> tensor<?x5xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x5xf32>) outs(%f1 : tensor<?x5xf32>) -> tensor<?x5xf32>
  %relu = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<?x5xf32>) outs(%e1 : tensor<?x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x5xf32>
  %f2 = arith.constant dense<0.0> : tensor<6x6xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%h, %h : tensor<6x4xf16>, tensor<6x4xf16>) outs(%f2 : tensor<6x6xf32>) {
  ^bb0(%l: f16, %r: f16, %acc: f32):
    %a = arith.extf %l : f16 to f32
    %b = arith.extf %r : f16 to f32
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x6xf32>
  %c = tensor.cast %x : tensor<?x4xf32> to tensor<6x4xf32>
  %3 = tensor.concat dim(0) %c, %y : (tensor<6x4xf32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %f4 = arith.constant dense<0.0> : tensor<f32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x4xf32>) outs(%f4 : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %t = math.tanh %a : f32
    %s = arith.addf %acc, %t : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %0, %relu, %2, %3, %4 : tensor<?x4xf32>, tensor<?x5xf32>, tensor<6x6xf32>, tensor<9x4xf32>, tensor<f32>
}
