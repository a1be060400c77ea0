// What cannot be partitioned is refused where it stands, with what would allow it.
// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-shard-check
// RUN: fuse-opt %s -split-input-file -verify-diagnostics -fuse-distribute

shard.grid @g(shape = 2)
func.func @rest(%x: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @below {{dimension 0 of extent 5 cannot be cut into 2 equal parts: pad it to 6, or cut another dimension}}
  %0 = shard.shard %x to %s : tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @open(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @below {{dimension 0 is of unknown extent and cannot be cut into 2 parts: give it a size, or cut another dimension}}
  %0 = shard.shard %x to %s : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @axis(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[1]] : !shard.sharding
  // expected-error @below {{expected an axis of a grid of 1 axes, found 1}}
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2x2)
func.func @order(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[1, 0]] : !shard.sharding
  // expected-error @below {{expected the axes of a dimension in ascending order, found 1 before 0}}
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
shard.grid @h(shape = 2)
func.func @grids(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  %t = shard.sharding @h split_axes = [[0]] : !shard.sharding
  // expected-error @below {{expected all annotations of a function to name one grid, found 'g' and 'h'}}
  %1 = shard.shard %0 to %t : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = ?)
func.func @unknown(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @below {{expected a grid of at most 4 axes of known extents, found 'g' of an unknown extent}}
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 1x1x1x1x2)
func.func @axes(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @below {{expected a grid of at most 4 axes of known extents, found 'g' of 5 axes}}
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @rank(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[], [], [0]] : !shard.sharding
  // expected-error @below {{expected axes for at most 2 dimensions, found them for 3}}
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @halo(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  // expected-error @below {{halos are not supported: expected dimensions in equal parts, which do not overlap}}
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @uneven(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 1, 4] : !shard.sharding
  // expected-error @below {{parts of different sizes are not supported: expected no sharded_dims_offsets; pad the dimension, so that it divides}}
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @host(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  // expected-error @below {{cannot be partitioned: every rank would call the function, which may have effects: mark it pure}}
  %1 = fuse.host_call @filter(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func private @callee(tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @call(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  // expected-error @below {{cannot be partitioned: functions are partitioned one by one: inline the call first}}
  %1 = func.call @callee(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @kernel(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  // expected-error @below {{cannot be partitioned: kernels are already formed: a program is partitioned before it is planned}}
  %1 = fuse.kernel (%a = %0) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %2 = fuse.unary exp %a : tensor<4x4xf32>
    fuse.yield %2 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @again(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  // expected-error @below {{cannot be partitioned: it is a program of several processes already}}
  %1 = fuse.all_reduce sum %0 in <grid = [2], axes = [0]> : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
// expected-error @below {{argument #0 is a shard already: a program is partitioned once}}
func.func @twice(%x: tensor<4x4xf32> {fuse.sharding = #fuse.sharding<grid = [2], dims = [[0], []]>}) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @region(%x: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  // expected-error @below {{cannot be partitioned: what a region reads from outside it is not partitioned}}
  %1 = scf.if %c -> tensor<4x4xf32> {
    %2 = fuse.unary exp %0 : tensor<4x4xf32>
    scf.yield %2 : tensor<4x4xf32>
  } else {
    scf.yield %0 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
// expected-error @below {{expected a function of one block to partition, found 2}}
func.func @blocks(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<4x4xf32>
  cf.br ^end
^end:
  return %0 : tensor<4x4xf32>
}
