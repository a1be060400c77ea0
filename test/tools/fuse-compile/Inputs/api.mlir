// A table that is looked up and added to a memref, which is also written.
func.func @lookup(%ids: tensor<?xi64> {fuse.name = "ids"},
                  %table: tensor<10x4xf32> {fuse.param, fuse.name = "table"},
                  %total: memref<4xf32> {fuse.name = "total"})
    -> (tensor<?x4xf32> {fuse.name = "rows"}, tensor<4xf32> {fuse.name = "sum"}) {
  %rows = fuse.gather %table, %ids dimension = 0
      : (tensor<10x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %sum = fuse.reduce sum %rows dimensions = [0] : tensor<?x4xf32> -> tensor<4xf32>
  %before = fuse.load %total : memref<4xf32> -> tensor<4xf32>
  %after = fuse.binary add %before, %sum : tensor<4xf32>
  fuse.store %after, %total : tensor<4xf32>, memref<4xf32>
  return %rows, %sum : tensor<?x4xf32>, tensor<4xf32>
}
