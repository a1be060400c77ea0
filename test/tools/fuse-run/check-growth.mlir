// An output beyond the tolerance is nobody's fault where each kernel is right on the operands that it
// was given: --check then says so and succeeds. A kernel that is wrong on its own operands is named.

// The difference of two sums of the same terms is nothing but their rounding.
// RUN: fuse-run %s --function noise --no-fusion --random-inputs 3 --check | FileCheck %s --check-prefix=GROWS
// RUN: fuse-run %s --function noise --no-fusion --random-inputs 3 --check --locate | FileCheck %s --check-prefixes=LOCATES,GROWS
// LOCATES: locate: kernel {{[0-9]}} '{{.*}}' {{.*}} is the first to differ from the interpreter: {{.*}}; on the operands that it was given it agrees: small differences of earlier kernels have grown
// GROWS: check: against the interpreter: output 'result0': {{[1-8]}} of 8 elements are beyond the tolerance; each kernel is right on the operands it was given; the errors grow along the network: in parts of the root mean square at most {{[0-9.e-]+}} in one kernel, {{[0-9.e-]+}}, {{[0-9.e-]+}}, {{[0-9.e-]+}}, {{[0-9.e-]+}} by the end of each quarter of them

// With no tolerance at all a kernel that sums in another order is wrong by itself.
// RUN: not fuse-run %s --function noise --no-fusion --random-inputs 3 --check --rtol 0 --atol 0 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: check-growth.mlir:[[#@LINE+12]]:{{[0-9]+}}: error: against the interpreter: output 'result0': {{[1-8]}} of 8 elements are beyond the tolerance; kernel 1 'reduce_sum' ({{.*}}) is the first to differ from the interpreter: result 0 of type tensor<8xf32>: {{.*}}; so it does on the operands that it was given

// What is not looked at excuses nothing.
// RUN: not fuse-run %s --function loop --no-fusion --random-inputs 3 --check --rtol 0 --atol 0 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: error: {{.*}}against the interpreter: output 'result0': {{[1-8]}} of 8 elements are beyond the tolerance{{$}}


!rows = tensor<8x4096xf32>
func.func @noise(%x: !rows, %v: tensor<4096x1xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
  %k = arith.constant dense<1.0e+03> : tensor<8xf32>
  %t = fuse.reshape %v : tensor<4096x1xf32> -> tensor<4096xf32>
  %0 = fuse.binary mul %x, %t : (!rows, tensor<4096xf32>) -> !rows
  %1 = fuse.reduce sum %0 dimensions = [1] : !rows -> tensor<8xf32>
  %2 = fuse.matmul %x, %v : (!rows, tensor<4096x1xf32>) -> tensor<8x1xf32>
  %3 = fuse.reshape %2 : tensor<8x1xf32> -> tensor<8xf32>
  %4 = fuse.binary sub %1, %3 : tensor<8xf32>
  %5 = fuse.binary mul %4, %k : tensor<8xf32>
  return %5 : tensor<8xf32>
}

func.func @loop(%x: !rows) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> !rows {
    %1 = fuse.unary neg %y : !rows
    scf.yield %1 : !rows
  }
  %2 = fuse.reduce sum %0 dimensions = [1] : !rows -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
