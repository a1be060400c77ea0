// RUN: fuse-opt %s --fuse-tile-kernels --verify-diagnostics

func.func private @k(%x: memref<?xf32>, %y: memref<?xf32>) attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 256>} {
  // expected-error @below {{expected operands that are tensors, as before bufferization}}
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  }
  return
}
