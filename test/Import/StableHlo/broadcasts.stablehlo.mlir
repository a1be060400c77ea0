// What was broadcast is an operand as it is of element-wise ops, and whole for all others.
// RUN: fuse-translate %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32> {fuse.name = "x"}, %[[B:.*]]: tensor<8xf32> {fuse.name = "arg1"}
// CHECK-SAME:    -> (tensor<4x8xf32> {fuse.name = "result[0]"}, tensor<4xf32> {fuse.name = "result1"})
// CHECK-NOT:     fuse.broadcast
// CHECK:         %[[SUM:.*]] = fuse.binary add %[[X]], %[[B]] : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
// CHECK:         %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK:         %[[SCALED:.*]] = fuse.binary mul %[[SUM]], %[[HALF]]
// CHECK:         %[[WHOLE:.*]] = fuse.broadcast %[[B]]
// CHECK:         %[[ROWS:.*]] = fuse.reduce sum %[[WHOLE]] dimensions = [1]
// CHECK:         return %[[SCALED]], %[[ROWS]]
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>), res_attrs = [{jax.result_info = "result[0]"}, {}], sym_name = "main"}> ({
  ^bb0(%x: tensor<4x8xf32> loc("x"), %b: tensor<8xf32>):
    %0 = "stablehlo.broadcast_in_dim"(%b) <{broadcast_dimensions = array<i64: 1>}> : (tensor<8xf32>) -> tensor<4x8xf32>
    %1 = "stablehlo.add"(%x, %0) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = "stablehlo.constant"() <{value = dense<5.000000e-01> : tensor<4x8xf32>}> : () -> tensor<4x8xf32>
    %3 = "stablehlo.multiply"(%1, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %4 = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.reduce"(%0, %4) <{dimensions = array<i64: 1>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %6 = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%6) : (tensor<f32>) -> ()
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    "func.return"(%3, %5) : (tensor<4x8xf32>, tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
