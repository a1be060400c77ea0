// --locate names the first kernel whose results are not the interpreter's. With no tolerance at all
// that is the first one that sums in another order; those before it are exact.

// RUN: not fuse-run %s --function f --no-fusion --random-inputs 3 --check --locate --rtol 0 --atol 0 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: locate.mlir:[[#@LINE+16]]:{{[0-9]+}}: error: kernel 1 'reduce_sum' ({{.*}}) is the first to differ from the interpreter: result 0 of type tensor<8xf32>: {{[1-8]}} of 8 elements are beyond rtol 0, atol 0; largest error {{.+}} at [{{[0-7]}}], expected {{.+}}, found {{.+}}; so it does on the operands that it was given

// All agree, and it says what it has not looked at.
// RUN: fuse-run %s --function f --random-inputs 3 --check --locate | FileCheck %s --check-prefix=AGREE
// AGREE: locate: {{[1-4]}} kernel{{s?}} agree{{s?}} with the interpreter{{$}}
// RUN: fuse-run %s --function loop --random-inputs 3 --check --locate | FileCheck %s --check-prefix=LOOP
// LOOP: locate: 1 kernel agrees with the interpreter; not looked at inside control flow: 1{{$}}
// RUN: fuse-run %s --function buffer --random-inputs 3 --check --locate | FileCheck %s --check-prefix=BUFFER
// BUFFER: locate: 0 kernels agree with the interpreter; not looked at, since only buffers are written: 1{{$}}
// RUN: fuse-run %s --function open --random-inputs 3 --check --locate --no-fusion | FileCheck %s --check-prefix=OPEN
// OPEN: locate: 3 kernels agree with the interpreter{{$}}
// RUN: not fuse-run %s --function f --random-inputs 3 --locate 2>&1 | FileCheck %s --check-prefix=CHECK
// CHECK: --locate needs --check

func.func @f(%x: tensor<8x4096xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary neg %x : tensor<8x4096xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] : tensor<8x4096xf32> -> tensor<8xf32>
  %2 = fuse.unary abs %1 : tensor<8xf32>
  %3 = fuse.unary relu %1 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

func.func @loop(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<64x64xf32> {
    %1 = fuse.unary neg %y : tensor<64x64xf32>
    scf.yield %1 : tensor<64x64xf32>
  }
  %2 = fuse.unary abs %0 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

func.func @buffer(%x: tensor<64xf32>, %m: memref<64xf32>) {
  fuse.store %x, %m : tensor<64xf32>, memref<64xf32>
  return
}

func.func @open(%x: tensor<?x4xf32>, %i: tensor<?xi32>) -> (tensor<?x4xf32>, tensor<?xi32>) {
  %0 = fuse.unary exp %x : tensor<?x4xf32>
  %1 = fuse.unary tanh %0 : tensor<?x4xf32>
  %2 = fuse.unary neg %i : tensor<?xi32>
  return %1, %2 : tensor<?x4xf32>, tensor<?xi32>
}
