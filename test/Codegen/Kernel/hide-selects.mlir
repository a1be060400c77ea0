// RUN: fuse-opt %s --fuse-hide-selects | FileCheck %s --check-prefix=HIDDEN
// RUN: fuse-opt %s --fuse-hide-selects "--fuse-hide-selects=restore=true" | FileCheck %s --check-prefix=BACK

// Selects of indices are hidden from the analysis of slices, and come back behind it; others stay as they are.

// HIDDEN-LABEL: func.func @f
// HIDDEN-NEXT:    %[[SIZE:.*]] = builtin.unrealized_conversion_cast %arg0, %arg1, %arg2 : i1, index, index to index
// HIDDEN-NEXT:    %[[PART:.*]] = tensor.extract_slice %arg3[0] [%[[SIZE]]] [1]
// HIDDEN-NEXT:    %[[SCALE:.*]] = arith.select %arg0, %arg4, %arg5 : f32
// HIDDEN-NEXT:    return %[[PART]], %[[SCALE]]

// BACK-LABEL: func.func @f
// BACK-NEXT:    %[[SIZE:.*]] = arith.select %arg0, %arg1, %arg2 : index
// BACK-NEXT:    %[[PART:.*]] = tensor.extract_slice %arg3[0] [%[[SIZE]]] [1]
// BACK-NEXT:    %[[SCALE:.*]] = arith.select %arg0, %arg4, %arg5 : f32
// BACK-NEXT:    return %[[PART]], %[[SCALE]]
func.func @f(%first: i1, %a: index, %b: index, %x: tensor<?xf32>, %s: f32, %t: f32) -> (tensor<?xf32>, f32) {
  %size = arith.select %first, %a, %b : index
  %part = tensor.extract_slice %x[0] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  %scale = arith.select %first, %s, %t : f32
  return %part, %scale : tensor<?xf32>, f32
}
