// RUN: fuse-opt %s --split-input-file --verify-diagnostics --fuse-check-program

// expected-error @+1 {{expected a function of one block, found 2; control flow is written with scf}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{expected ranked types only, found 'tensor<*xf32>'}}
  %0 = tensor.cast %x : tensor<*xf32> to tensor<*xf32>
  return
}

// -----

func.func @while(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  // expected-error @+1 {{expected a loop whose condition passes on what it is given}}
  %0 = scf.while (%n = %c) : (i1) -> tensor<4xf32> {
    scf.condition(%n) %x : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    scf.yield %c : i1
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected only functions in the program, found 'builtin.module'}}
module @inner {
}
func.func @f() {
  return
}

// -----

// The extents that are not zero count: strides are their products.
func.func @empty(%x: tensor<f32>) -> tensor<0x4000000000x4000000000xf32> {
  // expected-error @+1 {{expected a value of less than 2^63 bytes}}
  %0 = fuse.broadcast %x dimensions = [0, 1, 2] : tensor<f32> -> tensor<0x4000000000x4000000000xf32>
  return %0 : tensor<0x4000000000x4000000000xf32>
}
