// A pattern that is switched off is formed by no strategy; off as a whole, the module stays as it is.
// RUN: fuse-opt %s --fuse-decompose -o %t.decomposed
// RUN: fuse-opt %t.decomposed --fuse-plan --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: fuse-opt %t.decomposed --fuse-plan=disable=conv-bn-relu --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s --check-prefix=CONV --implicit-check-not=Remark=conv-bn-relu
// RUN: fuse-opt %t.decomposed --fuse-plan=disable=matmul-add-activation --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s --check-prefix=MATMUL --implicit-check-not=Remark=matmul-add
// RUN: fuse-opt %t.decomposed --fuse-plan=disable=elementwise-chain --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHAIN --implicit-check-not=Remark=elementwise-chain
// RUN: fuse-opt %t.decomposed --fuse-plan=disable=attention --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s --check-prefix=ATTENTION --implicit-check-not=Remark=attention
// RUN: fuse-opt %t.decomposed --fuse-plan=disable=layernorm-linear --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s --check-prefix=LINEAR --implicit-check-not=Remark=layernorm-linear
// Chains and composites, whatever the strategy.
// RUN: fuse-opt %t.decomposed '--fuse-plan=strategy=chains disable=elementwise-chain,attention' --fuse-form-kernels --fuse-label --remarks-filter-analyse=fuse-label -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=Remark=elementwise-chain --implicit-check-not=Remark=attention
// RUN: fuse-opt %t.decomposed > %t.before
// RUN: fuse-opt %t.decomposed --fuse-plan=enable=false | diff %t.before -
// RUN: fuse-opt %s > %t.before
// RUN: fuse-opt %s --fuse-plan=enable=false | diff %t.before -

// ALL: Remark=conv-bn-relu
// ALL: Remark=matmul-add-activation
// ALL: Remark=elementwise-chain
// ALL: Remark=attention
// ALL: Remark=layernorm-linear
// CONV: Remark=matmul-add-activation
// CONV: Remark=attention
// MATMUL: Remark=conv-bn-relu
// MATMUL: Remark=attention
// CHAIN: Remark=conv-bn-relu
// CHAIN: Remark=layernorm-linear
// ATTENTION: Remark=conv-bn-relu
// ATTENTION: Remark=layernorm-linear
// LINEAR: Remark=conv-bn-relu
// LINEAR: Remark=attention
// OFF: Remark=contraction

!image = tensor<1x64x8x8xf32>
!channel = tensor<64xf32>
func.func @conv(%x: !image, %w: tensor<64x64x3x3xf32>, %v: !channel) -> !image {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [1, 1, 1, 1] groups = 1 layout = nchw_fchw : (!image, tensor<64x64x3x3xf32>) -> !image
  %1 = fuse.batch_norm %0, %v, %v, %v, %v epsilon = 1.000000e-05 feature_dimension = 1 : (!image, !channel, !channel, !channel, !channel) -> !image
  %2 = fuse.unary relu %1 : !image
  return %2 : !image
}
func.func @matmul(%x: tensor<128x256xf32>, %w: tensor<256x512xf32>, %b: tensor<512xf32>) -> tensor<128x512xf32> {
  %0 = fuse.matmul %x, %w : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %1 = fuse.binary add %0, %b : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %2 = fuse.unary gelu %1 approximate = none : tensor<128x512xf32>
  return %2 : tensor<128x512xf32>
}
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary exp %0 : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
func.func @attention(%q: tensor<12x64x64xf32>, %k: tensor<12x64x64xf32>) -> tensor<12x64x64xf32> {
  %0 = fuse.attention %q, %k, %k scale = 1.250000e-01 : (tensor<12x64x64xf32>, tensor<12x64x64xf32>, tensor<12x64x64xf32>) -> tensor<12x64x64xf32>
  return %0 : tensor<12x64x64xf32>
}
func.func @linear(%x: tensor<128x64xf32>, %w: tensor<64x64xf32>, %g: tensor<64xf32>) -> tensor<128x64xf32> {
  %0 = fuse.layer_norm %x, %g, %g dimensions = [1] epsilon = 1.000000e-05 : (tensor<128x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<128x64xf32>
  %1 = fuse.matmul %0, %w : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  return %1 : tensor<128x64xf32>
}
