// Case 20: a transpose in a kernel reads and writes whole cache lines: a block is at least 16 floats
// wide along what is contiguous in any operand, and it is square or so in both.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-run %s --function added --dump-after fuse-assign-schedules --random-inputs 1 | FileCheck %s --check-prefix=WIDE
// RUN: fuse-run %s --function copied --dump-after fuse-assign-schedules --random-inputs 1 | FileCheck %s --check-prefix=WIDE
// RUN: fuse-run %s --function heads --dump-after fuse-assign-schedules --random-inputs 1 | FileCheck %s --check-prefix=HEADS
// RUN: fuse-run %s --function softmax --dump-after fuse-assign-schedules --random-inputs 1 | FileCheck %s --check-prefix=ROWS
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s
// WIDE: fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{(1[6-9]|[2-9][0-9]|[0-9]{3,})}}, {{(1[6-9]|[2-9][0-9]|[0-9]{3,})}}]>]
// HEADS: fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2, 3], sizes = [{{[0-9]+}}, {{[0-9]+}}, {{(1[6-9]|[2-9][0-9]|[0-9]{3,})}}, {{(1[6-9]|[2-9][0-9]|[0-9]{3,})}}]>]
// ROWS: fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [{{(1[6-9]|[2-9][0-9]|[0-9]{3,})}}]>]

// Each operand is read once: three times a megabyte, no copy of the transposed.
// CHECK-LABEL: @added
// CHECK-NEXT: Fusion: 1 → 1 kernels
// CHECK: after: launches 1, syncs 0, readback 1048576 bytes, traffic 3145728 bytes
// expect kernels=1 blocks>=16
// with %x = np.arange(512 * 512).reshape(shape)
// with %y = 1000 * np.arange(512.0)
// gives result0 = x.T + y
func.func @added(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<512x512xf32> -> tensor<512x512xf32>
  %a = fuse.binary add %t, %y : tensor<512x512xf32>
  return %a : tensor<512x512xf32>
}

// What is written is transposed.
// CHECK-LABEL: @copied
// CHECK-NEXT: Fusion: 2 → 1 kernels
// CHECK: after: {{.*}} traffic 2097152 bytes
// expect kernels=1 blocks>=16
// with %x = np.arange(512 * 512).reshape(shape)
// gives result0 = -np.arange(512.0 * 512).reshape(512, 512).T
func.func @copied(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %n = fuse.unary neg %x : tensor<512x512xf32>
  %t = fuse.transpose %n permutation = [1, 0] : tensor<512x512xf32> -> tensor<512x512xf32>
  return %t : tensor<512x512xf32>
}

// The keys of attention: the last dimension comes first.
// CHECK-LABEL: @heads
// expect kernels=1 blocks>=16
// with %x = np.arange(8 * 64 * 12 * 64).reshape(shape)
// with %y = 1
// gives result0 = np.arange(8 * 64 * 12 * 64).reshape(8, 64, 12, 64).transpose(0, 2, 3, 1) + 1
func.func @heads(%x: tensor<8x64x12x64xf32>, %y: tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32> {
  %t = fuse.transpose %x permutation = [0, 2, 3, 1] : tensor<8x64x12x64xf32> -> tensor<8x12x64x64xf32>
  %a = fuse.binary add %t, %y : tensor<8x12x64x64xf32>
  return %a : tensor<8x12x64x64xf32>
}

// Rows of the transposed: sixteen of them share their lines.
// CHECK-LABEL: @softmax
// CHECK: after: launches 1, syncs 0, readback 2097152 bytes, traffic 4194304 bytes
// expect kernels=1 blocks>=16
func.func @softmax(%x: tensor<512x1024xf32>) -> tensor<1024x512xf32> {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<512x1024xf32> -> tensor<1024x512xf32>
  %s = fuse.softmax %t dimension = 1 : tensor<1024x512xf32>
  return %s : tensor<1024x512xf32>
}
