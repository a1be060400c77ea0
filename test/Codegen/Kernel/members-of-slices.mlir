// Reshapes of what a slice has cut: its readers read through both.
// RUN: fuse-opt %s --fuse-members-to-linalg | FileCheck %s

// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @joined
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 2] [6, 4] [1, 1]
// CHECK: linalg.generic {indexing_maps = [#[[SAME]], #[[SAME]]], {{.*}} ins(%[[PART]] : tensor<6x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: tensor.collapse_shape {{.*}} into tensor<24xf32>
// CHECK-NEXT: return
func.func @joined(%x: tensor<6x6xf32>) -> tensor<24xf32> {
  %0 = fuse.slice %x offsets = [0, 2] sizes = [6, 4] strides = [1, 1] : tensor<6x6xf32> -> tensor<6x4xf32>
  %1 = fuse.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  %2 = fuse.unary neg %1 : tensor<24xf32>
  return %2 : tensor<24xf32>
}

// Rows of a slice of rows lie behind each other: nothing to read through.
// CHECK-LABEL: func.func @whole_rows
// CHECK: %[[PART:.*]] = tensor.extract_slice
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[PART]]
// CHECK: linalg.generic {{.*}} ins(%[[FLAT]] : tensor<24xf32>)
func.func @whole_rows(%x: tensor<6x6xf32>) -> tensor<24xf32> {
  %0 = fuse.slice %x offsets = [2, 0] sizes = [4, 6] strides = [1, 1] : tensor<6x6xf32> -> tensor<4x6xf32>
  %1 = fuse.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
  %2 = fuse.unary neg %1 : tensor<24xf32>
  return %2 : tensor<24xf32>
}

// A body reads the slice where the element of the flat value lies.
// CHECK-LABEL: func.func @gathered
// CHECK: %[[PART:.*]] = tensor.extract_slice %{{.*}}[0, 0, 1] [3, 6, 4] [1, 1, 1]
// CHECK: linalg.generic
// CHECK: %[[COLUMN:.*]] = arith.remui %[[AT:.*]], %[[C4:.*]] : index
// CHECK: %[[REST:.*]] = arith.divui %[[AT]], %[[C4]] : index
// CHECK: %[[ROW:.*]] = arith.remui %[[REST]], %[[C6:.*]] : index
// CHECK: %[[PAGE:.*]] = arith.divui %[[REST]], %[[C6]] : index
// CHECK: tensor.extract %[[PART]][%[[PAGE]], %[[ROW]], %[[COLUMN]]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @gathered(%x: tensor<3x6x6xf32>, %i: tensor<5xi64>) -> tensor<5xf32> {
  %0 = fuse.slice %x offsets = [0, 0, 1] sizes = [3, 6, 4] strides = [1, 1, 1] : tensor<3x6x6xf32> -> tensor<3x6x4xf32>
  %1 = fuse.reshape %0 : tensor<3x6x4xf32> -> tensor<72xf32>
  %2 = fuse.gather %1, %i dimension = 0 : (tensor<72xf32>, tensor<5xi64>) -> tensor<5xf32>
  return %2 : tensor<5xf32>
}

// One element takes no step.
// CHECK-LABEL: func.func @one_element
// CHECK: tensor.extract_slice %{{.*}}[22, 0] [1, 4] [1, 2] : tensor<24x8xf32> to tensor<4xf32>
func.func @one_element(%x: tensor<24x8xf32>) -> tensor<1x4xf32> {
  %0 = fuse.slice %x offsets = [22, 0] sizes = [1, 4] strides = [3, 2] : tensor<24x8xf32> -> tensor<1x4xf32>
  %1 = fuse.unary neg %0 : tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
