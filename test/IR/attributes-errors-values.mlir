// RUN: fuse-opt %s --split-input-file --verify-diagnostics

func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.blocks' belongs on a kernel's module}}
  %0 = fuse.unary relu %x {fuse.blocks = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{attribute 'fuse.scratch_bytes' expects an integer, found "many"}}
module attributes {fuse.scratch_bytes = "many"} {}

// -----

// expected-error@+1 {{attribute 'fuse.name' expects a string, found 3 : i64}}
func.func @name(%x: tensor<8xf32> {fuse.name = 3}) {
  return
}

// -----

// expected-error@+1 {{attribute 'fuse.param' expects a unit attribute, found "yes"}}
func.func @param(%x: tensor<8xf32> {fuse.param = "yes"}) {
  return
}

// -----

// expected-error@+1 {{attribute 'fuse.param' belongs on an argument}}
func.func @param_result(%x: tensor<8xf32>) -> (tensor<8xf32> {fuse.param}) {
  return %x : tensor<8xf32>
}

// -----

// expected-error@+1 {{unknown attribute 'fuse.nam' of dialect 'fuse' on an argument}}
func.func @unknown_argument(%x: tensor<8xf32> {fuse.nam = "x"}) {
  return
}

// -----

// expected-error@+1 {{unknown attribute 'fuse.alone' of dialect 'fuse' on a result}}
func.func @unknown_result(%x: tensor<8xf32>) -> (tensor<8xf32> {fuse.alone}) {
  return %x : tensor<8xf32>
}

// -----

func.func @name_on_op(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.name' belongs on an argument or result of a function}}
  %0 = fuse.unary relu %x {fuse.name = "y"} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @param_on_op(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.param' belongs on an argument of a function}}
  %0 = fuse.unary relu %x {fuse.param} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{attribute 'fuse.io_cost' expects #fuse.io_cost, found 3.000000e+00}}
func.func @io_cost() attributes {fuse.io_cost = 3.0} {
  return
}

// -----

func.func @io_cost_on_op(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{attribute 'fuse.io_cost' belongs on a function}}
  %0 = fuse.unary relu %x {fuse.io_cost = 1} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{attribute 'fuse.tuned' expects a string, found 1 : i64}}
module attributes {fuse.tuned = 1} {
}

// -----

// expected-error@+1 {{reduction_lanes is 0 or a power of two up to 4096, found 7}}
#s = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>], reduction_lanes = 7>

// -----

// expected-error@+1 {{dim 1 stands twice in the levels mapped to block}}
#s = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [8, 8]>, <block, dims = [1], sizes = [4]>]>

// -----

// expected-error@+1 {{a level's dims are numbers of loops, from 0 on, found -1}}
#s = #fuse.schedule<levels = [<block, dims = [-1], sizes = [8]>]>

// -----

// expected-error@+1 {{attribute 'fuse.written' expects figures that are not negative, found -5}}
func.func @stale() attributes {fuse.written = #fuse.profile<kernel_launches = -5, sync_points = 0, host_output_bytes = 0, device_traffic_bytes = 0, unknown_values = 0>} {
  return
}

// -----

// expected-error@+1 {{expected 'reduction_lanes', 'threads' or 'lanes', in this order}}
#s = #fuse.schedule<levels = [], lanes = 32, threads = 64>
