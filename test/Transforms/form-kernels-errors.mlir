// A plan that does not fit the function is an error at the op that is in the way.
// RUN: fuse-opt %s --fuse-form-kernels --split-input-file --verify-diagnostics

func.func @host(%s: tensor<8x32xf32>) -> tensor<4x6xf32> {
  %0 = fuse.unary abs %s {fuse.group = array<i64: 0>} : tensor<8x32xf32>
  // expected-error @below {{cannot be in group 0 (host-op): 'fuse.welch_peaks' runs on the host}}
  %1 = fuse.welch_peaks %0 k = 3 n_segments = 2 {fuse.group = array<i64: 0>} : tensor<8x32xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

func.func @foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{cannot be in group 3 (foreign-op): 'math.exp' is no op that kernels can hold}}
  %0 = math.exp %x {fuse.group = array<i64: 3>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @view(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{(foreign-op): 'fuse.reshape' is metadata: kernels that read it absorb it}}
  %0 = fuse.reshape %x {fuse.group = array<i64: 0>} : tensor<8xf32> -> tensor<2x4xf32>
  %1 = fuse.reshape %0 : tensor<2x4xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @leaves(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary exp %x {fuse.group = array<i64: 0>} : tensor<8xf32>
  %1 = fuse.unary neg %0 : tensor<8xf32>
  // expected-error @below {{cannot be in group 0 (cycle): 'fuse.unary' needs a member and is needed by one}}
  %2 = fuse.binary add %0, %1 {fuse.group = array<i64: 0>} : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A cycle that only two groups make.
func.func @mutual(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary exp %x {fuse.group = array<i64: 0>} : tensor<8xf32>
  %1 = fuse.unary neg %x {fuse.group = array<i64: 1>} : tensor<8xf32>
  %2 = fuse.unary abs %0 {fuse.group = array<i64: 1>} : tensor<8xf32>
  // expected-error @below {{cannot be in group 0 (cycle): this group and another one need each other's results}}
  %3 = fuse.unary log %1 {fuse.group = array<i64: 0>} : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @memory(%a: memref<8xf32>, %b: memref<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.load %a {fuse.group = array<i64: 0>} : memref<8xf32> -> tensor<8xf32>
  fuse.store %x, %b : tensor<8xf32>, memref<8xf32>
  %1 = fuse.load %b : memref<8xf32> -> tensor<8xf32>
  // expected-error @below {{cannot be in group 0 (cycle): 'fuse.load' needs a member and is needed by one}}
  %2 = fuse.binary add %0, %1 {fuse.group = array<i64: 0>} : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A host call of unknown effects is ordered with every access.
func.func @unknown(%a: memref<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.load %a {fuse.group = array<i64: 0>} : memref<8xf32> -> tensor<8xf32>
  %1 = fuse.host_call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{cannot be in group 0 (memory-order): 'fuse.host_call' touches memory between members}}
  %2 = fuse.load %a {fuse.group = array<i64: 0>} : memref<8xf32> -> tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @blocks(%c: i1, %x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @below {{a member}}
  %0 = fuse.unary relu %x {fuse.group = array<i64: 0>} : tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    // expected-error @below {{cannot be in group 0 (other-block): other members are in another block}}
    %2 = fuse.unary exp %0 {fuse.group = array<i64: 0>} : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

func.func @rounds(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @below {{cannot be in group 1 (rounds-if-duplicated): it is in group 0 too}}
  %0 = fuse.unary exp %x {fuse.group = array<i64: 0, 1>} : tensor<8xf32>
  %1 = fuse.unary neg %0 {fuse.group = array<i64: 0>} : tensor<8xf32>
  %2 = fuse.unary abs %0 {fuse.group = array<i64: 1>} : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary exp %x {fuse.group = array<i64: 0>} : tensor<8xf32>
  // expected-error @below {{cannot be in group 0 (kept-alone): it is marked fuse.alone}}
  %1 = fuse.unary neg %0 {fuse.alone, fuse.group = array<i64: 0>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @in_place(%m: memref<8x8xf32>) {
  %0 = fuse.load %m {fuse.group = array<i64: 0>} : memref<8x8xf32> -> tensor<8x8xf32>
  %1 = fuse.transpose %0 permutation = [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = fuse.unary exp %1 {fuse.group = array<i64: 0>} : tensor<8x8xf32>
  // expected-error @below {{cannot be in group 0 (aliasing-store): the store may write elements that the kernel reads later}}
  fuse.store %2, %m {fuse.group = array<i64: 0>} : tensor<8x8xf32>, memref<8x8xf32>
  return
}

// -----

func.func @number(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{has -9223372036854775808 in fuse.group; expected numbers from 0 to 2147483647}}
  %0 = fuse.unary relu %x {fuse.group = array<i64: -9223372036854775808>} : tensor<8xf32>
  %1 = fuse.unary exp %0 {fuse.group = array<i64: 9223372036854775807>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
