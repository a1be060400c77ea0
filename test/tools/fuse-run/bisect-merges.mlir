// A wrong result is bisected to one merge; what is wrong is what the check says.
// RUN: %python %fuse_source/utils/bisect-merges.py %s --fuse-run fuse-run --check-command 'fuse-run %s --dump-after fuse-plan {counter} | not grep "unary tanh.*fuse.group"' | FileCheck %s
// RUN: not %python %fuse_source/utils/bisect-merges.py %s --fuse-run fuse-run --random-inputs 1 | FileCheck %s --check-prefix=RIGHT
// RUN: not %python %fuse_source/utils/bisect-merges.py %s --fuse-run fuse-run --check-command false | FileCheck %s --check-prefix=ALWAYS
// RUN: %python %fuse_source/utils/bisect-merges.py %s --fuse-run fuse-run --check-command 'test "{count}" != ""' --strategy chains | FileCheck %s --check-prefix=LAST
// RUN: not %python %fuse_source/utils/bisect-merges.py %s --fuse-run fuse-run --random-inputs 1 --magic 2>&1 | FileCheck %s --check-prefix=USAGE
// CHECK: merge [[#N:]] of 5: {{.*}}tanh
// CHECK-NEXT: right with --mlir-debug-counter=fuse-merge-skip=0,fuse-merge-count=[[#N]]
// CHECK-NEXT: wrong with --mlir-debug-counter=fuse-merge-skip=0,fuse-merge-count=[[#N+1]]
// RIGHT: the result is right with all 5 merges
// ALWAYS: the result is wrong without any merge
// LAST: merge 4 of 5: sqrt with neg
// USAGE: unknown option '--magic'
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  %3 = fuse.unary tanh %2 : tensor<1024xf32>
  %4 = fuse.unary sqrt %3 : tensor<1024xf32>
  %5 = fuse.unary neg %4 : tensor<1024xf32>
  return %5 : tensor<1024xf32>
}
