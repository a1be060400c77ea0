// The figures of strategy `chains`.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan=strategy=chains --fuse-form-kernels --fuse-report -o /dev/null | FileCheck %s

// CHECK-LABEL: @chain
// CHECK-NEXT: Fusion: 3 → 1 kernels (67% reduction), 8.0KB memory saved
// CHECK-NEXT: before: launches 3, syncs 0, readback 4096 bytes, traffic 24576 bytes
// CHECK-NEXT: after: launches 1, syncs 0, readback 4096 bytes, traffic 8192 bytes
// CHECK: kernel 0: elementwise-chain {{[0-9.-]+}} 1 1 {{[0-9.-]+}} 8.0 1 2 {{([0-9-]+ )*}}relu, sigmoid, exp{{$}}
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  return %2 : tensor<1024xf32>
}

// A reduction is never in a chain.
// CHECK-LABEL: @reduction
// CHECK-NEXT: Fusion: 3 → 3 kernels (0% reduction), 0.0KB memory saved
// CHECK: kernel 1: row-reduction {{[0-9. -]+}} reduce sum{{$}}
func.func @reduction(%x: tensor<1024xf32>) -> tensor<f32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.reduce sum %0 dimensions = [0] : tensor<1024xf32> -> tensor<f32>
  %2 = fuse.unary exp %1 : tensor<f32>
  return %2 : tensor<f32>
}

// CHECK-LABEL: @diamond
// CHECK-NEXT: Fusion: 4 → 3 kernels (25% reduction), 4.0KB memory saved
// CHECK: kernel 2: elementwise-chain {{[0-9.-]+}} 2 1 {{[0-9. -]+}} exp, add{{$}}
func.func @diamond(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary exp %0 : tensor<1024xf32>
  %2 = fuse.unary neg %0 : tensor<1024xf32>
  %3 = fuse.binary add %1, %2 : tensor<1024xf32>
  return %3 : tensor<1024xf32>
}

// Two uses by one op are one consumer.
// CHECK-LABEL: @square
// CHECK-NEXT: Fusion: 3 → 1 kernels (67% reduction)
func.func @square(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.binary mul %0, %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  return %2 : tensor<1024xf32>
}

// CHECK-LABEL: @buffers
// CHECK-NEXT: Fusion: 5 → 3 kernels (40% reduction), 8.0KB memory saved
// CHECK-DAG: kernel 0: copy {{[0-9.-]+}} 1 1 {{[0-9. -]+}} load{{$}}
// CHECK-DAG: kernel 1: elementwise-chain {{[0-9.-]+}} 1 1 {{[0-9.-]+}} 8.0 1 {{[0-9.-]+}} {{([0-9-]+ )*}}relu, sigmoid, exp{{$}}
// CHECK-DAG: kernel 2: copy {{[0-9.-]+}} 2 0 {{[0-9. -]+}} store{{$}}
func.func @buffers(%m: memref<1024xf32>, %out: memref<1024xf32>) {
  %x = fuse.load %m : memref<1024xf32> -> tensor<1024xf32>
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
  %2 = fuse.unary exp %1 : tensor<1024xf32>
  fuse.store %2, %out : tensor<1024xf32>, memref<1024xf32>
  return
}

// A composite counts as it was written.
// CHECK-LABEL: @softmax
// CHECK-NEXT: Fusion: 1 → 1 kernels (0% reduction), 0.0KB memory saved
// CHECK: kernel 0: row-reduction {{[0-9.-]+}} 1 1 {{[0-9.-]+}} 0.0 0 0 {{([0-9-]+ )*}}softmax{{$}}
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.softmax %x dimension = -1 : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// CHECK-LABEL: @empty
// CHECK-NEXT: Fusion: 0 → 0 kernels (0% reduction), 0.0KB memory saved
func.func @empty(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// 16 bytes saved: relu + add on four elements.
// CHECK-LABEL: @small
// CHECK: kernel 0: elementwise-chain {{[0-9.]+}} 2 1 0.0 0.0 0 1 relu, add
func.func @small(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.unary relu %x : tensor<4xf32>
  %1 = fuse.binary add %0, %y : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Memory saved counts each value in its own type.
// CHECK-LABEL: @types
// CHECK: kernel 0: elementwise-chain {{[0-9.-]+}} 1 1 {{[0-9.-]+}} 4.0 {{[0-9. -]+}} cast, abs{{$}}
func.func @types(%x: tensor<1024xf16>) -> tensor<1024xf32> {
  %0 = fuse.cast %x : (tensor<1024xf16>) -> tensor<1024xf32>
  %1 = fuse.unary abs %0 : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}

// A host op is a launch and a wait.
// CHECK-LABEL: @host
// CHECK-NEXT: Fusion: 3 → 3 kernels
// CHECK-NEXT: before: launches 3, syncs 1,
// CHECK: kernel 1: host {{[0-9. -]+}} welch_peaks{{$}}
func.func @host(%s: tensor<8x32xf32>) -> tensor<4x6xf32> {
  %0 = fuse.unary abs %s : tensor<8x32xf32>
  %1 = fuse.welch_peaks %0 k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
  %2 = fuse.unary neg %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Structured ops are named with their parameters.
// CHECK-LABEL: @structured
// CHECK: before: launches 3, syncs 0, readback 802816 bytes, traffic 4965376 bytes
// CHECK-DAG: kernel 0: contraction {{[0-9. -]+}} conv2d(64 channels, 3x3){{$}}
// CHECK-DAG: kernel 1: elementwise-chain {{[0-9.-]+}} 5 {{[0-9. -]+}} batch_norm(64){{$}}
func.func @structured(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %s: tensor<64xf32>,
    %o: tensor<64xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>) -> tensor<1x64x56x56xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  %1 = fuse.batch_norm %0, %s, %o, %m, %v epsilon = 1.000000e-05 feature_dimension = 1 : (tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x64x56x56xf32>
  %2 = fuse.unary relu %1 : tensor<1x64x56x56xf32>
  return %2 : tensor<1x64x56x56xf32>
}

// CHECK-LABEL: @names
// CHECK: contraction {{[0-9. -]+}} matmul(128x768x3072){{$}}
// CHECK: attention {{[0-9. -]+}} attention(12 heads, 64){{$}}
func.func @names(%x: tensor<128x768xf32>, %w: tensor<3072x768xf32>, %q: tensor<1x12x8x64xf32>)
    -> (tensor<128x3072xf32>, tensor<1x12x8x64xf32>) {
  %0 = fuse.matmul %x, %w transpose_rhs : (tensor<128x768xf32>, tensor<3072x768xf32>) -> tensor<128x3072xf32>
  %1 = fuse.attention %q, %q, %q scale = 0.125 : (tensor<1x12x8x64xf32>, tensor<1x12x8x64xf32>, tensor<1x12x8x64xf32>) -> tensor<1x12x8x64xf32>
  return %0, %1 : tensor<128x3072xf32>, tensor<1x12x8x64xf32>
}

// CHECK-LABEL: @dynamic
// CHECK: before: launches 2, syncs 0, readback 0 bytes, traffic 0 bytes, values of unknown size 3
// CHECK: after: launches 1, syncs 0, readback 0 bytes, traffic 0 bytes, values of unknown size 2
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.unary relu %x : tensor<?xf32>
  %1 = fuse.unary exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Wrapping one op in a kernel changes nothing, for values of unknown size too.
// CHECK-LABEL: @dynamic_alone
// CHECK: before: launches 1, {{.*}} values of unknown size 2
// CHECK: after: launches 1, {{.*}} values of unknown size 2
func.func @dynamic_alone(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.unary relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
