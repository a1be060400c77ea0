// RUN: fuse-opt %s --fuse-pipeline='layouts prepare numerics=reassociates' | FileCheck %s
// RUN: fuse-run %s --random-inputs 1 --threads 1 --no-cache --report --check --numerics reassociates | FileCheck %s --check-prefix=REPORT
// RUN: fuse-opt %s --fuse-pipeline='layouts prepare numerics=folds' | FileCheck %s --check-prefix=DIGITS
// RUN: fuse-run %s --random-inputs 1 --threads 1 --no-cache --check --rtol 2e-6 | FileCheck %s --check-prefix=CLOSE

// One kernel reads the short numbers and the scales, and holds no float of the weights in memory.
// CHECK-LABEL: func.func @decode(
// CHECK-SAME:    tensor<16x1024x64xi8> {fuse.param, fuse.prepared}
// CHECK:         fuse.kernel
// CHECK:         fuse.cast
// CHECK:         fuse.matmul
// CHECK:         fuse.yield
// CHECK-NOT:     fuse.kernel
// CHECK:         return

// From class folds on, the row becomes three digits for each element by a kernel of its own, and the product is one of bytes,
// whose three rows are added in its kernel.
// DIGITS-LABEL: func.func @decode(
// DIGITS-SAME:    tensor<32x256x32x4xui8> {fuse.param, fuse.prepared}
// DIGITS:         fuse.kernel
// DIGITS:         fuse.unary round_even {{.*}} : tensor<3x1x1x1024xf32>
// DIGITS:         fuse.kernel
// DIGITS:         fuse.matmul {{.*}} : (tensor<32x1x3x1024xi8>, tensor<32x1x1024x32xui8>) -> tensor<32x1x3x32xi32>
// DIGITS:         fuse.reduce sum
// DIGITS-NOT:     fuse.kernel
// DIGITS:         return
// CLOSE:          result0: largest error

// REPORT:        after: launches 1, {{.*}}, traffic 1064960 bytes
// REPORT:        kernel 0: {{.*}} 0{{$}}
// REPORT-NEXT:   cast, mul, matmul
// REPORT:        result0: largest error
func.func @decode(%x: tensor<1x1024xf32>, %w: tensor<1024x1024xi8> {fuse.param}, %s: tensor<1024xf32> {fuse.param}, %b: tensor<1024xf32> {fuse.param}) -> tensor<1x1024xf32> {
  %0 = fuse.cast %w : (tensor<1024x1024xi8>) -> tensor<1024x1024xf32>
  %1 = fuse.binary mul %0, %s : (tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<1024x1024xf32>
  %2 = fuse.matmul %x, %1 : (tensor<1x1024xf32>, tensor<1024x1024xf32>) -> tensor<1x1024xf32>
  %3 = fuse.binary add %2, %b : (tensor<1x1024xf32>, tensor<1024xf32>) -> tensor<1x1024xf32>
  return %3 : tensor<1x1024xf32>
}
