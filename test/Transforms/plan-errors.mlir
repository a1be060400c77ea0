// RUN: fuse-opt %s --fuse-plan --split-input-file --verify-diagnostics

func.func @host(%s: tensor<8x32xf32>) -> tensor<4x6xf32> {
  %0 = fuse.unary abs %s {fuse.together = "a"} : tensor<8x32xf32>
  // expected-error @below {{cannot be in one kernel with the others of "a" (host-op): 'fuse.welch_peaks' runs on the host}}
  %1 = fuse.welch_peaks %0 k = 3 n_segments = 2 {fuse.together = "a"} : tensor<8x32xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

func.func @cycle(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary abs %x {fuse.together = "a"} : tensor<8xf32>
  %1 = fuse.host_call @f(%0) pure : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{cannot be in one kernel with the others of "a" (cycle): 'fuse.host_call' needs a member and is needed by one}}
  %2 = fuse.binary add %0, %1 {fuse.together = "a"} : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// The load must come before the store, and the store before the second load.
func.func @memory(%a: memref<8xf32>, %b: memref<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.load %a {fuse.together = "a"} : memref<8xf32> -> tensor<8xf32>
  fuse.store %x, %b : tensor<8xf32>, memref<8xf32>
  // expected-error @below {{cannot be in one kernel with the others of "a" (memory-order): 'fuse.store' touches memory between members}}
  %1 = fuse.load %a {fuse.together = "a"} : memref<8xf32> -> tensor<8xf32>
  %2 = fuse.binary add %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

func.func @blocks(%c: i1, %x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @below {{another op of "a"}}
  %0 = fuse.unary relu %x {fuse.together = "a"} : tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    // expected-error @below {{cannot be in one kernel with the others of "a" (other-block): they are in different blocks}}
    %2 = fuse.unary exp %0 {fuse.together = "a"} : tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

func.func @both(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{is marked both fuse.alone and fuse.together = "a"}}
  %0 = fuse.unary relu %x {fuse.alone, fuse.together = "a"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x {fuse.together = "a"} : tensor<8xf32>
  // expected-error @below {{cannot be in one kernel with the others of "a" (foreign-op): 'math.exp' is no op that kernels can hold}}
  %1 = math.exp %0 {fuse.together = "a"} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// What is loaded is read again after the store has changed it.
func.func @in_place(%m: memref<64xf32>) -> tensor<64xf32> {
  %0 = fuse.load %m {fuse.together = "b"} : memref<64xf32> -> tensor<64xf32>
  %1 = fuse.unary neg %0 {fuse.together = "b"} : tensor<64xf32>
  fuse.store %1, %m {fuse.together = "b"} : tensor<64xf32>, memref<64xf32>
  // expected-error @below {{cannot be in one kernel with the others of "b" (aliasing-store): the store may write elements that the kernel reads later}}
  %2 = fuse.binary add %1, %0 {fuse.together = "b"} : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// Either kernel is legal without the other.
func.func @crossed(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary relu %x {fuse.together = "p"} : tensor<8xf32>
  %1 = fuse.unary relu %y {fuse.together = "q"} : tensor<8xf32>
  // expected-error @below {{the kernels that fuse.together asks for need each other's results (cycle): "p", "q"}}
  %2 = fuse.unary exp %0 {fuse.together = "q"} : tensor<8xf32>
  %3 = fuse.unary exp %1 {fuse.together = "p"} : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
