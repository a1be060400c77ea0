// What a call may have of sizes: two lengths that are joined, elements that are halved, windows that fit, inner extents
// that meet, indices into rows, and arrays between kernels that are products of two sizes. bundle-sizes.cpp knows.
func.func @main(%a: tensor<?x4xf32> {fuse.name = "a", fuse.dim_names = ["first", ""]},
                %b: tensor<?x4xf32> {fuse.name = "b", fuse.dim_names = ["second", ""]},
                %image: tensor<?x?xf32> {fuse.name = "image", fuse.dim_names = ["height", "width"]},
                %left: tensor<?x?xf32> {fuse.name = "left", fuse.dim_names = ["rows", "inner"]},
                %right: tensor<?x?xf32> {fuse.name = "right", fuse.dim_names = ["", "columns"]},
                %ids: tensor<?xi64> {fuse.name = "ids", fuse.dim_names = ["count"], fuse.dim_bounds = array<i64: 100>})
    -> (tensor<?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, tensor<?xf32>) {
  // The rows of both, two at a time.
  %joined = fuse.concat %a, %b dimension = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %doubled = fuse.binary add %joined, %joined : tensor<?x4xf32>
  %pairs = fuse.reshape %doubled : tensor<?x4xf32> -> tensor<?x8xf32>

  // Windows of 3 by 3.
  %planes = fuse.reshape %image : tensor<?x?xf32> -> tensor<1x1x?x?xf32>
  %pooled = fuse.max_pool2d %planes kernel = [3, 3] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<1x1x?x?xf32> -> tensor<1x1x?x?xf32>
  %windows = fuse.reshape %pooled : tensor<1x1x?x?xf32> -> tensor<?x?xf32>

  %product = fuse.matmul %left, %right : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>

  %taken = fuse.gather %a, %ids dimension = 0 : (tensor<?x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>

  // For each row of a, the least of its first element times each of those of b: an array of both lengths, made by a kernel of its own.
  %firsts = fuse.slice %a offsets = [0, 0] sizes = [-1, 1] strides = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %seconds = fuse.slice %b offsets = [0, 0] sizes = [-1, 1] strides = [1, 1] : tensor<?x4xf32> -> tensor<?x1xf32>
  %turned = fuse.reshape %seconds : tensor<?x1xf32> -> tensor<1x?xf32>
  %outer = fuse.binary mul %firsts, %turned : (tensor<?x1xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  %kept = fuse.copy %outer {fuse.alone} : tensor<?x?xf32>
  %least = fuse.reduce min %kept dimensions = [1] : tensor<?x?xf32> -> tensor<?xf32>
  return %pairs, %windows, %product, %taken, %least : tensor<?x8xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x4xf32>, tensor<?xf32>
}
