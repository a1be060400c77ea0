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

// Rows are taken back from all products: a block has all matrices of some columns, and reads one after the other. Parameters are packed.
// expect kernels=1
// with %e = [7, 0, 3, -1, 1, 5]
// with %p = [23, 0, 5, 6, 7, 11, 12, 3]
func.func @taken_back(%x: tensor<6x4x96xf32>, %w: tensor<8x200x96xf32> {fuse.param}, %e: tensor<6xi64>, %p: tensor<8xi64>) -> tensor<8x200xf32> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<8x200x96xf32>, tensor<6xi64>) -> tensor<6x200x96xf32>
  %1 = fuse.matmul %x, %0 transpose_rhs {fuse.together = "k"} : (tensor<6x4x96xf32>, tensor<6x200x96xf32>) -> tensor<6x4x200xf32>
  %2 = fuse.reshape %1 : tensor<6x4x200xf32> -> tensor<24x200xf32>
  %3 = fuse.gather %2, %p dimension = 0 {fuse.together = "k"} : (tensor<24x200xf32>, tensor<8xi64>) -> tensor<8x200xf32>
  return %3 : tensor<8x200xf32>
}

// The same of weights that are no parameters, with rows that indices name.
// expect kernels=1
// with %e = [7, 0, 3, 3, 1, 5]
// with %r = [0, 1, 1, 2, 0, -1]
// with %p = [5, 0, 5, 1]
func.func @both(%x: tensor<3x64xf32>, %w: tensor<8x64x96xf32>, %e: tensor<6xi64>, %r: tensor<6xi64>, %p: tensor<4xi64>) -> tensor<4x96xf32> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<8x64x96xf32>, tensor<6xi64>) -> tensor<6x64x96xf32>
  %1 = fuse.gather %x, %r dimension = 0 {fuse.together = "k"} : (tensor<3x64xf32>, tensor<6xi64>) -> tensor<6x64xf32>
  %2 = fuse.reshape %1 : tensor<6x64xf32> -> tensor<6x1x64xf32>
  %3 = fuse.matmul %2, %0 {fuse.together = "k"} : (tensor<6x1x64xf32>, tensor<6x64x96xf32>) -> tensor<6x1x96xf32>
  %4 = fuse.reshape %3 : tensor<6x1x96xf32> -> tensor<6x96xf32>
  %5 = fuse.gather %4, %p dimension = 0 {fuse.together = "k"} : (tensor<6x96xf32>, tensor<4xi64>) -> tensor<4x96xf32>
  return %5 : tensor<4x96xf32>
}

// expect kernels=1
// with %e = [7, 0, 3, 3, 1, 5]
func.func @short_parameters(%x: tensor<6x8x64xbf16>, %w: tensor<8x96x64xbf16> {fuse.param}, %e: tensor<6xi64>) -> tensor<6x8x96xbf16> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<8x96x64xbf16>, tensor<6xi64>) -> tensor<6x96x64xbf16>
  %1 = fuse.matmul %x, %0 transpose_rhs {fuse.together = "k"} : (tensor<6x8x64xbf16>, tensor<6x96x64xbf16>) -> tensor<6x8x96xbf16>
  return %1 : tensor<6x8x96xbf16>
}

// expect kernels=1
// with %e = [7, 0, 3]
func.func @bytes(%x: tensor<3x8x34xui8>, %w: tensor<8x34x96xi8> {fuse.param}, %e: tensor<3xi64>) -> tensor<3x8x96xi32> {
  %0 = fuse.gather %w, %e dimension = 0 {fuse.together = "k"} : (tensor<8x34x96xi8>, tensor<3xi64>) -> tensor<3x34x96xi8>
  %1 = fuse.matmul %x, %0 {fuse.together = "k"} : (tensor<3x8x34xui8>, tensor<3x34x96xi8>) -> tensor<3x8x96xi32>
  return %1 : tensor<3x8x96xi32>
}
