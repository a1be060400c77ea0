// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @reshape_type(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.reshape %x : tensor<4xf32> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @reshape_count(%x: tensor<2x3xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{element counts differ: 2x3 has 6, 5 has 5}}
  %0 = fuse.reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @reshape_dynamic(%x: tensor<?x4xf32>) -> tensor<?x?xf32> {
  // expected-error@+1 {{at most one dimension of the result can be dynamic, found ?x?}}
  %0 = fuse.reshape %x : tensor<?x4xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @transpose_type(%x: tensor<2x3xf32>) -> tensor<3x2xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<2x3xf32> -> tensor<3x2xf16>
  return %0 : tensor<3x2xf16>
}

// -----

func.func @transpose_count(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{expected 2 entries of 'permutation', found 1}}
  %0 = fuse.transpose %x permutation = [1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @transpose_permutation(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{'permutation' is not a permutation of 0 to 1}}
  %0 = fuse.transpose %x permutation = [1, 1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @transpose_range(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{'permutation' is not a permutation of 0 to 1}}
  %0 = fuse.transpose %x permutation = [2, -1] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @transpose_shape(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{expected result shape 3x2, found 2x3}}
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @slice_type(%x: tensor<8xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.slice %x offsets = [0] sizes = [4] strides = [1] : tensor<8xf32> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

func.func @slice_offsets(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected 1 offsets, found 2}}
  %0 = fuse.slice %x offsets = [0, 0] sizes = [4] strides = [1] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_sizes(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected 1 sizes, found 0}}
  %0 = fuse.slice %x offsets = [0] sizes = [] strides = [1] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_strides(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected 1 strides, found 2}}
  %0 = fuse.slice %x offsets = [0] sizes = [4] strides = [1, 1] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{size -1 of dimension 0 must be of a dynamic dimension, from a constant offset on with stride 1}}
  %0 = fuse.slice %x offsets = [1] sizes = [-1] strides = [2] : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @slice_rest(%x: tensor<8xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{size -1 of dimension 0 must be of a dynamic dimension}}
  %0 = fuse.slice %x offsets = [1] sizes = [-1] strides = [1] : tensor<8xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @reshape_sizes(%x: tensor<?x4xf32>, %n: index) -> tensor<?x?xf32> {
  // expected-error@+1 {{expected 2 sizes for the dynamic dimensions of ?x?, found 1}}
  %0 = fuse.reshape %x sizes = [%n] : tensor<?x4xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @slice_beyond(%x: tensor<8xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{offset 4, size 5, stride 1 leave dimension 0 of extent 8}}
  %0 = fuse.slice %x offsets = [4] sizes = [5] strides = [1] : tensor<8xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @slice_stride_beyond(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{offset 0, size 4, stride 3 leave dimension 0 of extent 8}}
  %0 = fuse.slice %x offsets = [0] sizes = [4] strides = [3] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_negative(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{offset 7, stride -1 of dimension 0: expected no negative offset and a positive stride}}
  %0 = fuse.slice %x offsets = [7] sizes = [4] strides = [-1] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_huge(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{offset 0, size 4, stride 9223372036854775807 leave dimension 0 of extent 8}}
  %0 = fuse.slice %x offsets = [0] sizes = [4] strides = [9223372036854775807] : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_shape(%x: tensor<8xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{expected result shape 4, found 5}}
  %0 = fuse.slice %x offsets = [0] sizes = [4] strides = [2] : tensor<8xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @broadcast_type(%x: tensor<4xf32>) -> tensor<8x4xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.broadcast %x dimensions = [0] : tensor<4xf32> -> tensor<8x4xf16>
  return %0 : tensor<8x4xf16>
}

// -----

func.func @broadcast_rank(%x: tensor<4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{rank 1 with 0 added dimensions does not give rank 2}}
  %0 = fuse.broadcast %x dimensions = [] : tensor<4xf32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @broadcast_dimension(%x: tensor<4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{dimension 2 is outside rank 2}}
  %0 = fuse.broadcast %x dimensions = [2] : tensor<4xf32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @broadcast_unsorted(%x: tensor<f32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{dimensions must be sorted and distinct, found 0 after 1}}
  %0 = fuse.broadcast %x dimensions = [1, 0] : tensor<f32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func @broadcast_dynamic(%x: tensor<4xf32>) -> tensor<?x4xf32> {
  // expected-error@+1 {{expected 1 sizes for the dynamic dimensions of ?, found 0}}
  %0 = fuse.broadcast %x dimensions = [0] : tensor<4xf32> -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @broadcast_shape(%x: tensor<4xf32>) -> tensor<8x5xf32> {
  // expected-error@+1 {{expected result shape 8x4, found 8x5}}
  %0 = fuse.broadcast %x dimensions = [0] : tensor<4xf32> -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}
