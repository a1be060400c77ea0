// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @unary_type(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'exp' takes a float (f16, bf16, f32, f64), found element type 'i32'}}
  %0 = fuse.unary exp %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @unary_shape(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{expected result shape 4, found 5}}
  %0 = fuse.unary exp %x : (tensor<4xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @unary_result_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected result element type 'i1', found 'f32'}}
  %0 = fuse.unary is_nan %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unary_alpha(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'relu' has no parameter 'alpha'}}
  %0 = fuse.unary relu %x alpha = 1.000000e-01 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unary_beta(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'elu' has no parameter 'beta'}}
  %0 = fuse.unary elu %x beta = 1.000000e-01 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unary_approximate(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'erf' has no parameter 'approximate'}}
  %0 = fuse.unary erf %x approximate = tanh : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unary_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{to be one of: relu, sigmoid}}
  // expected-error@+1 {{failed to parse Fuse_UnaryKindAttr}}
  %0 = fuse.unary cube %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @binary_shapes(%x: tensor<4x3xf32>, %y: tensor<2xf32>) -> tensor<4x3xf32> {
  // expected-error@+1 {{operand shapes do not broadcast: 4x3, 2}}
  %0 = fuse.binary add %x, %y : (tensor<4x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

func.func @binary_rank(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{expected result shape 4x3, found 3}}
  %0 = fuse.binary add %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @binary_types(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error@+1 {{expected element type 'f32' throughout, found 'f16'}}
  %0 = fuse.binary add %x, %y : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @binary_kind_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'and' takes an integer (i8 to i64, ui8 to ui64) or i1, found element type 'f32'}}
  %0 = fuse.binary and %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @element_type(%x: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error@+1 {{operand #0 must be ranked tensor of element type of the dialect values, but got 'tensor<4xi4>'}}
  %0 = fuse.binary add %x, %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

func.func @unranked(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{operand #0 must be ranked tensor}}
  %0 = fuse.unary exp %x : tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @compact_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{expected a function type with 2 operands and 1 result, found '(tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = fuse.binary add %x, %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @cast_shape(%x: tensor<4xf32>) -> tensor<1xf16> {
  // expected-error@+1 {{expected result shape 4, found 1}}
  %0 = fuse.cast %x : (tensor<4xf32>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
}

// -----

func.func @bitcast_width(%x: tensor<4xf32>) -> tensor<4xi16> {
  // expected-error@+1 {{expected element types of one width, found 'f32' and 'i16'}}
  %0 = fuse.bitcast %x : (tensor<4xf32>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}

// -----

func.func @bitcast_mask(%x: tensor<4xi1>) -> tensor<4xi8> {
  // expected-error@+1 {{expected element types other than i1, found 'i1' and 'i8'}}
  %0 = fuse.bitcast %x : (tensor<4xi1>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @shift_floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'shift_left' takes an integer (i8 to i64, ui8 to ui64), found element type 'f32'}}
  %0 = fuse.binary shift_left %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @compare_types(%x: tensor<4xf32>, %y: tensor<4xi32>) -> tensor<4xi1> {
  // expected-error@+1 {{expected element type 'f32' throughout, found 'i32'}}
  %0 = fuse.compare lt %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @compare_result(%x: tensor<4xf32>) -> tensor<4xi8> {
  // expected-error@+1 {{result #0 must be ranked tensor of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = fuse.compare lt %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @select_types(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error@+1 {{expected element type 'f32' throughout, found 'f16'}}
  %0 = fuse.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @select_shapes(%c: tensor<3xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{operand shapes do not broadcast: 3, 4, 4}}
  %0 = fuse.select %c, %x, %x : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @clamp_type(%x: tensor<4xi1>) -> tensor<4xi1> {
  // expected-error@+1 {{'clamp' takes a float (f16, bf16, f32, f64) or an integer (i8 to i64, ui8 to ui64), found element type 'i1'}}
  %0 = fuse.clamp %x, %x, %x : tensor<4xi1>
  return %0 : tensor<4xi1>
}
