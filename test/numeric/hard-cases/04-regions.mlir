// Case 4: values that are used inside regions.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline | FileCheck %s --check-prefix=IR
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// Both branches read the value from outside: it is a result of a kernel before the branch, and no
// member of one within.
// CHECK-LABEL: @branches
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 2 {{[0-9. -]+}} abs, {{.*}}
// IR-LABEL: @branches
// IR: fuse.unary abs
// IR: scf.if
// IR-NOT: fuse.unary abs
// IR: return
// expect kernels=3
// with %x = np.arange(5000) - 2500
// with %c = True
// gives result0 = -np.abs(x) - np.abs(x)
func.func @branches(%x: tensor<5000xf32>, %c: tensor<i1>) -> tensor<5000xf32> {
  %a = fuse.unary abs %x : tensor<5000xf32>
  %n = fuse.unary neg %a : tensor<5000xf32>
  %b = tensor.extract %c[] : tensor<i1>
  %r = scf.if %b -> tensor<5000xf32> {
    %s = fuse.binary sub %n, %a : tensor<5000xf32>
    scf.yield %s : tensor<5000xf32>
  } else {
    %s = fuse.binary mul %n, %a : tensor<5000xf32>
    scf.yield %s : tensor<5000xf32>
  }
  return %r : tensor<5000xf32>
}

// The condition depends on the value that the branch changes: what is computed before the branch
// cannot be part of a kernel after it.
// CHECK-LABEL: @condition
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 2 2 {{[0-9. -]+}} abs, reduce max, compare gt{{$}}
// expect kernels=2
// with %x = np.arange(5000) - 2500
// with %t = 10.0
// gives result0 = np.sqrt(np.abs(x))
func.func @condition(%x: tensor<5000xf32>, %t: tensor<f32>) -> tensor<5000xf32> {
  %a = fuse.unary abs %x : tensor<5000xf32>
  %m = fuse.reduce max %a dimensions = [0] : tensor<5000xf32> -> tensor<f32>
  %g = fuse.compare gt %m, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %b = tensor.extract %g[] : tensor<i1>
  %r = scf.if %b -> tensor<5000xf32> {
    %s = fuse.unary sqrt %a : tensor<5000xf32>
    scf.yield %s : tensor<5000xf32>
  } else {
    scf.yield %a : tensor<5000xf32>
  }
  return %r : tensor<5000xf32>
}

// An element is extracted in the body of a loop; the value it comes from stays whole.
// CHECK-LABEL: @extracted
// expect kernels=3
// with %x = np.arange(8) / 4
// gives result0 = np.exp2(np.count_nonzero(x * 2 > 1)) * x
func.func @extracted(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant dense<1.0> : tensor<f32>
  %d = fuse.binary add %x, %x : tensor<8xf32>
  %n = fuse.unary neg %d : tensor<8xf32>
  %g = fuse.compare gt %d, %one : (tensor<8xf32>, tensor<f32>) -> tensor<8xi1>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%y = %n) -> tensor<8xf32> {
    %p = tensor.extract %g[%i] : tensor<8xi1>
    %z = scf.if %p -> tensor<8xf32> {
      %w = fuse.binary add %y, %y : tensor<8xf32>
      scf.yield %w : tensor<8xf32>
    } else {
      scf.yield %y : tensor<8xf32>
    }
    scf.yield %z : tensor<8xf32>
  }
  %h = arith.constant dense<-0.5> : tensor<f32>
  %q = fuse.binary mul %r, %h : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %q : tensor<8xf32>
}

// A value of the loop's body never joins a kernel outside of it, nor the other way round.
// CHECK-LABEL: @carried
// IR-LABEL: @carried
// IR: fuse.kernel
// IR: scf.for
// IR: fuse.kernel
// IR: scf.yield
// IR: fuse.kernel
// IR: return
// expect kernels=3
// with %x = np.arange(8)
// gives result0 = -(2 * x + 3 * 2 * x)
func.func @carried(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %d = fuse.binary add %x, %x : tensor<8xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %d) -> tensor<8xf32> {
    %w = fuse.binary add %y, %d : tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  %n = fuse.unary neg %r : tensor<8xf32>
  return %n : tensor<8xf32>
}
