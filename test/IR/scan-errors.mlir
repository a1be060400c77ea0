// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @no_sequence(%h: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected at least one sequence, whose leading dimension is the steps}}
  %0 = fuse.scan states(%a = %h) : (tensor<8xf32>) -> tensor<8xf32> {
    fuse.yield %a : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @rank_0(%x: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{expected a sequence of rank 1 or more, found 'tensor<f32>'}}
  %0 = fuse.scan over(%a = %x) : (tensor<f32>) -> tensor<f32> {
    fuse.yield %a : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @operand_types(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{expected 1 operand types, found 2}}
  %0 = fuse.scan over(%a = %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    fuse.yield %a : tensor<8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @lengths(%x: tensor<4x8xf32>, %y: tensor<5x8xf32>) -> tensor<4x8xf32> {
  // expected-error@+1 {{expected sequences of one length, found 4 and 5}}
  %0 = fuse.scan over(%a = %x, %b = %y) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x8xf32> {
    fuse.yield %a : tensor<8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @state_type(%h: tensor<8xf32>, %x: tensor<4x9xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{yields state #0 as 'tensor<9xf32>', expected 'tensor<8xf32>'}}
  %0 = fuse.scan states(%a = %h) over(%b = %x) : (tensor<8xf32>, tensor<4x9xf32>) -> tensor<8xf32> {
    fuse.yield %b : tensor<9xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func @results(%x: tensor<4x8xf32>) -> tensor<4x9xf32> {
  // expected-error@+1 {{expected results of types 'tensor<4x8xf32>', found 'tensor<4x9xf32>'}}
  %0 = fuse.scan over(%a = %x) : (tensor<4x8xf32>) -> tensor<4x9xf32> {
    fuse.yield %a : tensor<8xf32>
  }
  return %0 : tensor<4x9xf32>
}

// -----

func.func @host(%x: tensor<4x8x32xf32>) -> tensor<4x4x6xf32> {
  %0 = fuse.scan over(%a = %x) : (tensor<4x8x32xf32>) -> tensor<4x4x6xf32> {
    // expected-error@+1 {{cannot be part of a scan: expected ops of fuse that compute tensors, and constants}}
    %1 = fuse.welch_peaks %a k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
    fuse.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x4x6xf32>
}
