// What is measured is a target file with every figure of a CPU, each in a range that no machine leaves.

// RUN: rm -rf %t && mkdir %t
// RUN: env FUSE_TARGET_FILE=%t/new/target.json fuse-calibrate --quick --threads 2 > %t/table.txt
// RUN: FileCheck %s --input-file %t/table.txt
// RUN: %python %S/Inputs/check-target.py %t/new/target.json 2
// CHECK: bytes/ns by working set, with 1 and 2 threads
// CHECK-NEXT: read 1    read 2   write 2
// CHECK-NEXT: 32 KB
// Nothing that decides code.
// CHECK-NOT: nontemporal_bytes
// CHECK: memory_bw {{.*}} measured: row sums of {{.*}} MB, all threads
// CHECK: written to {{.*}}target.json

// It is found, and priced.
// RUN: env FUSE_TARGET_FILE=%t/new/target.json fuse-run %s --random-inputs 1 --check --report --report-json %t/report.json
// RUN: FileCheck %s --check-prefix=JSON --input-file %t/report.json
// JSON: "score_ns": {{[0-9]}}

func.func @main(%x: tensor<256x1024xf32>) -> tensor<256x1024xf32> {
  %0 = fuse.unary exp %x : tensor<256x1024xf32>
  %1 = fuse.unary relu %0 : tensor<256x1024xf32>
  return %1 : tensor<256x1024xf32>
}
