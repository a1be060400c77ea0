// A product is priced at the rate of the instructions that its code has.
// RUN: fuse-run %s --function short --target cuda --report | FileCheck %s --check-prefix SHORT
// RUN: fuse-run %s --function short --target cuda --report --numerics exact | FileCheck %s --check-prefix FMA
// RUN: fuse-run %s --function single --target cuda --report | FileCheck %s --check-prefix FMA
// RUN: fuse-run %s --function single --target cuda --report --numerics reduced-precision | FileCheck %s --check-prefix TF32
// RUN: fuse-run %s --function narrow --target cuda --report | FileCheck %s --check-prefix NARROW
// RUN: fuse-run %s --function narrow --target cuda --report --numerics exact | FileCheck %s --check-prefix ORDERED
// RUN: fuse-run %s --function short --target cuda --dump-after ptx | FileCheck %s --check-prefix MMA
// RUN: fuse-run %s --function narrow --target cuda --dump-after ptx | FileCheck %s --check-prefix NO-MMA
// RUN: fuse-run %s --function short --target rocm --report | FileCheck %s --check-prefix AMD
// RUN: fuse-run %s --function single --target rocm --report --numerics reduced-precision | FileCheck %s --check-prefix AMD

// SHORT: kernel 0: contraction 0.32
// FMA: kernel 0: contraction 2.23
// TF32: kernel 0: contraction 0.71
// NARROW: kernel 0: contraction 0.0289
// Sums that keep their order are not shared by the lanes of a subgroup.
// ORDERED: kernel 0: contraction 0.0322
// MMA: mma.sync
// NO-MMA-NOT: mma.sync
// AMD: kernel 0: contraction 0.50

func.func @short(%a: tensor<1024x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<1024x4096xf16> {
  %0 = fuse.matmul %a, %b : (tensor<1024x4096xf16>, tensor<4096x4096xf16>) -> tensor<1024x4096xf16>
  return %0 : tensor<1024x4096xf16>
}

func.func @single(%a: tensor<1024x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<1024x4096xf32> {
  %0 = fuse.matmul %a, %b : (tensor<1024x4096xf32>, tensor<4096x4096xf32>) -> tensor<1024x4096xf32>
  return %0 : tensor<1024x4096xf32>
}

// Four columns are too few for tensor cores.
func.func @narrow(%a: tensor<4096x4096xf16>, %b: tensor<4096x4xf16>) -> tensor<4096x4xf16> {
  %0 = fuse.matmul %a, %b : (tensor<4096x4096xf16>, tensor<4096x4xf16>) -> tensor<4096x4xf16>
  return %0 : tensor<4096x4xf16>
}
