// Case 3: two kernels whose members are fixed by hand need each other.
// RUN: not fuse-opt %s --fuse-pipeline 2>&1 | FileCheck %s
// CHECK: error: the kernels that fuse.together asks for need each other's results (cycle): "A", "B"

func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = fuse.unary neg %x {fuse.together = "A"} : tensor<8xf32>
  %b = fuse.unary abs %x {fuse.together = "B"} : tensor<8xf32>
  %c = fuse.unary exp %b {fuse.together = "A"} : tensor<8xf32>
  %d = fuse.unary sin %a {fuse.together = "B"} : tensor<8xf32>
  return %c, %d : tensor<8xf32>, tensor<8xf32>
}
