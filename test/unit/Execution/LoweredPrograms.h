//===- LoweredPrograms.h - Lowered programs written by hand -------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_UNIT_EXECUTION_LOWEREDPROGRAMS_H
#define FUSE_TEST_UNIT_EXECUTION_LOWEREDPROGRAMS_H

#include <string>

namespace mlir::fuse::test {

/// A kernel y[i] = op(x[i]) over rank-1 f32 arrays, one block per element.
inline std::string makeKernel(const std::string &name, const std::string &op,
                              const std::string &attributes = "fuse.scratch_bytes = 100 : i64") {
  return "module @" + name + " attributes {" + attributes + R"mlir(} {
    llvm.func @expf(f32) -> f32
    llvm.func @)mlir" + name + R"mlir((%args: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr) {
      %one = llvm.mlir.constant(1 : i64) : i64
      %x = llvm.load %args : !llvm.ptr -> !llvm.ptr
      %slot = llvm.getelementptr %args[32] : (!llvm.ptr) -> !llvm.ptr, i8
      %y = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      llvm.br ^head(%begin : i64)
    ^head(%i: i64):
      %more = llvm.icmp "slt" %i, %end : i64
      llvm.cond_br %more, ^body, ^exit
    ^body:
      %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %from : !llvm.ptr -> f32
      )mlir" + op + R"mlir(
      %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %w, %to : f32, !llvm.ptr
      %next = llvm.add %i, %one : i64
      llvm.br ^head(%next : i64)
    ^exit:
      llvm.return
    }
    llvm.func @)mlir" + name + R"mlir(_count(%args: !llvm.ptr) -> i64 {
      %slot = llvm.getelementptr %args[8] : (!llvm.ptr) -> !llvm.ptr, i8
      %sizes = llvm.load %slot : !llvm.ptr -> !llvm.ptr
      %n = llvm.load %sizes : !llvm.ptr -> i64
      llvm.return %n : i64
    }
  })mlir";
}

inline const char *const kDouble = "%w = llvm.fadd %v, %v : f32";
inline const char *const kExp = "%w = llvm.call @expf(%v) : (f32) -> f32";

/// What the function looked like before it was lowered: y = second(first(x)), of any length.
inline const char *const kChainSource = R"mlir(
  func.func @f(%x: tensor<?xf32> {fuse.name = "x"}) -> (tensor<?xf32> {fuse.name = "y"}) {
    return %x : tensor<?xf32>
  })mlir";

/// Kernel `first` from x to the arena, kernel `second` from there to y.
inline std::string makeChain(const std::string &first, const std::string &second,
                             const std::string &kernels) {
  return "module attributes {fuse.kernels = [\"" + first + "\", \"" + second + "\"]} {\n" + kernels +
         R"mlir(
  llvm.func @fuse_launch(!llvm.ptr, i64, !llvm.ptr, i64) -> i32
  llvm.func @fuse_expect_equal(!llvm.ptr, !llvm.ptr, i64, i64) -> i32
  llvm.mlir.global private constant @what("expected {} to be no more than {}\00")

  // Refuses more than 1000 elements, as a check of dynamic dimensions would.
  llvm.func @fuse_query_f(%ctx: !llvm.ptr, %ins: !llvm.ptr, %outs: !llvm.ptr, %bytes: !llvm.ptr) -> i32 {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i64) : i64
    %four = llvm.mlir.constant(4 : i64) : i64
    %most = llvm.mlir.constant(1000 : i64) : i64
    %s0 = llvm.getelementptr %ins[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %sizes = llvm.load %s0 : !llvm.ptr -> !llvm.ptr
    %n = llvm.load %sizes : !llvm.ptr -> i64
    %toomany = llvm.icmp "sgt" %n, %most : i64
    llvm.cond_br %toomany, ^fail, ^ok
  ^fail:
    %what = llvm.mlir.addressof @what : !llvm.ptr
    %status = llvm.call @fuse_expect_equal(%ctx, %what, %n, %most) : (!llvm.ptr, !llvm.ptr, i64, i64) -> i32
    llvm.return %status : i32
  ^ok:
    %s1 = llvm.getelementptr %outs[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %osizes = llvm.load %s1 : !llvm.ptr -> !llvm.ptr
    llvm.store %n, %osizes : i64, !llvm.ptr
    %s2 = llvm.getelementptr %outs[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %ostrides = llvm.load %s2 : !llvm.ptr -> !llvm.ptr
    llvm.store %one, %ostrides : i64, !llvm.ptr
    %b = llvm.mul %n, %four : i64
    llvm.store %b, %bytes : i64, !llvm.ptr
    llvm.return %zero : i32
  }
  llvm.func @fuse_prepare_f(%ctx: !llvm.ptr, %params: !llvm.ptr, %prepared: !llvm.ptr) -> i32 {
    %zero = llvm.mlir.constant(0 : i32) : i32
    llvm.return %zero : i32
  }
  llvm.func @fuse_run_f(%ctx: !llvm.ptr, %ins: !llvm.ptr, %outs: !llvm.ptr, %arena: !llvm.ptr) -> i32 {
    %two = llvm.mlir.constant(2 : i64) : i64
    %k0 = llvm.mlir.constant(0 : i64) : i64
    %k1 = llvm.mlir.constant(1 : i64) : i64
    %count = llvm.mlir.constant(8 : i64) : i64
    %args = llvm.alloca %count x i64 : (i64) -> !llvm.ptr
    %second = llvm.getelementptr %args[32] : (!llvm.ptr) -> !llvm.ptr, i8
    %x = llvm.load %ins : !llvm.ptr -> !llvm.struct<(ptr, ptr, ptr, i64)>
    %y = llvm.load %outs : !llvm.ptr -> !llvm.struct<(ptr, ptr, ptr, i64)>
    %t = llvm.insertvalue %arena, %x[0] : !llvm.struct<(ptr, ptr, ptr, i64)>
    llvm.store %x, %args : !llvm.struct<(ptr, ptr, ptr, i64)>, !llvm.ptr
    llvm.store %t, %second : !llvm.struct<(ptr, ptr, ptr, i64)>, !llvm.ptr
    %s = llvm.call @fuse_launch(%ctx, %k0, %args, %two) : (!llvm.ptr, i64, !llvm.ptr, i64) -> i32
    llvm.store %t, %args : !llvm.struct<(ptr, ptr, ptr, i64)>, !llvm.ptr
    llvm.store %y, %second : !llvm.struct<(ptr, ptr, ptr, i64)>, !llvm.ptr
    %s2 = llvm.call @fuse_launch(%ctx, %k1, %args, %two) : (!llvm.ptr, i64, !llvm.ptr, i64) -> i32
    %status = llvm.or %s, %s2 : i32
    llvm.return %status : i32
  }
})mlir";
}

} // namespace mlir::fuse::test

#endif // FUSE_TEST_UNIT_EXECUTION_LOWEREDPROGRAMS_H
