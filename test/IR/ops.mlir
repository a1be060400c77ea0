// RUN: fuse-opt %s --verify-roundtrip | FileCheck %s
// RUN: fuse-opt %s --mlir-print-op-generic | fuse-opt | FileCheck %s

// Every op with every form of its attributes, as it is printed.

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<8x4xf32>, %i: tensor<?xui8>, %b: tensor<i1>) {
  // CHECK: fuse.unary relu %{{.*}} : tensor<8x4xf32>
  %0 = fuse.unary relu %x : tensor<8x4xf32>
  // CHECK: fuse.unary leaky_relu %{{.*}} alpha = 1.000000e-01 : tensor<8x4xf32>
  %1 = fuse.unary leaky_relu %x alpha = 1.000000e-01 : tensor<8x4xf32>
  // CHECK: fuse.unary hard_sigmoid %{{.*}} alpha = 1.000000e-01 beta = 5.000000e-01 : tensor<8x4xf32>
  %2 = fuse.unary hard_sigmoid %x alpha = 1.000000e-01 beta = 5.000000e-01 : tensor<8x4xf32>
  // CHECK: fuse.unary gelu %{{.*}} approximate = tanh : tensor<8x4xf32>
  %3 = fuse.unary gelu %x approximate = tanh : tensor<8x4xf32>
  // CHECK: fuse.unary gelu %{{.*}} approximate = none fastmath<nnan,ninf> : tensor<8x4xf32>
  %4 = fuse.unary gelu %x approximate = none fastmath<nnan,ninf> : tensor<8x4xf32>
  // CHECK: fuse.unary is_nan %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xi1>
  %5 = fuse.unary is_nan %x : (tensor<8x4xf32>) -> tensor<8x4xi1>
  // CHECK: fuse.unary bitwise_not %{{.*}} : tensor<?xui8>
  %6 = fuse.unary bitwise_not %i : tensor<?xui8>
  // CHECK: fuse.unary logical_not %{{.*}} : tensor<i1>
  %7 = fuse.unary logical_not %b : tensor<i1>
  // CHECK: fuse.unary exp %{{.*}} {fuse.alone, fuse.group = array<i64: 1, 2>, fuse.origin = #fuse.origin<3, "softmax">, fuse.together = "a"} : tensor<8x4xf32>
  %8 = fuse.unary exp %x {fuse.alone, fuse.group = array<i64: 1, 2>, fuse.origin = #fuse.origin<3, "softmax">, fuse.together = "a"} : tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<8x4xf32>, %y: tensor<4xf32>, %s: tensor<f32>, %i: tensor<3xi8>, %d: tensor<?x4xf32>) {
  // CHECK: fuse.binary add %{{.*}}, %{{.*}} : tensor<8x4xf32>
  %0 = fuse.binary add %x, %x : tensor<8x4xf32>
  // CHECK: fuse.binary pow %{{.*}}, %{{.*}} fastmath<nsz> : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %1 = fuse.binary pow %x, %y fastmath<nsz> : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  // CHECK: fuse.binary xor %{{.*}}, %{{.*}} : tensor<3xi8>
  %2 = fuse.binary xor %i, %i : tensor<3xi8>
  // CHECK: fuse.binary max %{{.*}}, %{{.*}} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %3 = fuse.binary max %d, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: fuse.cast %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  %4 = fuse.cast %x : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  // CHECK: fuse.bitcast %{{.*}} : (tensor<8x4xf32>) -> tensor<8x4xui32>
  %8 = fuse.bitcast %x : (tensor<8x4xf32>) -> tensor<8x4xui32>
  // CHECK: fuse.binary shift_right %{{.*}}, %{{.*}} : tensor<3xi8>
  %9 = fuse.binary shift_right %i, %i : tensor<3xi8>
  // CHECK: fuse.unary atan %{{.*}} : tensor<4xf32>
  %10 = fuse.unary atan %y : tensor<4xf32>
  // CHECK: fuse.compare ge %{{.*}}, %{{.*}} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xi1>
  %5 = fuse.compare ge %x, %s : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xi1>
  // CHECK: fuse.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %6 = fuse.select %5, %x, %s : (tensor<8x4xi1>, tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  // CHECK: fuse.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<8x4xf32>
  %7 = fuse.clamp %x, %s, %y : (tensor<8x4xf32>, tensor<f32>, tensor<4xf32>) -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<8x?x4xf32>, %b: tensor<4xi1>) {
  // CHECK: fuse.reduce sum %{{.*}} dimensions = [1, 2] : tensor<8x?x4xf32> -> tensor<8xf32>
  %0 = fuse.reduce sum %x dimensions = [1, 2] : tensor<8x?x4xf32> -> tensor<8xf32>
  // CHECK: fuse.reduce mean %{{.*}} dimensions = [0] keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xf32>
  %1 = fuse.reduce mean %x dimensions = [0] keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xf32>
  // CHECK: fuse.reduce max %{{.*}} dimensions = [] : tensor<8x?x4xf32> -> tensor<8x?x4xf32>
  %2 = fuse.reduce max %x dimensions = [] : tensor<8x?x4xf32> -> tensor<8x?x4xf32>
  // CHECK: fuse.reduce any %{{.*}} dimensions = [0] : tensor<4xi1> -> tensor<i1>
  %3 = fuse.reduce any %b dimensions = [0] : tensor<4xi1> -> tensor<i1>
  // CHECK: fuse.argmax %{{.*}} dimension = 2 : tensor<8x?x4xf32> -> tensor<8x?xi64>
  %4 = fuse.argmax %x dimension = 2 : tensor<8x?x4xf32> -> tensor<8x?xi64>
  // CHECK: fuse.argmin %{{.*}} dimension = 0 keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xi64>
  %5 = fuse.argmin %x dimension = 0 keep_dims : tensor<8x?x4xf32> -> tensor<1x?x4xi64>
  return
}

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<2x3x4xf32>, %d: tensor<?x4xf32>, %s: tensor<f32>) {
  // CHECK: fuse.reshape %{{.*}} : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %0 = fuse.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  // CHECK: fuse.reshape %{{.*}} : tensor<?x4xf32> -> tensor<?x2x2xf32>
  %1 = fuse.reshape %d : tensor<?x4xf32> -> tensor<?x2x2xf32>
  // CHECK: fuse.transpose %{{.*}} permutation = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %2 = fuse.transpose %x permutation = [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  // CHECK: fuse.transpose %{{.*}} permutation = [] : tensor<f32> -> tensor<f32>
  %3 = fuse.transpose %s permutation = [] : tensor<f32> -> tensor<f32>
  // CHECK: fuse.slice %{{.*}} offsets = [0, 1] sizes = [-1, 2] strides = [1, 2] : tensor<?x4xf32> -> tensor<?x2xf32>
  %4 = fuse.slice %d offsets = [0, 1] sizes = [-1, 2] strides = [1, 2] : tensor<?x4xf32> -> tensor<?x2xf32>
  // CHECK: fuse.broadcast %{{.*}} dimensions = [0, 1] : tensor<f32> -> tensor<8x4xf32>
  %5 = fuse.broadcast %s dimensions = [0, 1] : tensor<f32> -> tensor<8x4xf32>
  return
}

// CHECK-LABEL: func.func @memory
func.func @memory(%m: memref<8x?xf32>, %x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %i: tensor<2x2xi32>) {
  // CHECK: fuse.load %{{.*}} : memref<8x?xf32> -> tensor<8x?xf32>
  %0 = fuse.load %m : memref<8x?xf32> -> tensor<8x?xf32>
  // CHECK: fuse.store %{{.*}}, %{{.*}} : tensor<8x?xf32>, memref<8x?xf32>
  fuse.store %0, %m : tensor<8x?xf32>, memref<8x?xf32>
  // CHECK: fuse.copy %{{.*}} : tensor<2x3xf32>
  %1 = fuse.copy %x : tensor<2x3xf32>
  // CHECK: fuse.concat %{{.*}}, %{{.*}} dimension = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  %2 = fuse.concat %x, %y dimension = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  // CHECK: fuse.pad %{{.*}} low = [0, -1] high = [1, 2] value = 0xFF800000 : f32 : tensor<2x3xf32> -> tensor<3x4xf32>
  %3 = fuse.pad %x low = [0, -1] high = [1, 2] value = 0xFF800000 : f32 : tensor<2x3xf32> -> tensor<3x4xf32>
  // CHECK: fuse.pad %{{.*}} low = [1, 0] high = [0, 0] value = 7 : i32 : tensor<2x2xi32> -> tensor<3x2xi32>
  %4 = fuse.pad %i low = [1, 0] high = [0, 0] value = 7 : i32 : tensor<2x2xi32> -> tensor<3x2xi32>
  // CHECK: fuse.gather %{{.*}}, %{{.*}} dimension = 1 : (tensor<4x3xf32>, tensor<2x2xi32>) -> tensor<4x2x2xf32>
  %5 = fuse.gather %y, %i dimension = 1 : (tensor<4x3xf32>, tensor<2x2xi32>) -> tensor<4x2x2xf32>
  // CHECK: fuse.iota dimension = 1 : tensor<2x3xf16>
  %6 = fuse.iota dimension = 1 : tensor<2x3xf16>
  // CHECK: fuse.resize_nearest %{{.*}} : tensor<2x3xf32> -> tensor<4x9xf32>
  %7 = fuse.resize_nearest %x : tensor<2x3xf32> -> tensor<4x9xf32>
  return
}

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
  // CHECK: fuse.layer_norm %{{.*}} axes = [2, 3] epsilon = 0.000000e+00 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %2 = fuse.layer_norm %x axes = [2, 3] epsilon = 0.000000e+00 : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.layer_norm %{{.*}}, %{{.*}} axes = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  %3 = fuse.layer_norm %x, %g axes = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: fuse.layer_norm %{{.*}}, %{{.*}}, %{{.*}} axes = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
  %4 = fuse.layer_norm %x, %g, %g axes = [3] epsilon = 1.000000e-05 : (tensor<1x4x8x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x4x8x8xf32>
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
  // CHECK: fuse.kernel (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<8xf32>, memref<8xf32>) -> (tensor<8xf32>, tensor<f32>) attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>, <vector, dims = [-1], sizes = [64]>], reduction_lanes = 64>} {
  // CHECK: fuse.yield %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<f32>
  %0:2 = fuse.kernel (%a = %x, %b = %m) : (tensor<8xf32>, memref<8xf32>) -> (tensor<8xf32>, tensor<f32>) attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>, <vector, dims = [-1], sizes = [64]>], reduction_lanes = 64>} {
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
