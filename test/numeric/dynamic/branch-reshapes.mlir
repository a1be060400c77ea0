// A reshape in a branch whose result is divided: what has other elements is an error of the branch that runs.
// RUN: for c in True False; do %python -c "import numpy as np; np.savez('%t.npz', arg0=np.ones((2, 4, 8), 'f'), arg1=np.array($c))" && fuse-run %s --inputs %t.npz --check || exit 1; done
// RUN: %python -c "import numpy as np; np.savez('%t.npz', arg0=np.ones((3, 3, 8), 'f'), arg1=np.array(False))"
// RUN: not fuse-run %s --inputs %t.npz 2>&1 | FileCheck %s
// CHECK: error: @main: reshape of ?x8 to ?x4x8: the numbers of elements differ

func.func @main(%x: tensor<?x?x8xf32>, %c: tensor<i1>) -> tensor<?x4x8xf32> {
  %p = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %p -> tensor<?x4x8xf32> {
    %1 = fuse.reshape %x : tensor<?x?x8xf32> -> tensor<?x4x8xf32>
    %2 = fuse.unary neg %1 : tensor<?x4x8xf32>
    scf.yield %2 : tensor<?x4x8xf32>
  } else {
    %1 = fuse.reshape %x : tensor<?x?x8xf32> -> tensor<?x8xf32>
    %2 = fuse.unary exp %1 : tensor<?x8xf32>
    %3 = fuse.reshape %2 : tensor<?x8xf32> -> tensor<?x4x8xf32>
    scf.yield %3 : tensor<?x4x8xf32>
  }
  return %0 : tensor<?x4x8xf32>
}
