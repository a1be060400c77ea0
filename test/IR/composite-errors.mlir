// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @batch_norm_dimension(%x: tensor<1x8x4x4xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<1x8x4x4xf32> {
  // expected-error@+1 {{feature_dimension 4 is outside rank 4}}
  %0 = fuse.batch_norm %x, %a, %b, %c, %d epsilon = 1.0e-05 feature_dimension = 4 : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// -----

func.func @batch_norm_shape(%x: tensor<1x8x4x4xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<4xf32>, %d: tensor<8xf32>) -> tensor<1x8x4x4xf32> {
  // expected-error@+1 {{expected a mean of shape 8, found 4}}
  %0 = fuse.batch_norm %x, %a, %b, %c, %d epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// -----

func.func @batch_norm_type(%x: tensor<1x8x4x4xf32>, %a: tensor<8xf32>, %b: tensor<8xf16>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<1x8x4x4xf32> {
  // expected-error@+1 {{expected an offset of element type 'f32', found 'f16'}}
  %0 = fuse.batch_norm %x, %a, %b, %c, %d epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// -----

func.func @batch_norm_epsilon(%x: tensor<1x8x4x4xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<1x8x4x4xf32> {
  // expected-error@+1 {{expected a finite epsilon that is not negative, found -1}}
  %0 = fuse.batch_norm %x, %a, %b, %c, %d epsilon = -1.0 feature_dimension = 1 : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// -----

func.func @batch_norm_result(%x: tensor<1x8x4x4xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<1x8x4x5xf32> {
  // expected-error@+1 {{expected result type 'tensor<1x8x4x4xf32>', found 'tensor<1x8x4x5xf32>'}}
  %0 = fuse.batch_norm %x, %a, %b, %c, %d epsilon = 1.0e-05 feature_dimension = 1 : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x5xf32>
  return %0 : tensor<1x8x4x5xf32>
}

// -----

func.func @softmax_dimension(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{dimension -3 is outside rank 2}}
  %0 = fuse.softmax %x dimension = -3 : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @softmax_result(%x: tensor<4x5xf32>) -> tensor<4x6xf32> {
  // expected-error@+1 {{expected result type 'tensor<4x5xf32>', found 'tensor<4x6xf32>'}}
  %0 = fuse.softmax %x dimension = 1 : (tensor<4x5xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @softmax_type(%x: tensor<4x5xi32>) -> tensor<4x5xi32> {
  // expected-error@+1 {{operand #0 must be ranked tensor of floating-point element type values}}
  %0 = fuse.softmax %x dimension = 1 : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

// -----

func.func @layer_norm_axis(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{dimension 2 is outside rank 2}}
  %0 = fuse.layer_norm %x dimensions = [2] epsilon = 1.0e-05 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @layer_norm_unsorted(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{dimensions must be sorted and distinct, found 0 after 1}}
  %0 = fuse.layer_norm %x dimensions = [1, 0] epsilon = 1.0e-05 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @layer_norm_no_axis(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{expected at least one dimension}}
  %0 = fuse.layer_norm %x dimensions = [] epsilon = 1.0e-05 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @layer_norm_scale_type(%x: tensor<4x5xf32>, %a: tensor<5xf16>) -> tensor<4x5xf32> {
  // expected-error@+1 {{expected a scale of element type 'f32', found 'f16'}}
  %0 = fuse.layer_norm %x, %a dimensions = [1] epsilon = 1.0e-05 : (tensor<4x5xf32>, tensor<5xf16>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @layer_norm_scale(%x: tensor<4x5xf32>, %a: tensor<4xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{a scale of shape 4 does not broadcast to shape 4x5}}
  %0 = fuse.layer_norm %x, %a dimensions = [1] epsilon = 1.0e-05 : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @layer_norm_offset(%x: tensor<4x5xf32>, %a: tensor<5xf32>, %b: tensor<1x4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{an offset of shape 1x4x5 does not broadcast to shape 4x5}}
  %0 = fuse.layer_norm %x, %a, %b dimensions = [1] epsilon = 1.0e-05 : (tensor<4x5xf32>, tensor<5xf32>, tensor<1x4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @layer_norm_epsilon(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{expected a finite epsilon that is not negative}}
  %0 = fuse.layer_norm %x dimensions = [1] epsilon = 0x7FF0000000000000 : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @layer_norm_result(%x: tensor<4x5xf32>) -> tensor<5x4xf32> {
  // expected-error@+1 {{expected result type 'tensor<4x5xf32>', found 'tensor<5x4xf32>'}}
  %0 = fuse.layer_norm %x dimensions = [1] epsilon = 1.0e-05 : (tensor<4x5xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

func.func @layer_norm_offset_alone(%x: tensor<4x5xf32>, %o: tensor<5xf32>) -> tensor<4x5xf32> {
  // expected-error@+1 {{an offset needs a scale}}
  %0 = "fuse.layer_norm"(%x, %o) {dimensions = array<i64: 1>, epsilon = 1.0e-05 : f64, operandSegmentSizes = array<i32: 1, 0, 1>} : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @attention_rank(%q: tensor<8x16xf32>, %k: tensor<9x16xf32>, %v: tensor<9x5xf32>) -> tensor<8x5xf32> {
  // expected-error@+1 {{expected query, key and value of one rank, 3 at least, found ranks 2, 2, 2}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<8x16xf32>, tensor<9x16xf32>, tensor<9x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @attention_type(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x9x16xf16>, %v: tensor<1x2x9x5xf32>) -> tensor<1x4x8x5xf32> {
  // expected-error@+1 {{expected a key of element type 'f32', found 'f16'}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<1x2x9x16xf16>, tensor<1x2x9x5xf32>) -> tensor<1x4x8x5xf32>
  return %0 : tensor<1x4x8x5xf32>
}

// -----

func.func @attention_heads(%q: tensor<1x4x8x16xf32>, %k: tensor<1x3x9x16xf32>, %v: tensor<1x3x9x5xf32>) -> tensor<1x4x8x5xf32> {
  // expected-error@+1 {{expected static heads, a multiple of the key's and value's groups, found 1x4x8x16, 1x3x9x16, 1x3x9x5}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<1x3x9x16xf32>, tensor<1x3x9x5xf32>) -> tensor<1x4x8x5xf32>
  return %0 : tensor<1x4x8x5xf32>
}

// -----

func.func @attention_depth(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x9x15xf32>, %v: tensor<1x2x9x5xf32>) -> tensor<1x4x8x5xf32> {
  // expected-error@+1 {{shapes of query, key and value do not fit: 1x4x8x16, 1x2x9x15, 1x2x9x5}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<1x2x9x15xf32>, tensor<1x2x9x5xf32>) -> tensor<1x4x8x5xf32>
  return %0 : tensor<1x4x8x5xf32>
}

// -----

func.func @attention_length(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x9x16xf32>, %v: tensor<1x2x8x5xf32>) -> tensor<1x4x8x5xf32> {
  // expected-error@+1 {{shapes of query, key and value do not fit: 1x4x8x16, 1x2x9x16, 1x2x8x5}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x8x5xf32>) -> tensor<1x4x8x5xf32>
  return %0 : tensor<1x4x8x5xf32>
}

// -----

func.func @attention_batch(%q: tensor<1x4x8x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<1x2x9x5xf32>) -> tensor<1x4x8x5xf32> {
  // expected-error@+1 {{shapes of query, key and value do not fit: 1x4x8x16, 2x2x9x16, 1x2x9x5}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<2x2x9x16xf32>, tensor<1x2x9x5xf32>) -> tensor<1x4x8x5xf32>
  return %0 : tensor<1x4x8x5xf32>
}

// -----

func.func @attention_mask_type(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x9x16xf32>, %v: tensor<1x2x9x5xf32>, %m: tensor<8x9xi8>) -> tensor<1x4x8x5xf32> {
  // expected-error@+1 {{expected a mask of element type 'f32' or i1, found 'i8'}}
  %0 = fuse.attention %q, %k, %v, %m scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x5xf32>, tensor<8x9xi8>) -> tensor<1x4x8x5xf32>
  return %0 : tensor<1x4x8x5xf32>
}

// -----

func.func @attention_mask(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x9x16xf32>, %v: tensor<1x2x9x5xf32>, %m: tensor<8x8xi1>) -> tensor<1x4x8x5xf32> {
  // expected-error@+1 {{mask of shape 8x8 does not broadcast to shape 1x4x8x9}}
  %0 = fuse.attention %q, %k, %v, %m scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x5xf32>, tensor<8x8xi1>) -> tensor<1x4x8x5xf32>
  return %0 : tensor<1x4x8x5xf32>
}

// -----

func.func @attention_result(%q: tensor<1x4x8x16xf32>, %k: tensor<1x2x9x16xf32>, %v: tensor<1x2x9x5xf32>) -> tensor<1x4x8x16xf32> {
  // expected-error@+1 {{expected result shape 1x4x8x5, found 1x4x8x16}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<1x4x8x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x5xf32>) -> tensor<1x4x8x16xf32>
  return %0 : tensor<1x4x8x16xf32>
}

// -----

func.func @attention_causal(%q: tensor<1x4x?x16xf32>, %k: tensor<1x2x9x16xf32>, %v: tensor<1x2x9x5xf32>) -> tensor<1x4x?x5xf32> {
  // expected-error@+1 {{'causal' needs static lengths, found 1x4x?x9}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 causal : (tensor<1x4x?x16xf32>, tensor<1x2x9x16xf32>, tensor<1x2x9x5xf32>) -> tensor<1x4x?x5xf32>
  return %0 : tensor<1x4x?x5xf32>
}

// -----

func.func @attention_dynamic_groups(%q: tensor<?x4x?x16xf32>, %k: tensor<?x2x9x16xf32>, %v: tensor<?x2x9x5xf32>) -> tensor<?x4x?x5xf32> {
  // expected-error@+1 {{grouped heads allow one dynamic dimension in each operand, found ?x4x?x16}}
  %0 = fuse.attention %q, %k, %v scale = 1.0 : (tensor<?x4x?x16xf32>, tensor<?x2x9x16xf32>, tensor<?x2x9x5xf32>) -> tensor<?x4x?x5xf32>
  return %0 : tensor<?x4x?x5xf32>
}
