// What a plan that no strategy would make costs, and why edges are kept apart.
// RUN: fuse-opt %s --fuse-form-kernels --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-form-kernels --fuse-report=json=- -o /dev/null | FileCheck %s --check-prefix=JSON

// Nothing is fused that could be.
// CHECK-LABEL: @apart
// CHECK-NEXT: Fusion: 2 → 2 kernels (0% reduction)
// JSON: "reason": "not-planned: nothing but the plan keeps them apart"
func.func @apart(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.unary exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// One written op in two kernels: more launches than were written.
// CHECK-LABEL: @torn
// CHECK-NEXT: Fusion: 1 → 2 kernels (1 kernel more than ops), 0.0KB memory saved
func.func @torn(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary neg %x {fuse.origin = #fuse.origin<0, "pair">} : tensor<8xf32>
  %1 = fuse.unary exp %0 {fuse.origin = #fuse.origin<0, "pair">} : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: @foreign
// CHECK: ops of other dialects, not planned: 1
func.func @foreign(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  %1 = fuse.unary relu %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
