// Options that keep the planner from merging, and the numbering of its merges.
// RUN: fuse-run %s --report | FileCheck %s
// RUN: fuse-run %s --report --disable elementwise-chain | FileCheck %s --check-prefix=OFF
// RUN: fuse-run %s --report --strategy chains --disable elementwise-chain | FileCheck %s --check-prefix=OFF
// RUN: fuse-run %s --report --no-fusion | FileCheck %s --check-prefix=OFF
// RUN: fuse-run %s --random-inputs 1 --disable elementwise-chain --check
// RUN: fuse-run %s --report --list-merges 2>&1 | FileCheck %s --check-prefix=MERGES
// RUN: fuse-run %s --report --list-merges --mlir-debug-counter fuse-merge-skip=1,fuse-merge-count=1 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: fuse-run %s --report --mlir-debug-counter=fuse-merge-count=0 | FileCheck %s --check-prefix=OFF
// RUN: not fuse-run %s --disable magic 2>&1 | FileCheck %s --check-prefix=LABEL
// RUN: not fuse-run %s --numerics magic 2>&1 | FileCheck %s --check-prefix=NUMERICS
// RUN: not fuse-run %s --mlir-debug-counter fuse-merge-skip=x 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: not fuse-run %s --random-inputs 1 --mode interpret --list-merges 2>&1 | FileCheck %s --check-prefix=INTERPRET
// CHECK: Fusion: 3 → 1 kernels (67% reduction), 8.0KB memory saved
// CHECK: elementwise-chain {{[0-9. -]+}} relu, sigmoid, exp
// OFF: Fusion: 3 → 3 kernels (0% reduction), 0.0KB memory saved
// OFF-NOT: elementwise-chain
// MERGES: merge 0: fuse-merge: relu with sigmoid
// MERGES: merge 1: fuse-merge: sigmoid with exp
// WINDOW: merge 0 not made: fuse-merge: relu with sigmoid
// WINDOW: merge 1: fuse-merge: sigmoid with exp
// WINDOW: Fusion: 3 → 2 kernels
// LABEL: error: --disable: expected one of conv-bn-relu, {{.*}}, other, found 'magic'
// NUMERICS: error: --numerics: expected exact, reassociates, folds or reduced-precision, found 'magic'
// COUNTER: error: --mlir-debug-counter: expected fuse-merge-skip=N,fuse-merge-count=N, found 'fuse-merge-skip=x'
// INTERPRET: error: --list-merges needs compiled code
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  return %2 : tensor<1024xf32>
}
