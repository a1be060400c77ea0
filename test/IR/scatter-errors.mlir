// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @scatter_shape(%x: tensor<9x2xf32>, %i: tensor<3xi64>, %u: tensor<2x2xf32>) -> tensor<9x2xf32> {
  // expected-error@+1 {{expected updates of shape 3x2, found 2x2}}
  %0 = fuse.scatter add %x, %i, %u dimension = 0 : (tensor<9x2xf32>, tensor<3xi64>, tensor<2x2xf32>) -> tensor<9x2xf32>
  return %0 : tensor<9x2xf32>
}

// -----

func.func @scatter_result(%x: tensor<9x2xf32>, %i: tensor<3xi64>, %u: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{expected a result of the operand's type 'tensor<9x2xf32>', found 'tensor<3x2xf32>'}}
  %0 = fuse.scatter set %x, %i, %u dimension = 0 : (tensor<9x2xf32>, tensor<3xi64>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @scatter_element(%x: tensor<9x2xf32>, %i: tensor<3xi64>, %u: tensor<3x2xf16>) -> tensor<9x2xf32> {
  // expected-error@+1 {{expected updates of element type 'f32', found 'f16'}}
  %0 = fuse.scatter set %x, %i, %u dimension = 0 : (tensor<9x2xf32>, tensor<3xi64>, tensor<3x2xf16>) -> tensor<9x2xf32>
  return %0 : tensor<9x2xf32>
}

// -----

func.func @scatter_kind(%x: tensor<9xi1>, %i: tensor<3xi64>, %u: tensor<3xi1>) -> tensor<9xi1> {
  // expected-error@+1 {{'add' expects a float (f16, bf16, f32, f64) or an integer (i8 to i64, ui8 to ui64), found 'i1'}}
  %0 = fuse.scatter add %x, %i, %u dimension = 0 : (tensor<9xi1>, tensor<3xi64>, tensor<3xi1>) -> tensor<9xi1>
  return %0 : tensor<9xi1>
}

// -----

func.func @scatter_dimension(%x: tensor<9x2xf32>, %i: tensor<3xi64>, %u: tensor<3x2xf32>) -> tensor<9x2xf32> {
  // expected-error@+1 {{dimension -1 is outside rank 2}}
  %0 = fuse.scatter add %x, %i, %u dimension = -1 : (tensor<9x2xf32>, tensor<3xi64>, tensor<3x2xf32>) -> tensor<9x2xf32>
  return %0 : tensor<9x2xf32>
}

// -----

func.func @scatter_rows_rank(%x: tensor<2x9x2x2xf32>, %i: tensor<3xi64>, %u: tensor<2x3x2x2xf32>) -> tensor<2x9x2x2xf32> {
  // expected-error@+1 {{expected a list of indices and an init of rank 1 to 3, found 'tensor<3xi64>' and 'tensor<2x9x2x2xf32>'}}
  %0 = fuse.scatter_rows add f32 %x, %i, %u dimension = 1 : (tensor<2x9x2x2xf32>, tensor<3xi64>, tensor<2x3x2x2xf32>) -> tensor<2x9x2x2xf32>
  return %0 : tensor<2x9x2x2xf32>
}
