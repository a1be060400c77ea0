// RUN: fuse-opt %s --split-input-file --verify-diagnostics --fuse-pipeline=strategy=chains

// The costliest kernels by predicted time, not more than three of them; what all limits exceed is said at
// once.
// expected-error @+1 {{@many exceeds its budget: launches of at most 3, found 4; traffic_bytes of at most 100000, found 1311808}}
func.func @many(%x: tensor<256x256xf32>, %y: tensor<8xf32>) -> (tensor<256xf32>, tensor<8xf32>, tensor<256x256xf32>)
    attributes {fuse.budget = #fuse.budget<launches = 3, syncs = 0, traffic_bytes = 100000>} {
  // expected-note-re @+1 {{kernel 0 (contraction), predicted 0.{{[0-9]+}} ms, 524288 bytes of traffic: matmul(256x256x256)}}
  %0 = fuse.matmul %x, %x : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  // expected-note-re @+1 {{kernel 1 (row-reduction), predicted 0.{{[0-9]+}} ms, 263168 bytes of traffic: reduce sum}}
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<256x256xf32> -> tensor<256xf32>
  %2 = fuse.unary exp %y : tensor<8xf32>
  // expected-note-re @+1 {{kernel 3 (elementwise-chain), predicted 0.{{[0-9]+}} ms, 524288 bytes of traffic: tanh, neg}}
  %3 = fuse.unary tanh %x : tensor<256x256xf32>
  %4 = fuse.unary neg %3 : tensor<256x256xf32>
  return %1, %2, %4 : tensor<256xf32>, tensor<8xf32>, tensor<256x256xf32>
}

// -----

// expected-error @+1 {{@waits exceeds its budget: syncs of at most 0, found 1; readback_bytes of at most 100, found 352}}
func.func @waits(%s: tensor<8x32xf32>) -> (tensor<4x6xf32> {fuse.name = "peaks"}, tensor<8x8xf32>)
    attributes {fuse.budget = #fuse.budget<syncs = 0, readback_bytes = 100>} {
  %0 = fuse.slice %s offsets = [0, 0] sizes = [8, 8] strides = [1, 1] : tensor<8x32xf32> -> tensor<8x8xf32>
  // expected-note-re @+1 {{kernel 0 (other), predicted {{.*}} ms, 512 bytes of traffic: exp}}
  %1 = fuse.unary exp %0 : tensor<8x8xf32>
  // expected-note @+1 {{host op 1 waits: welch_peaks}}
  %2 = fuse.welch_peaks %s k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
  // expected-note @+2 {{result 1 is read back: 256 bytes}}
  // expected-note @+1 {{result 0 'peaks' is read back: 96 bytes}}
  return %2, %1 : tensor<4x6xf32>, tensor<8x8xf32>
}

// -----

// By traffic, where that is what is exceeded.
// expected-error @+1 {{@traffic exceeds its budget: traffic_bytes of at most 8000, found 8192 (2 values are sized by hints)}}
func.func @traffic(%x: tensor<?xf32> {fuse.dim_hints = array<i64: 1024>}) -> tensor<?xf32>
    attributes {fuse.budget = #fuse.budget<traffic_bytes = 8000>} {
  // expected-note @+1 {{kernel 0 (elementwise-chain), 8192 bytes of traffic: relu, exp}}
  %0 = fuse.unary relu %x : tensor<?xf32>
  %1 = fuse.unary exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Bytes of unknown sizes cannot be checked; launches can.
// expected-error @+2 {{the budget of @unknown cannot be checked: readback_bytes of at most 64, found at least 0; traffic_bytes of at most 100, found at least 0; 2 values are of unknown size, needs 'fuse.dim_bounds' on arguments}}
// expected-note @+1 {{dimension 1 of argument 0 'x' has no bound}}
func.func @unknown(%x: tensor<4x?xf32> {fuse.name = "x"}) -> tensor<4x?xf32>
    attributes {fuse.budget = #fuse.budget<launches = 1, readback_bytes = 64, traffic_bytes = 100>} {
  %0 = fuse.unary relu %x : tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}

// -----

// expected-error @+1 {{@one exceeds its budget: traffic_bytes of at most 1000, found 4100 (1 value is sized by hints)}}
func.func @one(%x: tensor<?xf32> {fuse.dim_hints = array<i64: 1024>}) -> tensor<f32>
    attributes {fuse.budget = #fuse.budget<traffic_bytes = 1000>} {
  // expected-note @+1 {{kernel 0 (row-reduction), 4100 bytes of traffic: reduce sum}}
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<?xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What is known may be too much already.
// expected-error @+1 {{@part exceeds its budget: traffic_bytes of at most 100, found 8192}}
func.func @part(%x: tensor<?xf32>, %y: tensor<1024xf32>) -> (tensor<?xf32>, tensor<1024xf32>)
    attributes {fuse.budget = #fuse.budget<launches = 2, traffic_bytes = 100>} {
  // expected-note @+1 {{kernel 0 (other), 0 bytes of traffic: relu}}
  %0 = fuse.unary relu %x : tensor<?xf32>
  // expected-note-re @+1 {{kernel 1 (other), predicted {{.*}} ms, 8192 bytes of traffic: exp}}
  %1 = fuse.unary exp %y : tensor<1024xf32>
  return %0, %1 : tensor<?xf32>, tensor<1024xf32>
}

// -----

// A loop whose length nobody knows launches as often as it likes; it has no host op.
// expected-error @+1 {{the budget of @loop cannot be checked: launches of at most 9, found at least 2}}
func.func @loop(%x: tensor<8xf32>, %y: memref<8xf32>, %n: index)
    attributes {fuse.budget = #fuse.budget<launches = 9, syncs = 0, readback_bytes = 0>} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // expected-note @+1 {{a loop of unknown length, counted once; needs constant bounds}}
  scf.for %i = %zero to %n step %one {
    %0 = fuse.unary exp %x : tensor<8xf32>
    fuse.store %0, %y : tensor<8xf32>, memref<8xf32>
  }
  return
}

// -----

func.func private @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// expected-error @+1 {{the budget of @call cannot be checked: launches of at most 9, found at least 0; syncs of at most 0, found at least 0}}
func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> attributes {fuse.budget = #fuse.budget<launches = 9, syncs = 0>} {
  // expected-note @+1 {{what is called is not counted; needs to be inlined}}
  %0 = func.call @other(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
