// The parts of a concat are open, and their sum is a number: the type of the concat says what those of its operands do, and what
// follows reads it with the number.
// RUN: fuse-opt %s --fuse-refine-shapes | FileCheck %s

// CHECK-LABEL: func @parts_of_known_sum
//       CHECK:   %[[ALL:.+]] = fuse.concat {{.+}} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
//       CHECK:   %[[COLUMNS:.+]] = tensor.dim %[[ALL]]
//       CHECK:   %[[KNOWN:.+]] = fuse.reshape %[[ALL]] sizes = [%[[COLUMNS]]] : tensor<?x?xf32> -> tensor<4x?xf32>
//       CHECK:   fuse.unary exp %[[KNOWN]] : tensor<4x?xf32>
func.func @parts_of_known_sum(%x: tensor<4x?xf32>, %count: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %count, %c0 : tensor<?xf32>
  %rest = affine.apply affine_map<()[s0] -> (4 - s0)>()[%n]
  %first = fuse.slice %x offsets = [0, 0] sizes = [%n, -1] strides = [1, 1] : tensor<4x?xf32> -> tensor<?x?xf32>
  %second = fuse.slice %x offsets = [%n, 0] sizes = [%rest, -1] strides = [1, 1] : tensor<4x?xf32> -> tensor<?x?xf32>
  %all = fuse.concat %first, %second dimension = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %exp = fuse.unary exp %all : tensor<?x?xf32>
  return %exp : tensor<?x?xf32>
}
