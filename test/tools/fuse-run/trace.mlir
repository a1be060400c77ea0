// A trace has compilation, runs and what is launched in them, in a form that viewers read.

// RUN: fuse-run %s --random-inputs 1 --threads 1 --time 3 --report-json %t.report --trace %t.json
// RUN: %python %S/Inputs/check-trace.py %t.json 4 %t.report
// RUN: fuse-run %s --random-inputs 1 --trace %t.one
// RUN: %python %S/Inputs/check-trace.py %t.one 1

// Interpreted programs and bundles have no launches to show.
// RUN: not fuse-run %s --mode interpret --random-inputs 1 --trace %t.no 2>&1 | FileCheck %s --check-prefix=INTERPRET
// INTERPRET: --trace needs compiled code
// RUN: not fuse-run bundle.so --trace %t.no 2>&1 | FileCheck %s --check-prefix=BUNDLE
// BUNDLE: --trace needs a program, which the bundle 'bundle.so' no longer has
// RUN: not fuse-run %s --random-inputs 1 --report-json %t.no --trace %t.no 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: --report-json and --trace: expected two files, found '{{.*}}.no' for both

func.func @f(%x: tensor<96x96xf32>, %s: tensor<2x64xf32>, %f: tensor<5x17xf32>) -> (tensor<96x96xf32>, tensor<2x5xf32>) {
  %0 = fuse.matmul %x, %x : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
  %1 = fuse.matmul %0, %x : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
  %2 = fuse.log_mel %s, %f : (tensor<2x64xf32>, tensor<5x17xf32>) -> tensor<2x5xf32>
  return %1, %2 : tensor<96x96xf32>, tensor<2x5xf32>
}
