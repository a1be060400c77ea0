// Functions in ops that nobody planned are those of kernels: upstream's log1p and expm1 are 0 near 0.
// RUN: %python -c "import numpy as n; x = n.array([1e-10, 1, -1e-9, 3]); n.savez('%t.npz', arg0=x.astype('f'), arg1=x); n.savez('%t-want.npz', result0=n.log1p(x).astype('f'), result1=n.arctan(n.expm1(x)))"
// RUN: fuse-run %s --inputs %t.npz --expect %t-want.npz --rtol 1e-6 --atol 1e-18

func.func @f(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %s = arith.index_cast %i : index to i32
    %z = arith.constant 4 : i32
    %never = arith.cmpi eq, %s, %z : i32
    %l = math.log1p %a : f32
    %r = arith.select %never, %a, %l : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %f = tensor.empty() : tensor<4xf64>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<4xf64>) outs(%f : tensor<4xf64>) {
  ^bb0(%a: f64, %o: f64):
    %i = linalg.index 0 : index
    %s = arith.index_cast %i : index to i32
    %z = arith.constant 4 : i32
    %never = arith.cmpi eq, %s, %z : i32
    %m = math.expm1 %a : f64
    %l = math.atan %m : f64
    %r = arith.select %never, %a, %l : f64
    linalg.yield %r : f64
  } -> tensor<4xf64>
  return %0, %1 : tensor<4xf32>, tensor<4xf64>
}
