// The check values of the operations' definitions, natively (fused, and each op by itself, at one
// and at two threads) and by the interpreter.
// RUN: rm -rf %t && mkdir -p %t && %python %S/make_arrays.py %t
// RUN: fuse-run %s --function reductions --inputs %t/in.npz --threads 1 | FileCheck %s --check-prefix=REDUCE
// RUN: fuse-run %s --function reductions --inputs %t/in.npz --threads 2 --mode unfused | FileCheck %s --check-prefix=REDUCE
// RUN: fuse-run %s --function reductions --inputs %t/in.npz --mode interpret | FileCheck %s --check-prefix=REDUCE
// RUN: fuse-run %s --function nothing --inputs %t/in.npz --threads 1 | FileCheck %s --check-prefix=NOTHING
// RUN: fuse-run %s --function nothing --inputs %t/in.npz --threads 2 --mode unfused | FileCheck %s --check-prefix=NOTHING
// RUN: fuse-run %s --function nothing --inputs %t/in.npz --mode interpret | FileCheck %s --check-prefix=NOTHING
// RUN: fuse-run %s --function elementwise --inputs %t/in.npz --threads 1 | FileCheck %s --check-prefix=ELEMENT
// RUN: fuse-run %s --function elementwise --inputs %t/in.npz --threads 2 --mode unfused | FileCheck %s --check-prefix=ELEMENT
// RUN: fuse-run %s --function elementwise --inputs %t/in.npz --mode interpret | FileCheck %s --check-prefix=ELEMENT
// RUN: fuse-run %s --function chain --inputs %t/in.npz --report | FileCheck %s --check-prefix=CHAIN
// RUN: fuse-run %s --function chain --inputs %t/in.npz --mode interpret | FileCheck %s --check-prefix=SUM
// RUN: fuse-run %s --function chain --report-json %t/chain.json
// RUN: FileCheck %s --check-prefix=JSON < %t/chain.json

// REDUCE: sum: f32 = [10]
// REDUCE-NEXT: max: f32 = [4]
// REDUCE-NEXT: min: f32 = [1]
// REDUCE-NEXT: mean: f32 = [2.5]
// REDUCE-NEXT: first: i64 = [1]
// REDUCE-NEXT: last: i64 = [0]
// REDUCE-NEXT: nan_max: i64 = [0]
// REDUCE-NEXT: nan_min: i64 = [0]
func.func @reductions(%x: tensor<4xf32> {fuse.name = "x"}, %ties: tensor<4xf32> {fuse.name = "ties"}, %n: tensor<3xf32> {fuse.name = "nothing"})
    -> (tensor<f32> {fuse.name = "sum"}, tensor<f32> {fuse.name = "max"}, tensor<f32> {fuse.name = "min"}, tensor<f32> {fuse.name = "mean"},
        tensor<i64> {fuse.name = "first"}, tensor<i64> {fuse.name = "last"}, tensor<i64> {fuse.name = "nan_max"}, tensor<i64> {fuse.name = "nan_min"}) {
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<4xf32> -> tensor<f32>
  %1 = fuse.reduce max %x dimensions = [0] : tensor<4xf32> -> tensor<f32>
  %2 = fuse.reduce min %x dimensions = [0] : tensor<4xf32> -> tensor<f32>
  %3 = fuse.reduce mean %x dimensions = [0] : tensor<4xf32> -> tensor<f32>
  %4 = fuse.argmax %ties dimension = 0 : tensor<4xf32> -> tensor<i64>
  %5 = fuse.argmin %ties dimension = 0 : tensor<4xf32> -> tensor<i64>
  %6 = fuse.argmax %n dimension = 0 : tensor<3xf32> -> tensor<i64>
  %7 = fuse.argmin %n dimension = 0 : tensor<3xf32> -> tensor<i64>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}

// NOTHING: sum: 2xf32 = [0, 0]
// NOTHING-NEXT: prod: 2xf32 = [1, 1]
// NOTHING-NEXT: max: 2xf32 = [-inf, -inf]
// NOTHING-NEXT: min: 2xf32 = [inf, inf]
// NOTHING-NEXT: mean: 2xf32 = [{{-?}}nan, {{-?}}nan]
// NOTHING-NEXT: lowest: i32 = [-2147483648]
// NOTHING-NEXT: highest: i8 = [127]
// NOTHING-NEXT: any: i1 = [false]
// NOTHING-NEXT: all: i1 = [true]
func.func @nothing(%x: tensor<2x0xf32> {fuse.name = "none"}, %i: tensor<0xi32> {fuse.name = "none32"}, %j: tensor<0xi8> {fuse.name = "none8"}, %m: tensor<0xi1> {fuse.name = "masks"})
    -> (tensor<2xf32> {fuse.name = "sum"}, tensor<2xf32> {fuse.name = "prod"}, tensor<2xf32> {fuse.name = "max"}, tensor<2xf32> {fuse.name = "min"}, tensor<2xf32> {fuse.name = "mean"},
        tensor<i32> {fuse.name = "lowest"}, tensor<i8> {fuse.name = "highest"}, tensor<i1> {fuse.name = "any"}, tensor<i1> {fuse.name = "all"}) {
  %0 = fuse.reduce sum %x dimensions = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %1 = fuse.reduce prod %x dimensions = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %2 = fuse.reduce max %x dimensions = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %3 = fuse.reduce min %x dimensions = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %4 = fuse.reduce mean %x dimensions = [1] : tensor<2x0xf32> -> tensor<2xf32>
  %5 = fuse.reduce max %i dimensions = [0] : tensor<0xi32> -> tensor<i32>
  %6 = fuse.reduce min %j dimensions = [0] : tensor<0xi8> -> tensor<i8>
  %7 = fuse.reduce any %m dimensions = [0] : tensor<0xi1> -> tensor<i1>
  %8 = fuse.reduce all %m dimensions = [0] : tensor<0xi1> -> tensor<i1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i8>, tensor<i1>, tensor<i1>
}

// ELEMENT: relu: 4xf32 = [0, 0, 1, 2]
// ELEMENT-NEXT: neg: 4xf32 = [1, -0, -1, -2]
// ELEMENT-NEXT: abs: 4xf32 = [1, 0, 1, 2]
// ELEMENT-NEXT: add: 3xf32 = [5, 7, 9]
// ELEMENT-NEXT: mul: 3xf32 = [4, 10, 18]
// ELEMENT-NEXT: gelu: 5xf32 = [-0.0454023, -0.158808, 0, 0.841192, 1.9546]
// ELEMENT-NEXT: sigmoid: 5xf32 = [0.119203, 0.268941, 0.5, 0.731059, 0.880797]
func.func @elementwise(%s: tensor<4xf32> {fuse.name = "signs"}, %a: tensor<3xf32> {fuse.name = "a"}, %b: tensor<3xf32> {fuse.name = "b"}, %five: tensor<5xf32> {fuse.name = "five"})
    -> (tensor<4xf32> {fuse.name = "relu"}, tensor<4xf32> {fuse.name = "neg"}, tensor<4xf32> {fuse.name = "abs"}, tensor<3xf32> {fuse.name = "add"}, tensor<3xf32> {fuse.name = "mul"},
        tensor<5xf32> {fuse.name = "gelu"}, tensor<5xf32> {fuse.name = "sigmoid"}) {
  %0 = fuse.unary relu %s : tensor<4xf32>
  %1 = fuse.unary neg %s : tensor<4xf32>
  %2 = fuse.unary abs %s : tensor<4xf32>
  %3 = fuse.binary add %a, %b : tensor<3xf32>
  %4 = fuse.binary mul %a, %b : tensor<3xf32>
  %5 = fuse.unary gelu %five approximate = tanh : tensor<5xf32>
  %6 = fuse.unary sigmoid %five : tensor<5xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<5xf32>
}

// CHAIN-DAG: Fusion: 2 → 1 kernels (50% reduction), 0.0KB memory saved
// CHAIN-DAG: sum: 4xf32 = [10, 10, 11, 12]
// SUM: sum: 4xf32 = [10, 10, 11, 12]
// JSON: "memory_saved_bytes": 16,
func.func @chain(%s: tensor<4xf32> {fuse.name = "signs"}, %tens: tensor<4xf32> {fuse.name = "tens"}) -> (tensor<4xf32> {fuse.name = "sum"}) {
  %0 = fuse.unary relu %s : tensor<4xf32>
  %1 = fuse.binary add %0, %tens : tensor<4xf32>
  return %1 : tensor<4xf32>
}
