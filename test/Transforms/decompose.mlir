// RUN: fuse-opt %s --fuse-decompose | FileCheck %s
// RUN: fuse-opt %s --fuse-decompose --fuse-decompose | FileCheck %s

// The profile is that of the program as written; primitives carry the composite they come from.
// CHECK-LABEL: func.func @composites
// CHECK-SAME: fuse.written = #fuse.profile<kernel_launches = 3, sync_points = 0, host_output_bytes = 128, device_traffic_bytes = 784, unknown_values = 0>
// CHECK: unary relu %{{[a-z0-9]*}} : tensor<8x4xf32>
// CHECK-NEXT: reduce max {{.*}} {fuse.origin = #fuse.origin<1, "softmax">}
// CHECK-NEXT: binary sub {{.*}} {fuse.origin = #fuse.origin<1, "softmax">}
// CHECK-NEXT: unary exp {{.*}} {fuse.origin = #fuse.origin<1, "softmax">}
// CHECK-NEXT: reduce sum {{.*}} {fuse.origin = #fuse.origin<1, "softmax">}
// CHECK-NEXT: binary div {{.*}} {fuse.origin = #fuse.origin<1, "softmax">}
// CHECK-NEXT: reduce mean {{.*}} {fuse.origin = #fuse.origin<2, "layer_norm">}
// CHECK-NOT: fuse.softmax
// CHECK-NOT: fuse.layer_norm
func.func @composites(%x: tensor<8x4xf32>, %g: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = fuse.unary relu %x : tensor<8x4xf32>
  %1 = fuse.softmax %0 dimension = -1 : tensor<8x4xf32>
  %2 = fuse.layer_norm %1, %g dimensions = [1] epsilon = 1.000000e-05 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Views that memory must hold get a copy, which counts; what device ops read does not.
// CHECK-LABEL: func.func @views
// CHECK-SAME: kernel_launches = 4, sync_points = 1
// CHECK: %[[T:.*]] = fuse.transpose
// CHECK: %[[C:.*]] = fuse.copy %[[T]]
// CHECK: %[[R:.*]] = fuse.reshape %[[C]]
// CHECK: fuse.unary exp %[[T]]
// CHECK: %[[S:.*]] = fuse.slice
// CHECK: %[[D:.*]] = fuse.copy %[[S]]
// CHECK: fuse.host_call @h(%[[D]])
// CHECK: return %[[R]]
func.func @views(%x: tensor<4x8xf32>) -> (tensor<32xf32>, tensor<8x4xf32>, tensor<4x4xf32>) {
  %t = fuse.transpose %x permutation = [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %r = fuse.reshape %t : tensor<8x4xf32> -> tensor<32xf32>
  %e = fuse.unary exp %t : tensor<8x4xf32>
  %s = fuse.slice %x offsets = [0, 2] sizes = [4, 4] strides = [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
  %h = fuse.host_call @h(%s) pure : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r, %e, %h : tensor<32xf32>, tensor<8x4xf32>, tensor<4x4xf32>
}

// A cast to a wider type and back changes nothing; one to a narrower type rounds. Results stay.
// CHECK-LABEL: func.func @widening_round_trip
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[N:.*]] = fuse.unary neg %[[X]]
// CHECK-NEXT: %[[NARROW:.*]] = fuse.cast %[[N]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: %[[BACK:.*]] = fuse.cast %[[NARROW]]
// CHECK-NEXT: %[[E:.*]] = fuse.unary exp %[[BACK]]
// CHECK-NEXT: return %[[E]]
func.func @widening_round_trip(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.cast %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = fuse.cast %0 : (tensor<4xf64>) -> tensor<4xf32>
  %2 = fuse.unary neg %1 : tensor<4xf32>
  %3 = fuse.cast %2 : (tensor<4xf32>) -> tensor<4xbf16>
  %4 = fuse.cast %3 : (tensor<4xbf16>) -> tensor<4xf32>
  %5 = fuse.unary exp %4 : tensor<4xf32>
  return %5 : tensor<4xf32>
}
