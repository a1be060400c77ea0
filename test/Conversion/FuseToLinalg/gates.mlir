// RUN: fuse-opt %s --pass-pipeline='builtin.module(func.func(convert-fuse-to-linalg{keep-gates}))' \
// RUN:   | FileCheck %s
// Other pipelines know no op of ours.
// RUN: fuse-opt %s --convert-fuse-to-linalg | FileCheck %s --check-prefix=PLAIN --implicit-check-not=fuse.gate

// CHECK-LABEL: func.func @f32
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[Y:.*]] = fuse.gate gelu %[[X]] approximate = tanh : f32
// CHECK: linalg.yield %[[Y]]
// PLAIN-LABEL: func.func @f32
// PLAIN: math.exp2
func.func @f32(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary gelu %x approximate = tanh : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @short
// CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[Y:.*]] = fuse.gate silu %[[WIDE]] : f32
// CHECK: arith.truncf %[[Y]] {fuse.rounding} : f32 to bf16
// PLAIN-LABEL: func.func @short
func.func @short(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = fuse.unary silu %x : tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// CHECK-LABEL: func.func @f64
// CHECK-NOT: fuse.gate
// CHECK: return
func.func @f64(%x: tensor<8xf64>) -> tensor<8xf64> {
  %0 = fuse.unary sigmoid %x : tensor<8xf64>
  return %0 : tensor<8xf64>
}
