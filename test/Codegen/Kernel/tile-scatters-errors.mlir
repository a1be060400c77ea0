// RUN: fuse-opt %s --fuse-tile-kernels --split-input-file --verify-diagnostics

module @behind {
  func.func private @behind(%x: tensor<9xf32>, %i: tensor<5xi64>, %u: tensor<5xf32>, %out: tensor<9xf32> {bufferization.writable = true}) -> tensor<9xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [9]>]>} {
    // expected-error@+1 {{expected a kernel that computes nothing behind its scatter, whose result is the kernel's only one}}
    %0 = fuse.scatter_rows add f32 %x, %i, %u dimension = 0 : (tensor<9xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<9xf32>
    %e = tensor.empty() : tensor<9xf32>
    %1 = linalg.copy ins(%0 : tensor<9xf32>) outs(%e : tensor<9xf32>) -> tensor<9xf32>
    return %1 : tensor<9xf32>
  }
}

// -----

module @two {
  func.func private @two(%x: tensor<9xf32>, %i: tensor<5xi64>, %u: tensor<5xf32>, %out: tensor<9xf32> {bufferization.writable = true}) -> tensor<9xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [9]>]>} {
    %0 = fuse.scatter_rows add f32 %x, %i, %u dimension = 0 : (tensor<9xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<9xf32>
    // expected-error@+1 {{is the second scatter of a kernel; expected one}}
    %1 = fuse.scatter_rows add f32 %0, %i, %u dimension = 0 : (tensor<9xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<9xf32>
    return %1 : tensor<9xf32>
  }
}

// -----

module @results {
  func.func private @results(%x: tensor<9xf32>, %i: tensor<5xi64>, %u: tensor<5xf32>, %a: tensor<9xf32> {bufferization.writable = true}, %b: tensor<9xf32> {bufferization.writable = true}) -> (tensor<9xf32>, tensor<9xf32>)
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [9]>]>} {
    // expected-error@+1 {{expected a kernel with the scatter's result alone, found 2 results}}
    %0 = fuse.scatter_rows add f32 %x, %i, %u dimension = 0 : (tensor<9xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<9xf32>
    return %0, %0 : tensor<9xf32>, tensor<9xf32>
  }
}
