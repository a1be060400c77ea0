// RUN: fuse-opt %s --fuse-plan --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-plan --split-input-file --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: fuse-opt %s --fuse-plan --fuse-form-kernels --split-input-file | FileCheck %s --check-prefix=KERNEL

// A mask of 512 numbers is read by two kernels, by one of them through a view: each makes it for itself, from what it is made of.
// REMARK: [Passed] repeated {{.*}}Remark="mul is computed by each of the 2 kernels that read it: saves 1 launch and 2048 bytes
// CHECK-LABEL: func.func @mask
// CHECK: fuse.unary neg {{.*}} {fuse.group = array<i64: 0, 1>}
// CHECK: fuse.binary mul {{.*}} {fuse.group = array<i64: 0, 1>}
// CHECK: fuse.binary add {{.*}} {fuse.group = array<i64: 0>}
// CHECK: fuse.binary mul {{.*}} {fuse.group = array<i64: 1>}
// KERNEL-LABEL: func.func @mask
// KERNEL: fuse.kernel
// KERNEL: fuse.unary neg
// KERNEL: fuse.binary mul
// KERNEL: fuse.binary add
// KERNEL: fuse.kernel
// KERNEL: fuse.kernel
// KERNEL: fuse.unary neg
// KERNEL: fuse.binary mul
// KERNEL: fuse.reshape
// KERNEL: fuse.binary mul
// KERNEL-NOT: fuse.kernel
// KERNEL: return
func.func @mask(%m: tensor<512xf32>, %x: tensor<256x512xf32>) -> (tensor<256x512xf32>, tensor<256x512xf32>) {
  %0 = fuse.unary neg %m : tensor<512xf32>
  %1 = fuse.binary mul %0, %m : tensor<512xf32>
  %2 = fuse.binary add %x, %1 : (tensor<256x512xf32>, tensor<512xf32>) -> tensor<256x512xf32>
  %3 = fuse.reduce sum %2 dimensions = [0] : tensor<256x512xf32> -> tensor<512xf32>
  %4 = fuse.reduce sum %3 dimensions = [0] keep_dims : tensor<512xf32> -> tensor<1xf32>
  %5 = fuse.reshape %1 : tensor<512xf32> -> tensor<1x512xf32>
  %6 = fuse.binary mul %x, %5 : (tensor<256x512xf32>, tensor<1x512xf32>) -> tensor<256x512xf32>
  %7 = fuse.binary div %6, %4 : (tensor<256x512xf32>, tensor<1xf32>) -> tensor<256x512xf32>
  return %2, %7 : tensor<256x512xf32>, tensor<256x512xf32>
}

// -----

// Two exponentials of one number may differ in two kernels, so the mask is one kernel's; and so is one that the function returns.
// CHECK-LABEL: func.func @rounds
// CHECK-NOT: array<i64: {{[0-9]+}}, {{[0-9]+}}>
// CHECK: return
func.func @rounds(%m: tensor<512xf32>, %x: tensor<256x512xf32>) -> (tensor<256x512xf32>, tensor<256x512xf32>) {
  %1 = fuse.unary exp %m : tensor<512xf32>
  %2 = fuse.binary add %x, %1 : (tensor<256x512xf32>, tensor<512xf32>) -> tensor<256x512xf32>
  %3 = fuse.reduce sum %2 dimensions = [0] : tensor<256x512xf32> -> tensor<512xf32>
  %4 = fuse.reduce sum %3 dimensions = [0] keep_dims : tensor<512xf32> -> tensor<1xf32>
  %6 = fuse.binary mul %x, %1 : (tensor<256x512xf32>, tensor<512xf32>) -> tensor<256x512xf32>
  %7 = fuse.binary div %6, %4 : (tensor<256x512xf32>, tensor<1xf32>) -> tensor<256x512xf32>
  return %2, %7 : tensor<256x512xf32>, tensor<256x512xf32>
}

// -----

// CHECK-LABEL: func.func @returned
// CHECK-NOT: array<i64: {{[0-9]+}}, {{[0-9]+}}>
// CHECK: return
func.func @returned(%m: tensor<512xf32>, %x: tensor<256x512xf32>) -> (tensor<512xf32>, tensor<256x512xf32>, tensor<256x512xf32>) {
  %1 = fuse.unary neg %m : tensor<512xf32>
  %2 = fuse.binary add %x, %1 : (tensor<256x512xf32>, tensor<512xf32>) -> tensor<256x512xf32>
  %3 = fuse.reduce sum %2 dimensions = [0] : tensor<256x512xf32> -> tensor<512xf32>
  %4 = fuse.reduce sum %3 dimensions = [0] keep_dims : tensor<512xf32> -> tensor<1xf32>
  %6 = fuse.binary mul %x, %1 : (tensor<256x512xf32>, tensor<512xf32>) -> tensor<256x512xf32>
  %7 = fuse.binary div %6, %4 : (tensor<256x512xf32>, tensor<1xf32>) -> tensor<256x512xf32>
  return %1, %2, %7 : tensor<512xf32>, tensor<256x512xf32>, tensor<256x512xf32>
}

// -----

// Each kernel computes what it needs of them: one the scale and its rounded value, the other the scale alone.
// CHECK-LABEL: func.func @parts
// CHECK: fuse.reduce max {{.*}} {fuse.group = array<i64: 0, 1>}
// CHECK: fuse.binary div {{.*}} {fuse.group = array<i64: 0, 1>}
// CHECK: fuse.unary round_even {{.*}} {fuse.group = array<i64: 0>}
// CHECK: fuse.binary add {{.*}} {fuse.group = array<i64: 0>}
// CHECK: fuse.binary mul {{.*}} {fuse.group = array<i64: 1>}
func.func @parts(%p: tensor<256xf32>, %c: tensor<f32>, %x: tensor<256x512xf32>) -> (tensor<256x512xf32>, tensor<256x512xf32>) {
  %0 = fuse.reduce max %p dimensions = [0] : tensor<256xf32> -> tensor<f32>
  %1 = fuse.binary div %0, %c : tensor<f32>
  %2 = fuse.unary round_even %1 : tensor<f32>
  %3 = fuse.binary div %x, %1 : (tensor<256x512xf32>, tensor<f32>) -> tensor<256x512xf32>
  %4 = fuse.binary add %3, %2 : (tensor<256x512xf32>, tensor<f32>) -> tensor<256x512xf32>
  %5 = fuse.reduce sum %4 dimensions = [0] : tensor<256x512xf32> -> tensor<512xf32>
  %6 = fuse.reduce sum %5 dimensions = [0] keep_dims : tensor<512xf32> -> tensor<1xf32>
  %7 = fuse.binary mul %x, %1 : (tensor<256x512xf32>, tensor<f32>) -> tensor<256x512xf32>
  %8 = fuse.binary div %7, %6 : (tensor<256x512xf32>, tensor<1xf32>) -> tensor<256x512xf32>
  return %4, %8 : tensor<256x512xf32>, tensor<256x512xf32>
}
