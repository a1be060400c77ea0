// Variants that are chosen by price: sizes of 1 where that makes other kernels, and nothing where it does not.
// RUN: fuse-opt %s --split-input-file --fuse-pipeline="specialize=auto numerics=folds" | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-pipeline="specialize=auto numerics=folds fusion=false" | FileCheck %s --check-prefix=UNFUSED
// RUN: fuse-opt %s --split-input-file --fuse-specialize="sizes=auto planning={numerics=folds strategy=priority}" | FileCheck %s --check-prefix=PASS
// RUN: not fuse-opt %s --fuse-specialize="sizes=auto planning=no" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: error: expected options of fuse-pipeline, found 'no'

// The rows of each sequence are multiplied by themselves, for heads are apart in the result. Of one word each, the rows of
// all sequences are. (The batch is planned for several.)
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:  fuse.variants = [@heads_seq_1]
// CHECK:       func.func @heads_seq_1(%{{.*}}: tensor<?x1x768xf32> {fuse.dim_hints = array<i64: 8, -1, -1>
// UNFUSED-LABEL: func.func @heads(
// PASS-LABEL:  func.func @heads(
// PASS-SAME:   fuse.variants = [@heads_seq_1]
func.func @heads(%x: tensor<?x?x768xf32> {fuse.dim_names = ["batch", "seq", ""], fuse.dim_hints = array<i64: 1, 128, -1>},
                 %w: tensor<768x3072xf32> {fuse.param}, %v: tensor<768x3072xf32> {fuse.param}) -> (tensor<?x48x?x64xf32>, tensor<?x48x?x64xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<?x?x768xf32>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32>
  %1 = fuse.reshape %0 : tensor<?x?x3072xf32> -> tensor<?x?x48x64xf32>
  %2 = fuse.transpose %1 permutation = [0, 2, 1, 3] : tensor<?x?x48x64xf32> -> tensor<?x48x?x64xf32>
  %3 = fuse.matmul %x, %v : (tensor<?x?x768xf32>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32>
  %4 = fuse.reshape %3 : tensor<?x?x3072xf32> -> tensor<?x?x48x64xf32>
  %5 = fuse.transpose %4 permutation = [0, 2, 1, 3] : tensor<?x?x48x64xf32> -> tensor<?x48x?x64xf32>
  return %2, %5 : tensor<?x48x?x64xf32>, tensor<?x48x?x64xf32>
}

// -----

// An element-wise function is the same for any size.
// CHECK-LABEL: func.func @same(
// CHECK-NOT:   fuse.variants
// PASS-LABEL:  func.func @same(
// PASS-NOT:    fuse.variants
func.func @same(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fuse.unary exp %x : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// One that cannot have a size of 1 has no such variant, and that is no error.
// PASS-LABEL:  func.func @pairs(
// CHECK-LABEL: func.func @pairs(
// CHECK-NOT:   fuse.variants
func.func @pairs(%x: tensor<?x8xf32>) -> tensor<?x2x8xf32> {
  %0 = fuse.reshape %x : tensor<?x8xf32> -> tensor<?x2x8xf32>
  return %0 : tensor<?x2x8xf32>
}

// -----

// Sizes that it cannot have do not keep it from those that it can.
// CHECK-LABEL: func.func @some(
// CHECK-SAME:  fuse.variants = [@some_seq_1]
func.func @some(%y: tensor<?x8xf32> {fuse.dim_names = ["rows", ""]},
                %x: tensor<?x?x768xf32> {fuse.dim_names = ["batch", "seq", ""], fuse.dim_hints = array<i64: 1, 128, -1>},
                %w: tensor<768x3072xf32> {fuse.param}, %v: tensor<768x3072xf32> {fuse.param}) -> (tensor<?x2x8xf32>, tensor<?x48x?x64xf32>, tensor<?x48x?x64xf32>) {
  %y2 = fuse.reshape %y : tensor<?x8xf32> -> tensor<?x2x8xf32>
  %0 = fuse.matmul %x, %w : (tensor<?x?x768xf32>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32>
  %1 = fuse.reshape %0 : tensor<?x?x3072xf32> -> tensor<?x?x48x64xf32>
  %2 = fuse.transpose %1 permutation = [0, 2, 1, 3] : tensor<?x?x48x64xf32> -> tensor<?x48x?x64xf32>
  %3 = fuse.matmul %x, %v : (tensor<?x?x768xf32>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32>
  %4 = fuse.reshape %3 : tensor<?x?x3072xf32> -> tensor<?x?x48x64xf32>
  %5 = fuse.transpose %4 permutation = [0, 2, 1, 3] : tensor<?x?x48x64xf32> -> tensor<?x48x?x64xf32>
  return %y2, %2, %5 : tensor<?x2x8xf32>, tensor<?x48x?x64xf32>, tensor<?x48x?x64xf32>
}

// -----

// What must hold of sizes leaves none of them as 1: the sequence has 2 words or more, and the rows of the other argument are 16
// times the batch.
// CHECK-LABEL: func.func @conditions(
// CHECK-NOT:   fuse.variants
// PASS-LABEL:  func.func @conditions(
// PASS-NOT:    fuse.variants
func.func @conditions(%x: tensor<?x?x768xf32> {fuse.dim_names = ["batch", "seq", ""], fuse.dim_hints = array<i64: 1, 128, -1>},
                      %y: tensor<?x768xf32> {fuse.dim_hints = array<i64: 16, -1>},
                      %w: tensor<768x3072xf32> {fuse.param}, %v: tensor<768x3072xf32> {fuse.param}) -> (tensor<?x48x?x64xf32>, tensor<?x48x?x64xf32>, tensor<?x768xf32>)
    attributes {shape_conditions = [{dims = array<i64: 0, 1>, least, map = affine_map<()[s0] -> (s0, 2)>, text = "{} words, expected {}"},
                                    {dims = array<i64: 1, 0, 0, 0>, map = affine_map<()[s0, s1] -> (s0, s1 * 16)>, text = "{} rows, expected {}"}]} {
  %0 = fuse.matmul %x, %w : (tensor<?x?x768xf32>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32>
  %1 = fuse.reshape %0 : tensor<?x?x3072xf32> -> tensor<?x?x48x64xf32>
  %2 = fuse.transpose %1 permutation = [0, 2, 1, 3] : tensor<?x?x48x64xf32> -> tensor<?x48x?x64xf32>
  %3 = fuse.matmul %x, %v : (tensor<?x?x768xf32>, tensor<768x3072xf32>) -> tensor<?x?x3072xf32>
  %4 = fuse.reshape %3 : tensor<?x?x3072xf32> -> tensor<?x?x48x64xf32>
  %5 = fuse.transpose %4 permutation = [0, 2, 1, 3] : tensor<?x?x48x64xf32> -> tensor<?x48x?x64xf32>
  %6 = fuse.unary exp %y : tensor<?x768xf32>
  return %2, %5, %6 : tensor<?x48x?x64xf32>, tensor<?x48x?x64xf32>, tensor<?x768xf32>
}
