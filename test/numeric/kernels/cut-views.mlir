// RUN: %python %S/Inputs/check_kernels.py %s

// Slices that other views and readers follow.

// expect kernels=1 blocks>=1
func.func @joined(%x: tensor<6x6xf32>) -> tensor<24xf32> {
  %0 = fuse.slice %x offsets = [0, 2] sizes = [6, 4] strides = [1, 1] : tensor<6x6xf32> -> tensor<6x4xf32>
  %1 = fuse.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  %2 = fuse.unary neg %1 {fuse.together = "k"} : tensor<24xf32>
  return %2 : tensor<24xf32>
}

// Two readers of one slice, one of them through a flattening reshape.
// expect kernels=1 blocks>=16
func.func @gathered_and_read(%x: tensor<640x60xf32>, %i: tensor<640x5xi64>) -> (tensor<640x5xf32>, tensor<640xf32>) {
  %0 = fuse.slice %x offsets = [0, 10] sizes = [640, 40] strides = [1, 1] : tensor<640x60xf32> -> tensor<640x40xf32>
  %1 = fuse.reshape %0 : tensor<640x40xf32> -> tensor<25600xf32>
  %2 = fuse.gather %1, %i dimension = 0 {fuse.together = "k"} : (tensor<25600xf32>, tensor<640x5xi64>) -> tensor<640x5xf32>
  %3 = fuse.reduce sum %0 dimensions = [1] {fuse.together = "k"} : tensor<640x40xf32> -> tensor<640xf32>
  return %2, %3 : tensor<640x5xf32>, tensor<640xf32>
}

// expect kernels=1 blocks>=16
func.func @one_element_of_a_join(%x: tensor<24x24x24xf32>) -> tensor<1x24x48xf32> {
  %0 = fuse.concat %x, %x dimension = 2 {fuse.together = "k"} : (tensor<24x24x24xf32>, tensor<24x24x24xf32>) -> tensor<24x24x48xf32>
  %1 = fuse.slice %0 offsets = [22, 0, 0] sizes = [1, 24, 48] strides = [3, 1, 1] : tensor<24x24x48xf32> -> tensor<1x24x48xf32>
  %2 = fuse.copy %1 {fuse.together = "k"} : tensor<1x24x48xf32>
  return %2 : tensor<1x24x48xf32>
}
