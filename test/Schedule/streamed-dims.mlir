// The keys of attention are streamed where the scores of 128 rows are more than half the cache of a core,
// in tiles that divide their number if they can; otherwise rows stand whole, and in their order.
// RUN: fuse-opt %s --fuse-pipeline | fuse-opt --pass-pipeline="builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules{stream},func.func(fuse-members-to-linalg,fuse-merge-members)))" | FileCheck %s

// CHECK-DAG: func.func private @{{.*}}tensor<2x100x16xf32>{{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [{{[0-9, ]+}}]>], reduction_lanes
func.func @short(%q: tensor<2x100x16xf32>, %k: tensor<2x300x16xf32>, %v: tensor<2x300x16xf32>) -> tensor<2x100x16xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x100x16xf32>, tensor<2x300x16xf32>) -> tensor<2x100x300xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x100x300xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<2x100x300xf32>, tensor<2x300x16xf32>) -> tensor<2x100x16xf32>
  return %2 : tensor<2x100x16xf32>
}

// CHECK-DAG: func.func private @{{.*}}tensor<2x100x40xf32>{{.*}}<sequential, dims = [3], sizes = [256]>]
func.func @medium(%q: tensor<2x100x40xf32>, %k: tensor<2x1024x40xf32>, %v: tensor<2x1024x40xf32>) -> tensor<2x100x40xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x100x40xf32>, tensor<2x1024x40xf32>) -> tensor<2x100x1024xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x100x1024xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<2x100x1024xf32>, tensor<2x1024x40xf32>) -> tensor<2x100x40xf32>
  return %2 : tensor<2x100x40xf32>
}

// CHECK-DAG: func.func private @{{.*}}tensor<2x100x24xf32>{{.*}}<sequential, dims = [3], sizes = [240]>]
func.func @long(%q: tensor<2x100x24xf32>, %k: tensor<2x12000x24xf32>, %v: tensor<2x12000x24xf32>) -> tensor<2x100x24xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x100x24xf32>, tensor<2x12000x24xf32>) -> tensor<2x100x12000xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x100x12000xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<2x100x12000xf32>, tensor<2x12000x24xf32>) -> tensor<2x100x24xf32>
  return %2 : tensor<2x100x24xf32>
}

// CHECK-DAG: func.func private @{{.*}}tensor<2x100x32xf32>{{.*}}<sequential, dims = [3], sizes = [256]>]
func.func @prime(%q: tensor<2x100x32xf32>, %k: tensor<2x12007x32xf32>, %v: tensor<2x12007x32xf32>) -> tensor<2x100x32xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x100x32xf32>, tensor<2x12007x32xf32>) -> tensor<2x100x12007xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x100x12007xf32>
  %2 = fuse.matmul %1, %v {fuse.together = "k"} : (tensor<2x100x12007xf32>, tensor<2x12007x32xf32>) -> tensor<2x100x32xf32>
  return %2 : tensor<2x100x32xf32>
}

// What is returned has to exist whole.
// CHECK-DAG: func.func private @{{.*}}tensor<2x100x48xf32>{{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{[0-9, ]+}}]>], reduction_lanes
func.func @probabilities(%q: tensor<2x100x48xf32>, %k: tensor<2x12000x48xf32>) -> tensor<2x100x12000xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs {fuse.together = "k"} : (tensor<2x100x48xf32>, tensor<2x12000x48xf32>) -> tensor<2x100x12000xf32>
  %1 = fuse.softmax %0 dimension = 2 {fuse.together = "k"} : tensor<2x100x12000xf32>
  return %1 : tensor<2x100x12000xf32>
}
