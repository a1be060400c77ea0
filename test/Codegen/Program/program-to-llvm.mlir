// RUN: fuse-opt %s --fuse-pipeline=fusion=false --fuse-to-llvm | FileCheck %s

// The kernels by number, equal ones once; each launch is a call whose failure ends the function.
// CHECK: module attributes {fuse.kernels = ["[[RELU:kernel_[0-9a-f]+]]", "[[EXP:kernel_[0-9a-f]+]]", "[[ADD:kernel_[0-9a-f]+]]"]}
// CHECK-NOT: fuse.launch
// CHECK: @f{{[._]}}body(
// CHECK: %[[STATUS:.*]] = llvm.call @fuse_launch(%[[CONTEXT:[a-z0-9]+]],
// CHECK: %[[BAD:.*]] = llvm.icmp "ne" %[[STATUS]]
// CHECK: llvm.cond_br %[[BAD]], ^[[END:bb[0-9]+]](%[[STATUS]] : i32), ^
// CHECK: llvm.call @fuse_launch(%[[CONTEXT]],
// CHECK: llvm.call @fuse_launch(%[[CONTEXT]],
// CHECK: llvm.call @fuse_launch(%[[CONTEXT]],
// CHECK-NOT: call @fuse_launch
// CHECK: llvm.func @fuse_run_f(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: llvm.call @fuse_expect_equal(
// CHECK: "dimension 0 of 'arg1' is {}, expected {}, as dimension 0 of 'x'\00"
// CHECK: llvm.func @fuse_query_f(
// CHECK: %[[PRODUCT:.*]] = "llvm.intr.smul.with.overflow"(
// CHECK: %[[TOO_LARGE:.*]] = llvm.extractvalue %[[PRODUCT]][1]
// CHECK: llvm.cond_br %[[TOO_LARGE]], ^[[FAIL:bb[0-9]+]]
// CHECK: ^[[FAIL]]
// CHECK: llvm.call @fuse_fail(
// CHECK: llvm.func @fuse_prepare_f(
func.func @f(%x: tensor<?xf32> {fuse.name = "x"}, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.unary relu %x : tensor<?xf32>
  %1 = fuse.unary exp %0 : tensor<?xf32>
  %2 = fuse.unary relu %1 : tensor<?xf32>
  %3 = fuse.binary add %2, %y : tensor<?xf32>
  return %3 : tensor<?xf32>
}
