// The annotated program is the plan: it prints, is edited by hand, and replays to the same kernels.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels > %t.once
// RUN: fuse-opt %s --fuse-decompose --fuse-plan > %t.plan
// RUN: fuse-opt %t.plan --fuse-form-kernels | diff %t.once -
// RUN: fuse-opt %t.plan --fuse-form-kernels | FileCheck %s
// The same plan from run to run, with threads and without, and made anew over an old one.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --mlir-disable-threading | diff %t.plan -
// RUN: fuse-opt %t.plan --fuse-plan | diff %t.plan -
// RUN: fuse-opt %t.plan -o %t.bytes --emit-bytecode
// RUN: fuse-opt %t.bytes --fuse-form-kernels | diff %t.once -
// By hand: gelu leaves its kernel.
// RUN: sed '/unary gelu/s/ {fuse.group = array<i64: [0-9]*>}//' %t.plan > %t.edited
// RUN: not diff %t.plan %t.edited
// RUN: fuse-opt %t.edited --fuse-form-kernels | FileCheck %s --check-prefix=EDITED
// By hand: all in one; ids need not be those that the planner gives.
// RUN: sed 's/fuse.group = array<i64: [0-9]*>/fuse.group = array<i64: 77>/' %t.plan > %t.one
// RUN: not fuse-opt %t.one --fuse-form-kernels 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: error: 'fuse.{{.*}}' op cannot be in group 77 (cycle): 'fuse.host_call' needs a member and is needed by one
// Stale: the program changed under its plan.
// RUN: sed 's/fuse.unary gelu %\([a-z0-9]*\) .*/fuse.host_call @late(%\1) pure {fuse.group = array<i64: 0>} : (tensor<128x512xf32>) -> tensor<128x512xf32>/' %t.plan > %t.stale
// RUN: not fuse-opt %t.stale --fuse-form-kernels 2>&1 | FileCheck %s --check-prefix=STALE
// STALE: error: 'fuse.host_call' op cannot be in group 0 (host-op): 'fuse.host_call' runs on the host

// CHECK: fuse.kernel
// CHECK-NEXT: matmul
// CHECK-NEXT: binary add
// CHECK-NEXT: unary gelu
// CHECK-NEXT: yield
// CHECK: fuse.host_call
// CHECK: fuse.kernel
// CHECK: reduce max
// CHECK: reduce sum
// CHECK: yield
// CHECK-NOT: fuse.kernel

// EDITED: fuse.kernel
// EDITED-NEXT: matmul
// EDITED-NEXT: binary add
// EDITED-NEXT: yield
// EDITED: fuse.kernel
// EDITED-NEXT: unary gelu
// EDITED-NEXT: yield
// EDITED: fuse.host_call
func.func @f(%x: tensor<128x256xf32>, %w: tensor<256x512xf32>, %b: tensor<512xf32>) -> tensor<128x512xf32> {
  %0 = fuse.matmul %x, %w : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %1 = fuse.binary add %0, %b : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %2 = fuse.unary gelu %1 approximate = none : tensor<128x512xf32>
  %3 = fuse.host_call @h(%2) pure : (tensor<128x512xf32>) -> tensor<128x512xf32>
  %4 = fuse.softmax %3 dimension = 1 : tensor<128x512xf32>
  return %4 : tensor<128x512xf32>
}
