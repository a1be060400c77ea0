// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @integer_mean(%x: tensor<4xi32>) -> tensor<i32> {
  // expected-error@+1 {{'mean' takes a float (f16, bf16, f32, f64), found element type 'i32'}}
  %0 = fuse.reduce mean %x dimensions = [0] : tensor<4xi32> -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @result_type(%x: tensor<4xi8>) -> tensor<i32> {
  // expected-error@+1 {{expected result element type 'i8', found 'i32'}}
  %0 = fuse.reduce sum %x dimensions = [0] : tensor<4xi8> -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @dimension(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{dimension 1 is outside an operand of rank 1}}
  %0 = fuse.reduce sum %x dimensions = [1] : tensor<4xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @unsorted(%x: tensor<4x5xf32>) -> tensor<f32> {
  // expected-error@+1 {{dimensions must be sorted and distinct, found 0 after 1}}
  %0 = fuse.reduce sum %x dimensions = [1, 0] : tensor<4x5xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @repeated(%x: tensor<4x5xf32>) -> tensor<f32> {
  // expected-error@+1 {{dimensions must be sorted and distinct, found 1 after 1}}
  %0 = fuse.reduce sum %x dimensions = [1, 1] : tensor<4x5xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @result_shape(%x: tensor<4x5xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected result shape 4x1, found 4}}
  %0 = fuse.reduce sum %x dimensions = [1] keep_dims : tensor<4x5xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @argmax_type(%x: tensor<4xi1>) -> tensor<i64> {
  // expected-error@+1 {{does not take element type i1}}
  %0 = fuse.argmax %x dimension = 0 : tensor<4xi1> -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @argmax_dimension(%x: tensor<4xf32>) -> tensor<i64> {
  // expected-error@+1 {{dimension -1 is outside an operand of rank 1}}
  %0 = fuse.argmax %x dimension = -1 : tensor<4xf32> -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @argmin_result(%x: tensor<4xf32>) -> tensor<i32> {
  // expected-error@+1 {{result #0 must be ranked tensor of 64-bit signless integer values}}
  %0 = fuse.argmin %x dimension = 0 : tensor<4xf32> -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @argmin_empty(%x: tensor<4x0xf32>) -> tensor<4xi64> {
  // expected-error@+1 {{dimension 1 is empty: no index to return}}
  %0 = fuse.argmin %x dimension = 1 : tensor<4x0xf32> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
