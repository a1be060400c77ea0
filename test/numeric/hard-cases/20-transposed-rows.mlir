// Case 20: rows of a transposed operand share cache lines, so that a block has at least sixteen floats'
// worth of them, or lines are read twice.
// XFAIL: *
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s
// RUN: fuse-run %s --function softmax --dump-after fuse-assign-schedules --random-inputs 1 | FileCheck %s --check-prefix=ROWS
// ROWS: fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [{{(1[6-9]|[2-9][0-9]|[0-9]{3,})}}]>]

// CHECK-LABEL: @softmax
// CHECK: after: launches 1, syncs 0, readback 2097152 bytes, traffic 4194304 bytes
// expect kernels=1 blocks>=16
func.func @softmax(%x: tensor<512x1024xf32>) -> tensor<1024x512xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<512x1024xf32> -> tensor<1024x512xf32>
  %s = fuse.softmax %t dimension = 1 : tensor<1024x512xf32>
  return %s : tensor<1024x512xf32>
}
