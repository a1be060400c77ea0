// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @mean(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{ranks cannot take a mean: expected sum, then a division}}
  %0 = fuse.all_reduce mean %x in <grid = [2], axes = [0]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @any_of_floats(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected any or all for elements of i1, another kind for all others, found any of 'f32'}}
  %0 = fuse.all_reduce any %x in <grid = [2], axes = [0]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @sum_of_booleans(%x: tensor<8xi1>) -> tensor<4xi1> {
  // expected-error@+1 {{expected any or all for elements of i1, another kind for all others, found sum of 'i1'}}
  %0 = fuse.reduce_scatter sum %x dimension = 0 in <grid = [2], axes = [0]> : tensor<8xi1> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @no_dimension(%x: tensor<8xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{expected dimension to be a dimension of an operand of rank 1, found 1}}
  %0 = fuse.all_gather %x dimension = 1 in <grid = [2], axes = [0]> : tensor<8xf32> -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @grows_wrong(%x: tensor<8x3xf32>) -> tensor<8x3xf32> {
  // expected-error@+1 {{expected a result of type 'tensor<16x3xf32>', found 'tensor<8x3xf32>'}}
  %0 = fuse.all_gather %x dimension = 0 in <grid = [2], axes = [0]> : tensor<8x3xf32> -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

func.func @scatter_dimension(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected dimension to be a dimension of an operand of rank 1, found -1}}
  %0 = fuse.reduce_scatter sum %x dimension = -1 in <grid = [2], axes = [0]> : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @scatter_does_not_divide(%x: tensor<9xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected the extent of dimension 0 to be a multiple of the 2 ranks of a group, found 9}}
  %0 = fuse.reduce_scatter sum %x dimension = 0 in <grid = [2], axes = [0]> : tensor<9xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @scatter_result(%x: tensor<8xf32>) -> tensor<4xf64> {
  // expected-error@+1 {{expected a result of type 'tensor<4xf32>', found 'tensor<4xf64>'}}
  %0 = fuse.reduce_scatter sum %x dimension = 0 in <grid = [2], axes = [0]> : tensor<8xf32> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @slice_dimension(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected dimension to be a dimension of an operand of rank 1, found 2}}
  %0 = fuse.all_slice %x dimension = 2 in <grid = [2], axes = [0]> : tensor<8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @slice_does_not_divide(%x: tensor<8x9xf32>) -> tensor<8x2xf32> {
  // expected-error@+1 {{expected the extent of dimension 1 to be a multiple of the 4 ranks of a group, found 9}}
  %0 = fuse.all_slice %x dimension = 1 in <grid = [2, 2], axes = [0, 1]> : tensor<8x9xf32> -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

func.func @slice_result(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a result of type 'tensor<4xf32>', found 'tensor<8xf32>'}}
  %0 = fuse.all_slice %x dimension = 0 in <grid = [2], axes = [0]> : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @split_dimension(%x: tensor<8x8xf32>) -> tensor<4x16xf32> {
  // expected-error@+1 {{expected split to be a dimension of an operand of rank 2, found 2}}
  %0 = fuse.all_to_all %x split = 2 concat = 1 in <grid = [2], axes = [0]> : tensor<8x8xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

func.func @concat_dimension(%x: tensor<8x8xf32>) -> tensor<4x16xf32> {
  // expected-error@+1 {{expected concat to be a dimension of an operand of rank 2, found -2}}
  %0 = fuse.all_to_all %x split = 0 concat = -2 in <grid = [2], axes = [0]> : tensor<8x8xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

func.func @one_dimension(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected split and concat to be two dimensions, found 1 twice}}
  %0 = fuse.all_to_all %x split = 1 concat = 1 in <grid = [2], axes = [0]> : tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @split_does_not_divide(%x: tensor<8x9xf32>) -> tensor<16x4xf32> {
  // expected-error@+1 {{expected the extent of dimension 1 to be a multiple of the 2 ranks of a group, found 9}}
  %0 = fuse.all_to_all %x split = 1 concat = 0 in <grid = [2], axes = [0]> : tensor<8x9xf32> -> tensor<16x4xf32>
  return %0 : tensor<16x4xf32>
}

// -----

func.func @all_to_all_result(%x: tensor<8x8xf32>) -> tensor<4x16xf32> {
  // expected-error@+1 {{expected a result of type 'tensor<16x4xf32>', found 'tensor<4x16xf32>'}}
  %0 = fuse.all_to_all %x split = 1 concat = 0 in <grid = [2], axes = [0]> : tensor<8x8xf32> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// -----

func.func @root(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected root to be one of the 2 ranks of a group, found 2}}
  %0 = fuse.broadcast_from %x root = 2 in <grid = [4, 2], axes = [1]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @no_ranks(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a grid of 1 to 1048576 ranks with positive extents, found an extent of 0}}
  %0 = fuse.all_reduce sum %x in <grid = [2, 0], axes = [1]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @too_many_ranks(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a grid of 1 to 1048576 ranks with positive extents, found an extent of 1048577}}
  %0 = fuse.all_reduce sum %x in <grid = [1048577], axes = [0]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @no_such_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected an axis of a grid of 2 axes, found 2}}
  %0 = fuse.all_reduce sum %x in <grid = [2, 2], axes = [2]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @axis_twice(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected each axis once, found 1 twice}}
  %0 = fuse.all_reduce sum %x in <grid = [2, 2], axes = [1, 1]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{expected each axis once, found 0 twice}}
func.func private @cut_twice(tensor<4x4xf32> {fuse.sharding = #fuse.sharding<grid = [2], dims = [[0], [0]]>})

// -----

// expected-error@+1 {{attribute 'fuse.sharding' names axes of 1 dimensions, found 'tensor<4x4xf32>'}}
func.func private @too_few_dims(tensor<4x4xf32> {fuse.sharding = #fuse.sharding<grid = [2], dims = [[0]]>})

// -----

// expected-error@+1 {{attribute 'fuse.sharding' names axes of 3 dimensions, found 'tensor<4x4xf32>'}}
func.func private @result_dims() -> (tensor<4x4xf32> {fuse.sharding = #fuse.sharding<grid = [2], dims = [[0], [], []]>})

// -----

// expected-error@+1 {{attribute 'fuse.sharding' names axes of 0 dimensions, found 'f32'}}
func.func private @no_tensor(f32 {fuse.sharding = #fuse.sharding<grid = [2], dims = []>})

// -----

// expected-error@+1 {{attribute 'fuse.sharding'}}
func.func private @no_sharding(tensor<4xf32> {fuse.sharding = "rows"})

// -----

// expected-error@+1 {{attribute 'fuse.sharding' belongs on an argument or result of a function}}
module attributes {fuse.sharding = #fuse.sharding<grid = [2], dims = []>} {}

// -----

func.func @overlap_place(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.overlap_ns' belongs on a collective}}
  %0 = fuse.unary exp %x {fuse.overlap_ns = 3 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @overlap_negative(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.overlap_ns' expects a time that is not negative, found -3}}
  %0 = fuse.all_reduce sum %x in <grid = [2], axes = [0]> {fuse.overlap_ns = -3 : i64} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
