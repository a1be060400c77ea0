// RUN: %python %S/Inputs/check_kernels.py %s

// Products with matrices that an index chooses, as those of experts are: the matrices are read where they are.

// expect kernels=1
// with %e = [7, 0, 3, 3, -1, 5]
func.func @rows(%x: tensor<6x16x64xf32>, %w: tensor<8x64x96xf32>, %e: tensor<6xi64>) -> tensor<6x16x96xf32> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<8x64x96xf32>, tensor<6xi64>) -> tensor<6x64x96xf32>
  %1 = fuse.matmul %x, %0 {fuse.together = "k"} : (tensor<6x16x64xf32>, tensor<6x64x96xf32>) -> tensor<6x16x96xf32>
  return %1 : tensor<6x16x96xf32>
}

// The index is computed in the kernel, and read by all blocks of a matrix: those have one buffer.
// expect kernels=1
// with %e = [9, 0, 3, 3, 11, 5]
func.func @computed(%x: tensor<6x4x512xf32>, %w: tensor<8x1024x512xf32>, %e: tensor<6xi64>) -> tensor<6x4x1024xf32> {
  %c = arith.constant dense<7> : tensor<i64>
  %0 = fuse.binary min %e, %c {fuse.together = "k"} : (tensor<6xi64>, tensor<i64>) -> tensor<6xi64>
  %1 = fuse.gather %w, %0 dimension = 0 {fuse.together = "k"} : (tensor<8x1024x512xf32>, tensor<6xi64>) -> tensor<6x1024x512xf32>
  %2 = fuse.matmul %x, %1 transpose_rhs {fuse.together = "k"} : (tensor<6x4x512xf32>, tensor<6x1024x512xf32>) -> tensor<6x4x1024xf32>
  return %2 : tensor<6x4x1024xf32>
}

// expect kernels=1
// with %e = [7, 0, 3, 3, 1, 5]
func.func @one_row(%x: tensor<6x1x64xf32>, %w: tensor<8x96x64xf32>, %e: tensor<6xi64>) -> tensor<6x1x96xf32> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<8x96x64xf32>, tensor<6xi64>) -> tensor<6x96x64xf32>
  %1 = fuse.matmul %x, %0 transpose_rhs {fuse.together = "k"} : (tensor<6x1x64xf32>, tensor<6x96x64xf32>) -> tensor<6x1x96xf32>
  return %1 : tensor<6x1x96xf32>
}

// expect kernels=1
// with %e = [7, 0, 3, 3, 1, 5]
func.func @short_types(%x: tensor<6x8x64xbf16>, %w: tensor<8x64x96xbf16>, %e: tensor<6xi64>) -> tensor<6x8x96xbf16> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<8x64x96xbf16>, tensor<6xi64>) -> tensor<6x64x96xbf16>
  %1 = fuse.matmul %x, %0 {fuse.together = "k"} : (tensor<6x8x64xbf16>, tensor<6x64x96xbf16>) -> tensor<6x8x96xbf16>
  return %1 : tensor<6x8x96xbf16>
}

// Numbers of rows and of matrices that are not known.
// expect kernels=1
func.func @open(%x: tensor<?x4x64xf32>, %w: tensor<?x64x96xf32>, %e: tensor<?xi64>) -> tensor<?x4x96xf32> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<?x64x96xf32>, tensor<?xi64>) -> tensor<?x64x96xf32>
  %1 = fuse.matmul %x, %0 {fuse.together = "k"} : (tensor<?x4x64xf32>, tensor<?x64x96xf32>) -> tensor<?x4x96xf32>
  return %1 : tensor<?x4x96xf32>
}
