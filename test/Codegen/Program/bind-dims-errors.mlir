// RUN: fuse-opt %s --split-input-file --verify-diagnostics --fuse-bind-dims

// The extents that are known make 2^65.
func.func @static_part(%x: tensor<?x8589934592x4294967296xf32>, %y: tensor<?x4294967296x8589934592xf32>) -> tensor<?x4294967296x8589934592xf32> {
  // expected-error @+1 {{extents multiply to 2^63 or more: ?x8589934592x4294967296 to ?x4294967296x8589934592}}
  %reshaped = fuse.reshape %x : tensor<?x8589934592x4294967296xf32> -> tensor<?x4294967296x8589934592xf32>
  %other = fuse.binary add %reshaped, %y : tensor<?x4294967296x8589934592xf32>
  return %other : tensor<?x4294967296x8589934592xf32>
}

// -----

func.func @constant(%x: tensor<?x3xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{extents multiply to 2^63 or more: ?x3 to ?x9223372036854775783}}
  %reshaped = fuse.reshape %x : tensor<?x3xf32> -> tensor<?x9223372036854775783xf32>
  %other = fuse.reduce sum %reshaped dimensions = [1] : tensor<?x9223372036854775783xf32> -> tensor<?xf32>
  %sum = fuse.binary add %other, %y : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %sum : tensor<4xf32>
}
