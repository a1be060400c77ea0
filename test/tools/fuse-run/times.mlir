// Each launch of a program has a time of its own, also where two run the same code, and so have
// host ops. The times of all launches together are no longer than a run.

// RUN: fuse-run %s --function f --random-inputs 1 --threads 1 --time 9 --report-json %t.json > %t.txt
// RUN: %python %S/Inputs/check-times.py %t.json %t.txt

// Without runs there are no times.
// RUN: fuse-run %s --function f --report-json - | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{"ms"|least_ms}}

// Of a loop, a launch has the time of one round.
// RUN: fuse-run %s --function loop --random-inputs 1 --time 3 --report-json - | FileCheck %s --check-prefix=LOOP
// LOOP-COUNT-2: "least_ms":

func.func @f(%x: tensor<192x192xf32>, %s: tensor<2x64xf32>, %f: tensor<5x17xf32>) -> (tensor<192x192xf32>, tensor<2x5xf32>) {
  %0 = fuse.matmul %x, %x : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>
  %1 = fuse.matmul %0, %x : (tensor<192x192xf32>, tensor<192x192xf32>) -> tensor<192x192xf32>
  %2 = fuse.log_mel %s, %f : (tensor<2x64xf32>, tensor<5x17xf32>) -> tensor<2x5xf32>
  return %1, %2 : tensor<192x192xf32>, tensor<2x5xf32>
}

func.func @loop(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<64x64xf32> {
    %1 = fuse.matmul %y, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %1 : tensor<64x64xf32>
  }
  %2 = fuse.unary exp %0 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
