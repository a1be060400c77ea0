// Results that are stored past the caches, and rows of the next block that are fetched ahead, change nothing: rows that
// begin at a cache line and rows that do not (their first elements are stored alone), and what is left behind whole vectors.
// RUN: fuse-run %s --function even --random-inputs 1 --check
// RUN: fuse-run %s --function odd --random-inputs 1 --check
// RUN: fuse-run %s --function chain --random-inputs 1 --check
// RUN: fuse-run %s --function even --random-inputs 1 --dump-after fuse-vectorize-kernels | FileCheck %s --check-prefix=EVEN
// RUN: fuse-run %s --function odd --random-inputs 1 --dump-after fuse-vectorize-kernels | FileCheck %s --check-prefix=ODD
// RUN: fuse-run %s --function shared --random-inputs 1 --check
// RUN: fuse-run %s --function shared --random-inputs 1 --dump-after fuse-vectorize-kernels | FileCheck %s --check-prefix=SHARED
// RUN: %python -c "import numpy; numpy.save(r'%t.npy', numpy.random.default_rng(0).normal(size=(77, 203)).astype('f4'))"
// RUN: fuse-run %s --function unknown --input arg0=%t.npy --check
// RUN: fuse-run %s --function unknown --input arg0=%t.npy --dump-after fuse-vectorize-kernels | FileCheck %s --check-prefix=UNKNOWN
module attributes {fuse.target = #fuse.target<"past", cpu, {nontemporal_bytes = 1.0}>} {

// EVEN: memref.prefetch
// EVEN: nontemporal = true
// EVEN: llvm.fence seq_cst
func.func @even(%x: tensor<200x320xf32>) -> tensor<200x320xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<200x320xf32>
  return %0 : tensor<200x320xf32>
}

// The last tile of rows is smaller than the others.
// ODD: affine.min
// ODD: memref.prefetch
func.func @odd(%x: tensor<211x333xf32>) -> tensor<211x333xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<211x333xf32>
  return %0 : tensor<211x333xf32>
}

func.func @chain(%x: tensor<201x333xf32>) -> tensor<201x333xf32> {
  %0 = fuse.unary sigmoid %x : tensor<201x333xf32>
  %1 = fuse.unary exp %0 : tensor<201x333xf32>
  return %1 : tensor<201x333xf32>
}

// How large the operands are is asked when the kernel runs; rows begin anywhere.
// UNKNOWN: arith.cmpi uge
// UNKNOWN: nontemporal = true
// UNKNOWN: vector.maskedstore
func.func @unknown(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<?x?xf32>
  %1 = fuse.unary sigmoid %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// What another member reads stays near.
// SHARED-NOT: nontemporal = true{{.*}}200x320
func.func @shared(%x: tensor<200x320xf32>) -> (tensor<200x320xf32>, tensor<200xf32>) {
  %0 = fuse.unary exp %x : tensor<200x320xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<200x320xf32> -> tensor<200xf32>
  return %0, %1 : tensor<200x320xf32>, tensor<200xf32>
}
}
