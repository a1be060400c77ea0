// RUN: fuse-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{a level has one size per dim, found 2 dims and 1 sizes}}
#s = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [8]>]>

// -----

// expected-error@+1 {{a level's sizes are positive, found 0}}
#s = #fuse.schedule<levels = [<block, dims = [0], sizes = [0]>]>

// -----

// expected-error@+2 {{expected integer value}}
// expected-error@+1 {{failed to parse Fuse_LevelAttr parameter 'dims'}}
#s = #fuse.schedule<levels = [#fuse.level<block, dims = [], sizes = []>]>

// -----

// expected-error@+1 {{reduction_lanes is not negative, found -1}}
#s = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>], reduction_lanes = -1>

// -----

// expected-error@+1 {{limit 'launches' of a budget is not negative, found -1}}
#b = #fuse.budget<launches = -1>

// -----

func.func @unknown(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{unknown attribute 'fuse.alon' of dialect 'fuse'}}
  %0 = fuse.unary relu %x {fuse.alon} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @unknown_on_foreign_op() {
  // expected-error@+1 {{unknown attribute 'fuse.groups' of dialect 'fuse'}}
  %0 = arith.constant {fuse.groups = 1} 0 : i32
  return
}

// -----

func.func @group(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.group' expects array<i64>, found 1 : i64}}
  %0 = fuse.unary relu %x {fuse.group = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{attribute 'fuse.group' belongs on an op of a function}}
func.func @group_on_function() attributes {fuse.group = array<i64: 1>} {
  return
}

// -----

func.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.alone' expects a unit attribute, found true}}
  %0 = fuse.unary relu %x {fuse.alone = true} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{attribute 'fuse.alone' belongs on an op of a function}}
module attributes {fuse.alone} {}

// -----

func.func @together(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.together' expects a string, found 3 : i64}}
  %0 = fuse.unary relu %x {fuse.together = 3} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @closed(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.closed' belongs on an op with 'fuse.together'}}
  %0 = fuse.unary relu %x {fuse.closed} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @closed_value(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.closed' expects a unit attribute, found 1 : i64}}
  %0 = fuse.unary relu %x {fuse.closed = 1, fuse.together = "a"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @origin(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.origin' expects #fuse.origin, found "softmax"}}
  %0 = fuse.unary relu %x {fuse.origin = "softmax"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @written(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.written' belongs on a function}}
  %0 = fuse.unary relu %x {fuse.written = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @schedule(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.schedule' belongs on a kernel}}
  %0 = fuse.unary relu %x {fuse.schedule = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
