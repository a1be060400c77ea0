// RUN: fuse-opt %s --fuse-assign-schedules --split-input-file | fuse-opt --split-input-file | FileCheck %s
// RUN: fuse-opt %s --fuse-assign-schedules --split-input-file | FileCheck %s

// Rows are shared, what is within a row is private: a level of blocks of rows.
// CHECK-LABEL: module @rows
// CHECK: func.func private @k({{.*}}fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [{{[0-9]+}}]>], reduction_lanes = {{[0-9]+}}>
module @rows {
  func.func private @k(%x: tensor<4096x64xf32>, %y: tensor<4096xf32> {bufferization.writable = true}) -> tensor<4096xf32> {
    %0 = fuse.reduce sum %x dimensions = [1] : tensor<4096x64xf32> -> tensor<4096xf32>
    return %0 : tensor<4096xf32>
  }
}

// -----

// CHECK-LABEL: module @elementwise
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{[0-9]+}}, {{[0-9]+}}]>]
module @elementwise {
  func.func private @k(%x: tensor<?x64xf32>, %y: tensor<?x64xf32> {bufferization.writable = true}) -> tensor<?x64xf32> {
    %0 = fuse.unary neg %x : tensor<?x64xf32>
    return %0 : tensor<?x64xf32>
  }
}

// -----

// What a user wrote stays.
// CHECK-LABEL: module @written
// CHECK: #fuse.schedule<levels = [<block, dims = [0], sizes = [3]>], reduction_lanes = 8>
module @written {
  func.func private @k(%x: tensor<8xf32>, %y: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32>
      attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [3]>], reduction_lanes = 8>} {
    %0 = fuse.unary neg %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

// A kernel without shared dims is one block: no level cuts it.
// CHECK-LABEL: module @scalar
// CHECK: #fuse.schedule<levels = [],
module @scalar {
  func.func private @k(%x: tensor<f32>, %y: tensor<f32> {bufferization.writable = true}) -> tensor<f32> {
    %0 = fuse.unary neg %x : tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// A norm: a second tile of columns would sum the row again. It is one, however long rows are.
// CHECK-LABEL: module @unknown_rows
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{[0-9]+}}, 1048576]>]
module @unknown_rows {
  func.func private @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32> {
    %0 = fuse.binary mul %x, %x : tensor<?x?xf32>
    %1 = fuse.reduce sum %0 dimensions = [1] keep_dims : tensor<?x?xf32> -> tensor<?x1xf32>
    %2 = fuse.binary div %x, %1 : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
    return %2 : tensor<?x?xf32>
  }
}

// -----

// Without a reduction there is nothing to repeat.
// CHECK-LABEL: module @unknown_elements
// CHECK: #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [{{[0-9]+}}, 1024]>]
module @unknown_elements {
  func.func private @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32> {
    %0 = fuse.unary exp %x : tensor<?x?xf32>
    return %0 : tensor<?x?xf32>
  }
}

// -----

// A composite is scheduled as what it consists of: rows.
// CHECK-LABEL: module @composite
// CHECK: func.func private @k({{.*}}<block, dims = [0], sizes = [{{[0-9]+}}]>
// CHECK-NOT: fuse.softmax
module @composite {
  func.func private @k(%x: tensor<4096x64xf32>, %y: tensor<4096x64xf32> {bufferization.writable = true}) -> tensor<4096x64xf32> {
    %0 = fuse.softmax %x dimension = 1 : tensor<4096x64xf32>
    return %0 : tensor<4096x64xf32>
  }
}
