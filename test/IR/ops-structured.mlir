// RUN: fuse-opt %s --verify-roundtrip | FileCheck %s
// RUN: fuse-opt %s --mlir-print-op-generic | fuse-opt | FileCheck %s

// The structured ops, composites, host ops and kernels; the others are in ops.mlir.

// CHECK-LABEL: func.func @structured
func.func @structured(%a: tensor<2x?x4xf16>, %b: tensor<2x5x4xf16>, %x: tensor<?x4x8x8xf32>, %w: tensor<6x2x3x3xf32>, %v: tensor<6xf32>, %c: tensor<1x8x8x4xi8>, %k: tensor<3x3x4x6xi8>) {
  // CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_rhs : (tensor<2x?x4xf16>, tensor<2x5x4xf16>) -> tensor<2x?x5xf32>
  %0 = fuse.matmul %a, %b transpose_rhs : (tensor<2x?x4xf16>, tensor<2x5x4xf16>) -> tensor<2x?x5xf32>
  // CHECK: fuse.matmul %{{.*}}, %{{.*}} transpose_lhs : (tensor<2x5x4xf16>, tensor<2x5x4xf16>) -> tensor<2x4x4xf16>
  %1 = fuse.matmul %b, %b transpose_lhs : (tensor<2x5x4xf16>, tensor<2x5x4xf16>) -> tensor<2x4x4xf16>
  // CHECK: fuse.conv2d %{{.*}}, %{{.*}}, %{{.*}} strides = [2, 1] dilations = [1, 2] padding = [1, 2, 0, 2] groups = 2 layout = nchw_fchw : (tensor<?x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<?x6x4x8xf32>
  %2 = fuse.conv2d %x, %w, %v strides = [2, 1] dilations = [1, 2] padding = [1, 2, 0, 2] groups = 2 layout = nchw_fchw : (tensor<?x4x8x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<?x6x4x8xf32>
  // CHECK: fuse.conv2d %{{.*}}, %{{.*}} strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x8x8x4xi8>, tensor<3x3x4x6xi8>) -> tensor<1x6x6x6xi32>
  %3 = fuse.conv2d %c, %k strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x8x8x4xi8>, tensor<3x3x4x6xi8>) -> tensor<1x6x6x6xi32>
  // CHECK: fuse.max_pool2d %{{.*}} kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nhwc_hwcf : tensor<1x8x8x4xi8> -> tensor<1x4x4x4xi8>
  %4 = fuse.max_pool2d %c kernel = [2, 2] strides = [2, 2] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nhwc_hwcf : tensor<1x8x8x4xi8> -> tensor<1x4x4x4xi8>
  // CHECK: fuse.avg_pool2d %{{.*}} kernel = [8, 8] strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<?x4x8x8xf32> -> tensor<?x4x1x1xf32>
  %5 = fuse.avg_pool2d %x kernel = [8, 8] strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] layout = nchw_fchw : tensor<?x4x8x8xf32> -> tensor<?x4x1x1xf32>
  // CHECK: fuse.avg_pool2d {{.*}} layout = nchw_fchw count_include_pad : tensor<?x4x8x8xf32> -> tensor<?x4x9x9xf32>
  %6 = fuse.avg_pool2d %x kernel = [2, 2] strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] layout = nchw_fchw count_include_pad : tensor<?x4x8x8xf32> -> tensor<?x4x9x9xf32>
  return
}

// CHECK-LABEL: func.func @composites
func.func @composites(%x: tensor<1x4x8x8xf32>, %v: tensor<4xf32>, %g: tensor<8xf32>, %k: tensor<1x2x9x8xf32>, %m: tensor<8x9xi1>, %f: tensor<4x1x9xf32>) {
  // CHECK: fuse.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  %0 = fuse.batch_norm %x, %v, %v, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.softmax %{{.*}} dimension = -2 : tensor<1x4x8x8xf32>
  %1 = fuse.softmax %x dimension = -2 : tensor<1x4x8x8xf32>
  // CHECK: fuse.layer_norm %{{.*}} dimensions = [2, 3] epsilon = 0.000000e+00 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = fuse.layer_norm %x dimensions = [2, 3] epsilon = 0.000000e+00 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.layer_norm %{{.*}}, %{{.*}} dimensions = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  %3 = fuse.layer_norm %x, %g dimensions = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.layer_norm %{{.*}}, %{{.*}}, %{{.*}} dimensions = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  %4 = fuse.layer_norm %x, %g, %g dimensions = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 3.535000e-01 : (tensor<1x4x8x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>) -> tensor<1x4x8x8xf32>
  %5 = fuse.attention %x, %k, %k scale = 3.535000e-01 : (tensor<1x4x8x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 causal : (tensor<1x4x8x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>, tensor<8x9xi1>) -> tensor<1x4x8x8xf32>
  %6 = fuse.attention %x, %k, %k, %m scale = 1.000000e+00 causal : (tensor<1x4x8x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>, tensor<8x9xi1>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale = 1.000000e+00 : (tensor<1x4x8x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>, tensor<4x1x9xf32>) -> tensor<1x4x8x8xf32>
  %7 = fuse.attention %x, %k, %k, %f scale = 1.000000e+00 : (tensor<1x4x8x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>, tensor<4x1x9xf32>) -> tensor<1x4x8x8xf32>
  return
}

// CHECK-LABEL: func.func @host
func.func @host(%s: tensor<?x32xf32>, %f: tensor<4x9xf32>, %dy: tensor<?x4xf32>) {
  // CHECK: fuse.log_mel %{{.*}}, %{{.*}} : (tensor<?x32xf32>, tensor<4x9xf32>) -> tensor<?x4xf32>
  %0 = fuse.log_mel %s, %f : (tensor<?x32xf32>, tensor<4x9xf32>) -> tensor<?x4xf32>
  // CHECK: fuse.log_mel_backward %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x32xf32>, tensor<4x9xf32>, tensor<?x4xf32>) -> tensor<?x32xf32>
  %1 = fuse.log_mel_backward %s, %f, %dy : (tensor<?x32xf32>, tensor<4x9xf32>, tensor<?x4xf32>) -> tensor<?x32xf32>
  // CHECK: fuse.welch_peaks %{{.*}} k = 3 n_segments = 2 : tensor<?x32xf32> -> tensor<?x6xf32>
  %2 = fuse.welch_peaks %s k = 3 n_segments = 2 : tensor<?x32xf32> -> tensor<?x6xf32>
  // CHECK: %{{.*}}:2 = fuse.host_call @split(%{{.*}}) pure : (tensor<4x9xf32>) -> (tensor<4xf32>, tensor<9xf32>)
  %3:2 = fuse.host_call @split(%f) pure : (tensor<4x9xf32>) -> (tensor<4xf32>, tensor<9xf32>)
  // CHECK: fuse.host_call @note() : () -> ()
  fuse.host_call @note() : () -> ()
  return
}

// CHECK-LABEL: module @k attributes {fuse.blocks = 4 : i64, fuse.scratch_bytes = 0 : i64}
module @k attributes {fuse.blocks = 4, fuse.scratch_bytes = 0} {}

// CHECK-LABEL: func.func @kernels
func.func @kernels(%x: tensor<8xf32> {fuse.name = "x"}, %w: tensor<8xf32> {fuse.name = "w", fuse.param}, %m: memref<8xf32>, %s: tensor<1x8xf32>, %p: memref<1x2xf32>) -> (tensor<8xf32> {fuse.name = "y"}) attributes {fuse.written = #fuse.profile<kernel_launches = 1, sync_points = 2, host_output_bytes = 3, device_traffic_bytes = 4, unknown_values = 5>} {
  // CHECK: fuse.kernel (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<8xf32>, memref<8xf32>) -> (tensor<8xf32>, tensor<f32>) attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>, <sequential, dims = [1], sizes = [64]>], reduction_lanes = 32>} {
  // CHECK: fuse.yield %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<f32>
  %0:2 = fuse.kernel (%a = %x, %b = %m) : (tensor<8xf32>, memref<8xf32>) -> (tensor<8xf32>, tensor<f32>) attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>, <sequential, dims = [1], sizes = [64]>], reduction_lanes = 32>} {
    fuse.store %a, %b : tensor<8xf32>, memref<8xf32>
    %1 = fuse.reduce sum %a dimensions = [0] : tensor<8xf32> -> tensor<f32>
    fuse.yield %a, %1 : tensor<8xf32>, tensor<f32>
  }
  // CHECK: fuse.kernel () : () -> () attributes {fuse.schedule = #fuse.schedule<levels = []>} {
  // CHECK-NEXT: fuse.yield
  fuse.kernel () : () -> () attributes {fuse.schedule = #fuse.schedule<levels = []>} {
    fuse.yield
  }
  // CHECK: fuse.kernel () : () -> () attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64, lanes = 32>} {
  fuse.kernel () : () -> () attributes {fuse.schedule = #fuse.schedule<levels = [], threads = 64, lanes = 32>} {
    fuse.yield
  }
  // CHECK: fuse.launch @k ins(%{{.*}}, %{{.*}} : tensor<8xf32>, memref<8xf32>) outs(%{{.*}} : tensor<8xf32>) -> tensor<8xf32>
  %2 = fuse.launch @k ins(%x, %m : tensor<8xf32>, memref<8xf32>) outs(%w : tensor<8xf32>) -> tensor<8xf32>
  // CHECK: fuse.launch @k outs(%{{.*}} : memref<8xf32>)
  fuse.launch @k outs(%m : memref<8xf32>)
  // CHECK: fuse.launch_host "welch_peaks" [1, 1] pure ins(%{{.*}} : tensor<1x8xf32>) outs(%{{.*}} : memref<1x2xf32>)
  fuse.launch_host "welch_peaks" [1, 1] pure ins(%s : tensor<1x8xf32>) outs(%p : memref<1x2xf32>)
  // CHECK: fuse.launch_host "note" []
  fuse.launch_host "note" []
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: module attributes {fuse.target = #fuse.target<"metal", gpu, {dispatch_ns = 5.000000e+02 : f64, memory_bw = 2.000000e+02 : f64}>}
module attributes {fuse.target = #fuse.target<"metal", gpu, {dispatch_ns = 5.0e+02, memory_bw = 2.0e+02}>} {}
