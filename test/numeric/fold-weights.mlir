// Folded weights against the unfolded program: other rounding, the same numbers.
// RUN: for f in grouped biased_matmul primitives; do fuse-run %s --function $f --random-inputs 3 --mode unfused --outputs %t.$f.npz && fuse-run %s --function $f --random-inputs 3 --numerics folds --expect %t.$f.npz --explain > %t.out 2>&1 && FileCheck %s < %t.out || exit 1; done
// RUN: fuse-run %s --function short --random-inputs 3 --mode unfused --outputs %t.npz
// RUN: fuse-run %s --function short --random-inputs 3 --numerics folds --expect %t.npz --explain 2>&1 | FileCheck %s
// Folding is the default of the tools; classes before it leave results bit-equal.
// RUN: fuse-run %s --function short --random-inputs 3 --expect %t.npz --explain 2>&1 | FileCheck %s
// RUN: fuse-run %s --function short --random-inputs 3 --numerics reassociates --expect %t.npz --rtol 0 --atol 0 --explain 2>&1 | FileCheck %s --check-prefix=SUMS
// RUN: fuse-run %s --function short --random-inputs 3 --numerics exact --expect %t.npz --rtol 0 --atol 0
// CHECK: folded
// What folding computes of parameters runs once, in a function of its own.
// RUN: fuse-run %s --function grouped --random-inputs 3 --numerics folds --report | FileCheck %s --check-prefix=ONCE
// ONCE-LABEL: @grouped{{$}}
// ONCE: kernel 0: {{[a-z-]+ [0-9.-]+}} 3 {{[0-9.[:space:]-]+}}conv2d(6 channels, 3x3), relu{{$}}
// ONCE-LABEL: @grouped_prepare
// A formed program that was saved knows how to prepare its parameters.
// RUN: fuse-opt %s --fuse-pipeline="numerics=folds prepare=true" -o %t.formed.mlir
// RUN: fuse-run %t.formed.mlir --function grouped --random-inputs 3 --check
// SUMS: is not folded into
// SUMS-NOT: [Passed] folded

!image = tensor<2x4x9x7xf32>
!result = tensor<2x6x5x7xf32>
!channel = tensor<6xf32>
func.func @grouped(%x: !image, %w: tensor<6x2x3x3xf32> {fuse.param}, %b: !channel {fuse.param}, %s: !channel {fuse.param}, %o: !channel {fuse.param}, %m: !channel {fuse.param}, %v: !channel {fuse.param}) -> !result {
  %a = fuse.unary abs %v : !channel
  %0 = fuse.conv2d %x, %w, %b strides = [2, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 2 layout = nchw_fchw : (!image, tensor<6x2x3x3xf32>, !channel) -> !result
  %1 = fuse.batch_norm %0, %s, %o, %m, %a epsilon = 1.000000e-01 feature_dimension = 1 : (!result, !channel, !channel, !channel, !channel) -> !result
  %2 = fuse.unary relu %1 : !result
  return %2 : !result
}

// o − ((conv − m) · s): negated, without a bias before.
func.func @primitives(%x: !image, %w: tensor<6x4x3x3xf32> {fuse.param}, %s: tensor<6x1x1xf32> {fuse.param}, %o: tensor<6x1x1xf32> {fuse.param}, %m: tensor<6x1x1xf32> {fuse.param}) -> !result {
  %0 = fuse.conv2d %x, %w strides = [2, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (!image, tensor<6x4x3x3xf32>) -> !result
  %1 = fuse.binary sub %0, %m : (!result, tensor<6x1x1xf32>) -> !result
  %2 = fuse.binary mul %s, %1 : (tensor<6x1x1xf32>, !result) -> !result
  %3 = fuse.binary sub %o, %2 : (tensor<6x1x1xf32>, !result) -> !result
  return %3 : !result
}

func.func @biased_matmul(%x: tensor<5x16xf32>, %w: tensor<16x6xf32> {fuse.param}, %b: !channel {fuse.param}, %s: !channel {fuse.param}) -> tensor<5x6xf32> {
  %0 = fuse.matmul %x, %w : (tensor<5x16xf32>, tensor<16x6xf32>) -> tensor<5x6xf32>
  %1 = fuse.binary add %b, %0 : (!channel, tensor<5x6xf32>) -> tensor<5x6xf32>
  %2 = fuse.binary mul %1, %s : (tensor<5x6xf32>, !channel) -> tensor<5x6xf32>
  return %2 : tensor<5x6xf32>
}

func.func @short(%x: tensor<2x9x7x4xbf16>, %w: tensor<3x3x4x6xbf16> {fuse.param}, %s: tensor<6xbf16> {fuse.param}, %o: tensor<6xbf16> {fuse.param}) -> tensor<2x9x7x6xbf16> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nhwc_hwcf : (tensor<2x9x7x4xbf16>, tensor<3x3x4x6xbf16>) -> tensor<2x9x7x6xbf16>
  %1 = fuse.binary mul %0, %s : (tensor<2x9x7x6xbf16>, tensor<6xbf16>) -> tensor<2x9x7x6xbf16>
  %2 = fuse.binary add %1, %o : (tensor<2x9x7x6xbf16>, tensor<6xbf16>) -> tensor<2x9x7x6xbf16>
  return %2 : tensor<2x9x7x6xbf16>
}
