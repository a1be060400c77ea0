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

// -----

// A kernel by hand: the store runs while other blocks still read.
func.func @transposed(%m: memref<300x300xf32>) {
  // expected-error @+1 {{cannot store to a buffer (aliasing-store): the store may write elements that the kernel reads later; expected a load that one op reads}}
  fuse.kernel (%a = %m) : (memref<300x300xf32>) -> () {
    %0 = fuse.load %a : memref<300x300xf32> -> tensor<300x300xf32>
    %1 = fuse.transpose %0 permutation = [1, 0] : tensor<300x300xf32> -> tensor<300x300xf32>
    %2 = fuse.unary exp %1 : tensor<300x300xf32>
    fuse.store %2, %a : tensor<300x300xf32>, memref<300x300xf32>
    fuse.yield
  }
  return
}
