// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @load_type(%m: memref<8xf32>) -> tensor<8xf16> {
  // expected-error@+1 {{expected shape and element type of 'memref<8xf32>', found 'tensor<8xf16>'}}
  %0 = fuse.load %m : memref<8xf32> -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

func.func @load_shape(%m: memref<8xf32>) -> tensor<9xf32> {
  // expected-error@+1 {{expected shape and element type of 'memref<8xf32>', found 'tensor<9xf32>'}}
  %0 = fuse.load %m : memref<8xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @load_unranked(%m: memref<*xf32>) -> tensor<9xf32> {
  // expected-error@+1 {{expected builtin.memref, but found 'memref<*xf32>'}}
  %0 = fuse.load %m : memref<*xf32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

func.func @store_shape(%m: memref<8xf32>, %x: tensor<?xf32>) {
  // expected-error@+1 {{expected shape and element type of 'memref<8xf32>', found 'tensor<?xf32>'}}
  fuse.store %x, %m : tensor<?xf32>, memref<8xf32>
  return
}

// -----

func.func @copy_type(%x: tensor<8xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{expected result type 'tensor<8xf32>', found 'tensor<?xf32>'}}
  %0 = fuse.copy %x : (tensor<8xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @concat_nothing() -> tensor<8xf32> {
  // expected-error@+1 {{expected at least one operand}}
  %0 = "fuse.concat"() {dimension = 0 : i64} : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @concat_dimension(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{dimension 2 is outside rank 2}}
  %0 = fuse.concat %x dimension = 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @concat_type(%x: tensor<2x3xf32>) -> tensor<2x3xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.concat %x dimension = 0 : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// -----

func.func @concat_shapes(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{operand shapes differ beside dimension 0: 2x3 and 2x4}}
  %0 = fuse.concat %x, %y dimension = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @concat_ranks(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{operand shapes differ beside dimension 0: 2x3 and 3}}
  %0 = fuse.concat %x, %y dimension = 0 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @concat_dynamic(%x: tensor<?x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{expected result shape ?x3, found 4x3}}
  %0 = fuse.concat %x, %y dimension = 0 : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @concat_result(%x: tensor<2x3xf32>) -> tensor<5x3xf32> {
  // expected-error@+1 {{expected result shape 4x3, found 5x3}}
  %0 = fuse.concat %x, %x dimension = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// -----

func.func @pad_type(%x: tensor<2xf32>) -> tensor<3xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.pad %x low = [0] high = [1] value = 0.0 : f32 : tensor<2xf32> -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

// -----

func.func @pad_low(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{expected 1 entries of 'low', found 2}}
  %0 = fuse.pad %x low = [0, 0] high = [1] value = 0.0 : f32 : tensor<2xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @pad_high(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{expected 1 entries of 'high', found 2}}
  %0 = fuse.pad %x low = [0] high = [1, 1] value = 0.0 : f32 : tensor<2xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @pad_value(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{expected a value of type 'f32', found 0 : i32}}
  %0 = fuse.pad %x low = [0] high = [1] value = 0 : i32 : tensor<2xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @pad_dynamic(%x: tensor<?xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{expected result shape ?, found 5}}
  %0 = fuse.pad %x low = [0] high = [1] value = 0.0 : f32 : tensor<?xf32> -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @pad_crop(%x: tensor<2xf32>) -> tensor<0xf32> {
  // expected-error@+1 {{padding -1 and -2 crops more than dimension 0 of extent 2 has}}
  %0 = fuse.pad %x low = [-1] high = [-2] value = 0.0 : f32 : tensor<2xf32> -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

func.func @pad_shape(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected result shape 3, found 4}}
  %0 = fuse.pad %x low = [0] high = [1] value = 0.0 : f32 : tensor<2xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @gather_type(%x: tensor<9x2xf32>, %i: tensor<3xi64>) -> tensor<3x2xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.gather %x, %i dimension = 0 : (tensor<9x2xf32>, tensor<3xi64>) -> tensor<3x2xf16>
  return %0 : tensor<3x2xf16>
}

// -----

func.func @gather_indices(%x: tensor<9x2xf32>, %i: tensor<3xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{operand #1 must be ranked tensor of 32- or 64-bit signed integer values}}
  %0 = fuse.gather %x, %i dimension = 0 : (tensor<9x2xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @gather_dimension(%x: tensor<9x2xf32>, %i: tensor<3xi64>) -> tensor<3x2xf32> {
  // expected-error@+1 {{dimension 2 is outside rank 2}}
  %0 = fuse.gather %x, %i dimension = 2 : (tensor<9x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @gather_shape(%x: tensor<9x2xf32>, %i: tensor<3xi64>) -> tensor<9x2xf32> {
  // expected-error@+1 {{expected result shape 3x2, found 9x2}}
  %0 = fuse.gather %x, %i dimension = 0 : (tensor<9x2xf32>, tensor<3xi64>) -> tensor<9x2xf32>
  return %0 : tensor<9x2xf32>
}

// -----

func.func @iota_dynamic() -> tensor<?xi32> {
  // expected-error@+1 {{expected 1 sizes for the dynamic dimensions of ?, found 0}}
  %0 = fuse.iota dimension = 0 : tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func @iota_type() -> tensor<4xi1> {
  // expected-error@+1 {{does not give element type i1}}
  %0 = fuse.iota dimension = 0 : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @iota_dimension() -> tensor<4xi32> {
  // expected-error@+1 {{dimension 1 is outside rank 1}}
  %0 = fuse.iota dimension = 1 : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @resize_type(%x: tensor<2xf32>) -> tensor<3xf16> {
  // expected-error@+1 {{expected result element type 'f32', found 'f16'}}
  %0 = fuse.resize_nearest %x : tensor<2xf32> -> tensor<3xf16>
  return %0 : tensor<3xf16>
}

// -----

func.func @resize_rank(%x: tensor<2xf32>) -> tensor<3x3xf32> {
  // expected-error@+1 {{expected a result of rank 1, found rank 2}}
  %0 = fuse.resize_nearest %x : tensor<2xf32> -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

func.func @resize_dynamic(%x: tensor<3xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{resized dimension 0 has no size}}
  %0 = fuse.resize_nearest %x : tensor<3xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @from_index_rank(%n: index) -> tensor<1xi64> {
  // expected-error@+1 {{expected a result of rank 0, not of i1, found 'tensor<1xi64>'}}
  %0 = fuse.from_index %n : tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

func.func @resize_empty(%x: tensor<0xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{dimension 0 is empty: nothing to resample}}
  %0 = fuse.resize_nearest %x : tensor<0xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @pad_overflow(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{padding 9223372036854775807 and 0 of dimension 0 of extent 2 leaves the range of sizes}}
  %0 = fuse.pad %x low = [9223372036854775807] high = [0] value = 0.0 : f32 : tensor<2xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @pad_crop_overflow(%x: tensor<2xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{padding -9223372036854775808 and 0 crops more than dimension 0 of extent 2 has}}
  %0 = fuse.pad %x low = [-9223372036854775808] high = [0] value = 0.0 : f32 : tensor<2xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
