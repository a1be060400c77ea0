// Integers that follow from extents are expressions; of a dimension that is named 2*s, s is a half.
// RUN: fuse-translate %s | FileCheck %s
// RUN: fuse-translate %s --dim b=3 | FileCheck %s --check-prefix=FIXED
// RUN: not fuse-translate %s --dim c=3 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK:       func.func @main(%[[X:.*]]: tensor<?x?xf32> {fuse.dim_names = ["b", "2*s"], fuse.name = "x"})
// CHECK-NOT:     stablehlo
// CHECK:         fuse.reshape %[[X]]
// CHECK-SAME:    tensor<?x?xf32> -> tensor<?x?x2xf32>
// FIXED:       tensor<3x?xf32>
// OTHER:       error: expected an extent for one of the open dimensions of the inputs, found 'c'
"builtin.module"() ({
  "func.func"() <{arg_attrs = [{fuse.dim_names = ["b", "2*s"]}], function_type = (tensor<?x?xf32>) -> tensor<?x?x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<?x?xf32> loc("x")):
    %two = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %b = "stablehlo.get_dimension_size"(%x) <{dimension = 0 : i64}> : (tensor<?x?xf32>) -> tensor<i32>
    %n = "stablehlo.get_dimension_size"(%x) <{dimension = 1 : i64}> : (tensor<?x?xf32>) -> tensor<i32>
    %s = "stablehlo.divide"(%n, %two) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %0 = "stablehlo.reshape"(%b) : (tensor<i32>) -> tensor<1xi32>
    %1 = "stablehlo.reshape"(%s) : (tensor<i32>) -> tensor<1xi32>
    %2 = "stablehlo.reshape"(%two) : (tensor<i32>) -> tensor<1xi32>
    %3 = "stablehlo.concatenate"(%0, %1, %2) <{dimension = 0 : i64}> : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %4 = "stablehlo.dynamic_reshape"(%x, %3) : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x2xf32>
    "func.return"(%4) : (tensor<?x?x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
