// A loop that counts becomes a scan: what it reads at the counter's place is a sequence, also where the place is counted from the
// end, and what it writes there a result of each step. What is the same in each step is an invariant.
// RUN: fuse-translate %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[XS:.*]]: tensor<5x3xf32> {{.*}}, %[[H:.*]]: tensor<3xf32> {{.*}}, %[[W:.*]]: tensor<3x3xf32>
// CHECK:         %[[FIRST:.*]] = fuse.copy %[[H]]
// CHECK:         %[[SCAN:.*]]:2 = fuse.scan states(%[[STATE:.*]] = %[[FIRST]]) over(%[[X:.*]] = %[[XS]]) with(%[[V:.*]] = %[[W]]) reverse
// CHECK:           fuse.reshape %[[X]]
// CHECK:           fuse.matmul {{.*}}%[[V]]
// CHECK:           %[[NEXT:.*]] = fuse.binary add
// CHECK:           fuse.yield %[[NEXT]]
// CHECK:         return %[[SCAN]]#0, %[[SCAN]]#1
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>), sym_name = "main"}> ({
  ^bb0(%xs: tensor<5x3xf32>, %h: tensor<3xf32>, %w: tensor<3x3xf32>):
    %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %empty = "stablehlo.constant"() <{value = dense<0.0> : tensor<5x3xf32>}> : () -> tensor<5x3xf32>
    %0:5 = "stablehlo.while"(%xs, %zero, %h, %empty, %w) ({
    ^bb0(%a: tensor<5x3xf32>, %i: tensor<i32>, %b: tensor<3xf32>, %c: tensor<5x3xf32>, %d: tensor<3x3xf32>):
      %five = "stablehlo.constant"() <{value = dense<5> : tensor<i32>}> : () -> tensor<i32>
      %1 = "stablehlo.compare"(%i, %five) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }, {
    ^bb0(%a: tensor<5x3xf32>, %i: tensor<i32>, %b: tensor<3xf32>, %c: tensor<5x3xf32>, %d: tensor<3x3xf32>):
      %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %four = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %place = "stablehlo.subtract"(%four, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %1 = "func.call"(%a, %place) <{callee = @pick}> : (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>
      %2 = "stablehlo.dot_general"(%b, %d) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<3xf32>, tensor<3x3xf32>) -> tensor<3xf32>
      %3 = "stablehlo.add"(%2, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %4 = "stablehlo.reshape"(%3) : (tensor<3xf32>) -> tensor<1x3xf32>
      %5 = "stablehlo.dynamic_update_slice"(%c, %4, %place, %zero) : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
      %6 = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%a, %6, %3, %5, %d) : (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5x3xf32>, tensor<3x3xf32>) -> ()
    }) : (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5x3xf32>, tensor<3x3xf32>) -> (tensor<5x3xf32>, tensor<i32>, tensor<3xf32>, tensor<5x3xf32>, tensor<3x3xf32>)
    "func.return"(%0#2, %0#3) : (tensor<3xf32>, tensor<5x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<5x3xf32>, tensor<i32>) -> tensor<3xf32>, sym_name = "pick", sym_visibility = "private"}> ({
  ^bb0(%a: tensor<5x3xf32>, %i: tensor<i32>):
    %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %0 = "stablehlo.dynamic_slice"(%a, %i, %zero) <{slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %1 = "stablehlo.reshape"(%0) : (tensor<1x3xf32>) -> tensor<3xf32>
    "func.return"(%1) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
