// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @matmul_rank(%x: tensor<4xf32>, %y: tensor<4x2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{expected operands of rank 2 at least, found ranks 1 and 2}}
  %0 = fuse.matmul %x, %y : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @matmul_mask(%x: tensor<2x4xi1>, %y: tensor<4x2xi1>) -> tensor<2x2xi1> {
  // expected-error@+1 {{does not take element type i1}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xi1>, tensor<4x2xi1>) -> tensor<2x2xi1>
  return %0 : tensor<2x2xi1>
}

// -----

func.func @matmul_types(%x: tensor<2x4xf32>, %y: tensor<4x2xf16>) -> tensor<2x2xf32> {
  // expected-error@+1 {{expected element type 'f32' throughout, found 'f16'}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xf32>, tensor<4x2xf16>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @matmul_bytes(%x: tensor<2x4xui8>, %y: tensor<4x2xi8>) -> tensor<2x2xi8> {
  // expected-error@+1 {{expected result element type 'i32' of 'ui8' and 'i8', found 'i8'}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xui8>, tensor<4x2xi8>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}

// -----

func.func @matmul_byte_and_short(%x: tensor<2x4xui8>, %y: tensor<4x2xi16>) -> tensor<2x2xi32> {
  // expected-error@+1 {{expected element type 'ui8' throughout, found 'i16'}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xui8>, tensor<4x2xi16>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

func.func @matmul_result_type(%x: tensor<2x4xf32>, %y: tensor<4x2xf32>) -> tensor<2x2xf64> {
  // expected-error@+1 {{expected result element type 'f32', found 'f64'}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// -----

func.func @matmul_accumulator(%x: tensor<2x4xf16>, %y: tensor<4x2xf16>) -> tensor<2x2xbf16> {
  // expected-error@+1 {{expected result element type 'f16' or 'f32', found 'bf16'}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xf16>, tensor<4x2xf16>) -> tensor<2x2xbf16>
  return %0 : tensor<2x2xbf16>
}

// -----

func.func @matmul_contracted(%x: tensor<2x4xf32>, %y: tensor<5x2xf32>) -> tensor<2x2xf32> {
  // expected-error@+1 {{contracted extents differ: 4 in 2x4, 5 in 5x2}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xf32>, tensor<5x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @matmul_transposed(%x: tensor<2x4xf32>, %y: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // expected-error@+1 {{contracted extents differ: 4 in 2x4, 2 in 4x2}}
  %0 = fuse.matmul %x, %y transpose_rhs : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @matmul_batch(%x: tensor<2x2x4xf32>, %y: tensor<3x4x2xf32>) -> tensor<2x2x2xf32> {
  // expected-error@+1 {{batch dimensions do not broadcast: 2x2x4 and 3x4x2}}
  %0 = fuse.matmul %x, %y : (tensor<2x2x4xf32>, tensor<3x4x2xf32>) -> tensor<2x2x2xf32>
  return %0 : tensor<2x2x2xf32>
}

// -----

func.func @matmul_shape(%x: tensor<2x4xf32>, %y: tensor<4x2xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{expected result shape 2x2, found 4x4}}
  %0 = fuse.matmul %x, %y : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
