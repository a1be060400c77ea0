// RUN: fuse-opt %s --convert-fuse-to-linalg | FileCheck %s

// CHECK-DAG: [[ID:#.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: [[ROWS:#.*]] = affine_map<(d0, d1) -> (d0)>

// The kept unit dimensions are gone: nothing but fills and generics with projected permutations.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: expand_shape
// CHECK: %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[INIT:.*]] = linalg.fill ins(%[[LOWEST]] : f32)
// CHECK: %[[MAX:.*]] = linalg.generic {indexing_maps = {{\[}}[[ID]], [[ROWS]]], iterator_types = ["parallel", "reduction"]} ins(%[[X:.*]] : tensor<8x16xf32>) outs(%[[INIT]]
// CHECK: arith.maximumf
// CHECK: %[[SUB:.*]] = linalg.generic {indexing_maps = {{\[}}[[ID]], [[ROWS]], [[ID]]], {{.*}} ins(%[[X]], %[[MAX]] :
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} ins(%[[SUB]] :
// CHECK: math.exp
// CHECK: %[[SUM:.*]] = linalg.generic {indexing_maps = {{\[}}[[ID]], [[ROWS]]], iterator_types = ["parallel", "reduction"]} ins(%[[EXP]] :
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: %[[DIV:.*]] = linalg.generic {indexing_maps = {{\[}}[[ID]], [[ROWS]], [[ID]]], {{.*}} ins(%[[EXP]], %[[SUM]] :
// CHECK: return %[[DIV]]
func.func @softmax(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = fuse.softmax %x dimension = -1 : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// f16 is summed in f32 and rounded once; mean divides before that.
// CHECK-LABEL: func.func @mean_f16
// CHECK: %[[ACC:.*]] = linalg.fill {{.*}} -> tensor<8xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} outs(%[[ACC]] :
// CHECK: arith.extf
// CHECK: linalg.generic {{.*}} ins(%[[SUM]] : tensor<8xf32>) outs(%{{.*}} : tensor<8xf16>)
// CHECK: arith.divf
// CHECK: arith.truncf
func.func @mean_f16(%x: tensor<8x16xf16>) -> tensor<8xf16> {
  %0 = fuse.reduce mean %x dimensions = [1] : tensor<8x16xf16> -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// An integer sum wraps in its accumulator and then in its type.
// CHECK-LABEL: func.func @sum_ui8
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.trunci %{{.*}} : i32 to i8
func.func @sum_ui8(%x: tensor<8x16xui8>) -> tensor<8xui8> {
  %0 = fuse.reduce sum %x dimensions = [1] : tensor<8x16xui8> -> tensor<8xui8>
  return %0 : tensor<8xui8>
}

// CHECK-LABEL: func.func @all_dimensions
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]{{.*}} outs(%{{.*}} : tensor<f32>)
// CHECK: tensor.expand_shape %{{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @all_dimensions(%x: tensor<8x4xf32>) -> tensor<1x1xf32> {
  %0 = fuse.reduce sum %x dimensions = [0, 1] keep_dims : tensor<8x4xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// Nothing runs along a repeated dimension but the loop: an empty tensor does.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[ALONG:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %[[ALONG]] :
func.func @repeated(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fuse.broadcast %x dimensions = [1] : tensor<3xf32> -> tensor<3x4xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<3x4xf32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// The first candidate loses against any element, the extreme itself included.
// CHECK-LABEL: func.func @argmax
// CHECK-DAG: arith.constant 0xFF800000 : f32
// CHECK-DAG: arith.constant 9223372036854775807 : i64
// CHECK: %[[BEST:.*]]:2 = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}{{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xi64>)
// CHECK: linalg.index 1
// CHECK: return %[[BEST]]#1
func.func @argmax(%x: tensor<8x4xf32>) -> tensor<8xi64> {
  %0 = fuse.argmax %x dimension = 1 : tensor<8x4xf32> -> tensor<8xi64>
  return %0 : tensor<8xi64>
}
