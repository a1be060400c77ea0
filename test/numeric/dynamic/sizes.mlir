// Sizes that are computed from extents, compiled and against the interpreter, fused and one kernel for each op.
// RUN: for f in masked joined split last middle; do fuse-run %s --function $f --random-inputs 1 --check && fuse-run %s --function $f --random-inputs 2 --no-fusion --check || exit 1; done
// RUN: %python -c "import numpy as np; np.save('%t.npy', np.ones((4, 4), 'f'))"
// RUN: not fuse-run %s --function middle --input arg0=%t.npy 2>&1 | FileCheck %s
// RUN: %python -c "import numpy as np; [np.save('%t' + str(n) + '.npy', np.ones(n, 'f')) for n in (0, 1, 2)]; np.save('%tu.npy', np.ones((3, 1), 'f'))"
// RUN: for n in 0 1; do for o in "" --no-fusion; do fuse-run %s --function unit --input arg0=%tu.npy --input arg1=%t$n.npy --check $o || exit 1; done; done
// RUN: not fuse-run %s --function unit --input arg0=%tu.npy --input arg1=%t2.npy 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: error: @unit: slice: an extent of 1, expected at least 2
// CHECK: error: @middle: slice: an extent of 4, expected at least 5

// A causal mask of scores: the number of a column against that of a row.
func.func @masked(%x: tensor<2x?x?xf32>) -> tensor<2x?x?xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c1 : tensor<2x?x?xf32>
  %m = tensor.dim %x, %c2 : tensor<2x?x?xf32>
  %rows = fuse.iota dimension = 0 sizes = [%n, %m] : tensor<?x?xi64>
  %columns = fuse.iota dimension = 1 sizes = [%n, %m] : tensor<?x?xi64>
  %seen = fuse.compare le %columns, %rows : (tensor<?x?xi64>, tensor<?x?xi64>) -> tensor<?x?xi1>
  %low = arith.constant dense<-9.0> : tensor<f32>
  %0 = fuse.select %seen, %x, %low : (tensor<?x?xi1>, tensor<2x?x?xf32>, tensor<f32>) -> tensor<2x?x?xf32>
  %1 = fuse.softmax %0 dimension = 2 : tensor<2x?x?xf32>
  return %1 : tensor<2x?x?xf32>
}

func.func @joined(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %m = affine.apply affine_map<()[s0] -> (s0 * 2 + 1)>()[%n]
  %0 = fuse.broadcast %y dimensions = [0] sizes = [%m] : tensor<4xf32> -> tensor<?x4xf32>
  %1 = fuse.unary exp %x : tensor<?x4xf32>
  %2 = fuse.concat %1, %0, %x dimension = 0 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %3 = fuse.pad %2 low = [2, 0] high = [-1, 0] value = 0.5 : f32 : tensor<?x4xf32> -> tensor<?x4xf32>
  %4 = fuse.unary neg %3 : tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}

func.func @split(%x: tensor<?x?x6xf32>, %w: tensor<6x4xf32>) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?x6xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?x6xf32>
  %0 = fuse.reshape %x : tensor<?x?x6xf32> -> tensor<?x6xf32>
  %1 = fuse.matmul %0, %w : (tensor<?x6xf32>, tensor<6x4xf32>) -> tensor<?x4xf32>
  %2 = fuse.reshape %1 sizes = [%n, %m] : tensor<?x4xf32> -> tensor<?x?x4xf32>
  %3 = fuse.unary relu %2 : tensor<?x?x4xf32>
  return %3 : tensor<?x?x4xf32>
}

func.func @last(%x: tensor<?x4xf32>) -> (tensor<1x4xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %at = affine.apply affine_map<()[s0] -> (s0 - 1)>()[%n]
  %0 = fuse.slice %x offsets = [%at, 0] sizes = [1, 4] strides = [1, 1] : tensor<?x4xf32> -> tensor<1x4xf32>
  %1 = fuse.from_index %at : tensor<f32>
  %2 = fuse.unary sqrt %1 : tensor<f32>
  %3 = fuse.binary mul %0, %2 : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  return %3, %2 : tensor<1x4xf32>, tensor<f32>
}

func.func @middle(%x: tensor<?x4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %half = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%n]
  %0 = fuse.unary exp %x : tensor<?x4xf32>
  %1 = fuse.slice %0 offsets = [3, 0] sizes = [%half, 4] strides = [1, 1] : tensor<?x4xf32> -> tensor<?x4xf32>
  %2 = fuse.reduce mean %1 dimensions = [0] : tensor<?x4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Of a dimension of one element, as many as something else has: one or none.
func.func @unit(%x: tensor<?x1xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %0 = fuse.slice %x offsets = [0, 0] sizes = [-1, %n] strides = [1, 1] : tensor<?x1xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
