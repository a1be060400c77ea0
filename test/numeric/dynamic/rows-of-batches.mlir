// Layers on rows of several open dimensions, against the interpreter and unfused, for few and no rows.
// RUN: for f in layer turned; do for s in 1x1 3x5 8x1 1x17 0x4 2x0; do %python -c "import numpy as np, sys; n, m = map(int, sys.argv[1].split('x')); np.save('%t.npy', np.random.default_rng(1).standard_normal((n, m, 24), np.float32))" $s && fuse-run %s --function $f --input arg0=%t.npy --random-inputs 1 --check && fuse-run %s --function $f --input arg0=%t.npy --random-inputs 1 --no-fusion --check || exit 1; done; done
// RUN: for s in 1x1 3x2 5x1; do %python -c "import numpy as np, sys; n, m = map(int, sys.argv[1].split('x')); r = np.random.default_rng(1); np.savez('%t.npz', arg0=r.standard_normal((16, n, m), np.float32), arg1=r.standard_normal((m, 16, n), np.float32))" $s && fuse-run %s --function apart --inputs %t.npz --check && fuse-run %s --function apart --inputs %t.npz --no-fusion --check || exit 1; done

// One kernel joins its last two dimensions, the next one its first two, of the same value.
func.func @apart(%x: tensor<16x?x?xf32>, %y: tensor<?x16x?xf32>) -> tensor<?x16x?xi1> {
  %0 = fuse.transpose %x permutation = [2, 0, 1] : tensor<16x?x?xf32> -> tensor<?x16x?xf32>
  %1 = fuse.compare lt %0, %y : (tensor<?x16x?xf32>, tensor<?x16x?xf32>) -> tensor<?x16x?xi1>
  %2 = fuse.select %1, %1, %1 : (tensor<?x16x?xi1>, tensor<?x16x?xi1>, tensor<?x16x?xi1>) -> tensor<?x16x?xi1>
  return %2 : tensor<?x16x?xi1>
}

func.func @layer(%x: tensor<?x?x24xf32>, %w: tensor<24x40xf32>, %v: tensor<40x24xf32>, %b: tensor<24xf32>) -> (tensor<?x?x24xf32>, tensor<?x24xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x24xf32>
  %length = tensor.dim %x, %c1 : tensor<?x?x24xf32>
  %norm = fuse.layer_norm %x, %b dimensions = [2] epsilon = 1.0E-5 : (tensor<?x?x24xf32>, tensor<24xf32>) -> tensor<?x?x24xf32>
  %rows = fuse.reshape %norm : tensor<?x?x24xf32> -> tensor<?x24xf32>
  %first = fuse.matmul %rows, %w : (tensor<?x24xf32>, tensor<24x40xf32>) -> tensor<?x40xf32>
  %active = fuse.unary gelu %first : tensor<?x40xf32>
  %second = fuse.matmul %active, %v : (tensor<?x40xf32>, tensor<40x24xf32>) -> tensor<?x24xf32>
  %biased = fuse.binary add %second, %b : (tensor<?x24xf32>, tensor<24xf32>) -> tensor<?x24xf32>
  %back = fuse.reshape %biased sizes = [%batch, %length] : tensor<?x24xf32> -> tensor<?x?x24xf32>
  %sum = fuse.binary add %back, %x : tensor<?x?x24xf32>
  %out = fuse.reshape %sum : tensor<?x?x24xf32> -> tensor<?x24xf32>
  %least = fuse.softmax %out dimension = 1 : tensor<?x24xf32>
  return %sum, %least : tensor<?x?x24xf32>, tensor<?x24xf32>
}

func.func @turned(%x: tensor<?x?x24xf32>, %w: tensor<24x40xf32>) -> (tensor<?x40xf32>, tensor<?xf32>) {
  %turned = fuse.transpose %x permutation = [1, 0, 2] : tensor<?x?x24xf32> -> tensor<?x?x24xf32>
  %rows = fuse.reshape %turned : tensor<?x?x24xf32> -> tensor<?x24xf32>
  %product = fuse.matmul %rows, %w : (tensor<?x24xf32>, tensor<24x40xf32>) -> tensor<?x40xf32>
  %all = fuse.reshape %turned : tensor<?x?x24xf32> -> tensor<?xf32>
  %neg = fuse.unary neg %all : tensor<?xf32>
  return %product, %neg : tensor<?x40xf32>, tensor<?xf32>
}
