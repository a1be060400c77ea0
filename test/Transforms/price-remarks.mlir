// What strategy priority says of merges that do not pay: the figures, and what would allow them.
// RUN: fuse-opt %s --fuse-plan --split-input-file --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s

module attributes {fuse.target = #fuse.target<"slow", gpu, {min_gain_ns = 1.0e+06}>} {
  func.func @gain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = fuse.unary exp %x : tensor<1024xf32>
    // CHECK: [Missed] kept-apart {{.*}}Remark="1 pair of neighbours stays in two kernels"
    // CHECK: [Missed] min-gain {{.*}}Kind=price, Reason="the kernel as a whole would gain less than the 1000000 ns that the target asks for", Remark="exp is not fused with neg, would gain {{[0-9.]+}} ns", Suggestion="larger values, or a target with a smaller min_gain_ns"
    %1 = fuse.unary neg %0 : tensor<1024xf32>
    return %1 : tensor<1024xf32>
  }
}

// -----

// Tiles of few rows, whose operand does not stay near the core.
func.func @rows(%x: tensor<64x768xf32>, %w: tensor<768x768xf32>) -> (tensor<64x768xf32>, tensor<64x1xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<64x768xf32>, tensor<768x768xf32>) -> tensor<64x768xf32>
  // CHECK: [Missed] rereading {{.*}}Kind=price, Reason="35389440 bytes would be read again, {{[0-9]+}} ns more than is saved", Remark="matmul(64x768x768) is not fused with reduce sum, would gain {{[0-9.]+}} ns", Suggestion="operands that fit a cache, or larger tiles"
  %1 = fuse.reduce sum %0 dimensions = [1] keep_dims : tensor<64x768xf32> -> tensor<64x1xf32>
  return %0, %1 : tensor<64x768xf32>, tensor<64x1xf32>
}

// -----

func.func @again(%a: tensor<16x4096xf32>, %b: tensor<4096x16xf32>, %z: tensor<16x65536xf32>) -> tensor<16x65536xf32> {
  %0 = fuse.matmul %a, %b : (tensor<16x4096xf32>, tensor<4096x16xf32>) -> tensor<16x16xf32>
  // CHECK: [Missed] recomputation {{.*}}Kind=price, Reason="{{[0-9]+}} operations would be repeated, {{[0-9]+}} ns more than is saved", {{.*}}Suggestion="a smaller member, or a result that several kernels read"
  %1 = fuse.matmul %0, %z : (tensor<16x16xf32>, tensor<16x65536xf32>) -> tensor<16x65536xf32>
  return %1 : tensor<16x65536xf32>
}

// -----

// Sixteen blocks of 64 rows have four rows each, half of what a load of the weights could serve.
func.func @few_rows(%x: tensor<64x128xf32>, %w: tensor<128x512xf32>, %v: tensor<512x16xf32>) -> tensor<64x16xf32> {
  %0 = fuse.matmul %x, %w : (tensor<64x128xf32>, tensor<128x512xf32>) -> tensor<64x512xf32>
  // CHECK: [Missed] rereading {{.*}}Function=few_rows {{.*}}Kind=price, Reason="blocks of few rows or columns would cost products as much as {{[0-9]+}} operations, for what they load serves few, {{[0-9]+}} ns more than is saved"
  %1 = fuse.matmul %0, %v : (tensor<64x512xf32>, tensor<512x16xf32>) -> tensor<64x16xf32>
  return %1 : tensor<64x16xf32>
}

// -----

// A kernel that folds rows before it goes over them loads them first: little is computed meanwhile.
module attributes {fuse.target = #fuse.target<"busy", cpu, {dispatch_ns = 0.0, memory_bw = 100.0, flops_per_ns = 10.0}>} {
  func.func @overlap(%x: tensor<4096x256xf32>) -> tensor<4096x256xf32> {
    %0 = fuse.reduce max %x dimensions = [1] keep_dims : tensor<4096x256xf32> -> tensor<4096x1xf32>
    // CHECK: [Missed] overlap {{.*}}Kind=price, Reason="loading and computing would wait for each other, {{[0-9]+}} ns more than is saved", {{.*}}Suggestion="members that go over a row at once"
    %1 = fuse.binary sub %x, %0 : (tensor<4096x256xf32>, tensor<4096x1xf32>) -> tensor<4096x256xf32>
    return %1 : tensor<4096x256xf32>
  }
}
