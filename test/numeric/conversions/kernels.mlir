// Programs of linalg and of TOSA are planned as those of the dialect are.
// RUN: fuse-run %s --function mlp --random-inputs 1 --report --check | FileCheck %s --check-prefix=MLP
// RUN: fuse-run %s --function tosa --random-inputs 1 --report --check | FileCheck %s --check-prefix=TOSA
// RUN: not fuse-run %s --function mixed --random-inputs 1 --check 2>&1 | FileCheck %s --check-prefix=CHECKED
// RUN: fuse-run %s --function mixed --random-inputs 1 --report-json %t.json && FileCheck %s --input-file %t.json --check-prefix=MIXED

// MLP: Fusion: 3 → 1 kernels
// MLP: matmul-add-activation {{[0-9.[:space:]-]+}}matmul(128x256x512), add, max
// MLP: result0: largest error
// TOSA: Fusion: 3 → 1 kernels
// TOSA: conv2d(8 channels, 3x3), clamp, add
// TOSA: result0: largest error

func.func @mlp(%x: tensor<128x256xf32>, %w: tensor<256x512xf32>, %b: tensor<512xf32>) -> tensor<128x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x512xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<128x256xf32>, tensor<256x512xf32>) outs(%f : tensor<128x512xf32>) -> tensor<128x512xf32>
  %bb = linalg.broadcast ins(%b : tensor<512xf32>) outs(%e : tensor<128x512xf32>) dimensions = [0]
  %1 = linalg.add ins(%0, %bb : tensor<128x512xf32>, tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<128x512xf32>
  return %2 : tensor<128x512xf32>
}
func.func @tosa(%x: tensor<1x16x16x8xf32>, %w: tensor<8x3x3x8xf32>, %b: tensor<8xf32>) -> tensor<1x16x16x8xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x16x16x8xf32>, tensor<8x3x3x8xf32>, tensor<8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x16x8xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x16x16x8xf32>) -> tensor<1x16x16x8xf32>
  %2 = tosa.add %1, %x : (tensor<1x16x16x8xf32>, tensor<1x16x16x8xf32>) -> tensor<1x16x16x8xf32>
  return %2 : tensor<1x16x16x8xf32>
}

// The interpreter has no reverse; the kernels around it are two.
// CHECKED: cannot be interpreted
// MIXED-DAG: "fused_kernels": 2
// MIXED-DAG: "unknown_ops": {{[1-9]}}
func.func @mixed(%x: tensor<5x7xf32>) -> tensor<5x1xf32> {
  %0 = tosa.exp %x : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = tosa.reverse %0 {axis = 1 : i32} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %2 = tosa.add %0, %1 : (tensor<5x7xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  %3 = tosa.reduce_sum %2 {axis = 1 : i32} : (tensor<5x7xf32>) -> tensor<5x1xf32>
  return %3 : tensor<5x1xf32>
}
