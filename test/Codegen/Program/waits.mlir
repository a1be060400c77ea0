// The host fetches the operands of a host op and waits once before it, and once more before it returns what a kernel computed.

// RUN: fuse-opt %s --split-input-file --fuse-pipeline --fuse-to-llvm | grep -E 'llvm.func|call @fuse_(launch|host_call|fetch|wait|read_back|copy)' | FileCheck %s

// All three kinds; between them kernels; the host op with most operands waits once, too.
// CHECK-LABEL: @three{{[._]}}body(
// CHECK: call @fuse_launch(
// CHECK-NEXT: call @fuse_fetch(%[[CONTEXT:[a-z0-9]+]],
// CHECK-NEXT: call @fuse_wait(%[[CONTEXT]])
// CHECK-NEXT: call @fuse_host_call(%[[CONTEXT]],
// CHECK-NEXT: call @fuse_launch(
// CHECK-NEXT: call @fuse_fetch(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: call @fuse_host_call(
// CHECK-NEXT: call @fuse_fetch(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: call @fuse_host_call(
// CHECK-NEXT: llvm.func @fuse_run_three(
// CHECK: call @fuse_read_back(%[[CONTEXT:[a-z0-9]+]],
// CHECK-NEXT: call @fuse_read_back(%[[CONTEXT]],
// CHECK-NEXT: call @fuse_read_back(%[[CONTEXT]],
// CHECK-NEXT: call @fuse_wait(%[[CONTEXT]])
// CHECK-NEXT: llvm.func @fuse_query_three(
func.func @three(%s: tensor<8x32xf32>, %w: tensor<5x9xf32>) -> (tensor<8x5xf32>, tensor<4x6xf32>, tensor<4xf32>) {
  %0 = fuse.unary neg %s : tensor<8x32xf32>
  %1 = fuse.log_mel %0, %w : (tensor<8x32xf32>, tensor<5x9xf32>) -> tensor<8x5xf32>
  %2 = fuse.unary exp %1 : tensor<8x5xf32>
  %3 = fuse.welch_peaks %0 k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
  %4 = fuse.host_call @join(%0, %2, %3) pure : (tensor<8x32xf32>, tensor<8x5xf32>, tensor<4x6xf32>) -> tensor<4xf32>
  return %2, %3, %4 : tensor<8x5xf32>, tensor<4x6xf32>, tensor<4xf32>
}

// -----

// The host op comes last: what is returned is already the host's.
// CHECK-LABEL: @last{{[._]}}body(
// CHECK: call @fuse_launch(
// CHECK-NEXT: call @fuse_fetch(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: call @fuse_host_call(
// CHECK-NEXT: llvm.func @fuse_run_last(
// CHECK: call @fuse_read_back(
// CHECK-NEXT: llvm.func @fuse_query_last(
func.func @last(%s: tensor<8x32xf32>) -> tensor<4x6xf32> {
  %0 = fuse.unary neg %s : tensor<8x32xf32>
  %1 = fuse.welch_peaks %0 k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// The host op comes first; its wait is part of the profile, though there is nothing to wait for yet.
// CHECK-LABEL: @first{{[._]}}body(
// CHECK: call @fuse_fetch(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: call @fuse_host_call(
// CHECK-NEXT: call @fuse_launch(
// CHECK-NEXT: llvm.func @fuse_run_first(
// CHECK: call @fuse_read_back(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: llvm.func @fuse_query_first(
func.func @first(%s: tensor<8x32xf32>) -> tensor<4x6xf32> {
  %0 = fuse.welch_peaks %s k = 3 n_segments = 2 : tensor<8x32xf32> -> tensor<4x6xf32>
  %1 = fuse.unary exp %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// Two in a row.
// CHECK-LABEL: @row{{[._]}}body(
// CHECK: call @fuse_fetch(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: call @fuse_host_call(
// CHECK-NEXT: call @fuse_fetch(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: call @fuse_host_call(
// CHECK-NEXT: call @fuse_launch(
// CHECK-NEXT: llvm.func @fuse_run_row(
// CHECK: call @fuse_read_back(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: llvm.func @fuse_query_row(
func.func @row(%s: tensor<8x32xf32>, %w: tensor<5x9xf32>) -> tensor<8x32xf32> {
  %0 = fuse.log_mel %s, %w : (tensor<8x32xf32>, tensor<5x9xf32>) -> tensor<8x5xf32>
  %1 = fuse.log_mel_backward %s, %w, %0 : (tensor<8x32xf32>, tensor<5x9xf32>, tensor<8x5xf32>) -> tensor<8x32xf32>
  %2 = fuse.unary tanh %1 : tensor<8x32xf32>
  return %2 : tensor<8x32xf32>
}

// -----

// No host op. A value that is returned twice is read back once, through a view as well; arguments and
// constants are the caller's, or known.
// CHECK-LABEL: @none{{[._]}}body(
// CHECK-NOT: call @fuse_wait(
// CHECK: llvm.func @fuse_run_none(
// CHECK: call @fuse_read_back(
// CHECK-NEXT: call @fuse_wait(
// CHECK-NEXT: llvm.func @fuse_query_none(
func.func @none(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = fuse.unary exp %x : tensor<8xf32>
  return %x, %0, %0, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>
}

// -----

// Nothing is returned.
// CHECK-LABEL: @stores{{[._]}}body(
// CHECK: call @fuse_launch(
// CHECK-NOT: call @fuse_wait(
// CHECK-NOT: call @fuse_read_back(
// CHECK-LABEL: llvm.func @fuse_query_stores(
func.func @stores(%x: tensor<8xf32>, %y: memref<8xf32>) {
  %0 = fuse.unary exp %x : tensor<8xf32>
  fuse.store %0, %y : tensor<8xf32>, memref<8xf32>
  return
}
