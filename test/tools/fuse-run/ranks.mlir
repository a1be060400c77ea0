// A program for two processes is planned, priced and explained in one.

// RUN: rm -rf %t && mkdir %t
// RUN: fuse-run %s --report --report-json %t/report.json --graph %t/graph.html | FileCheck %s
// CHECK: before: launches 4, syncs 1, {{.*}}, sent to other processes 384 bytes
// CHECK: after: launches 3, syncs 1, {{.*}}, sent to other processes 384 bytes
// CHECK: ranks: 1x2, collectives 1, sent by all 768 bytes, predicted ms 0.00{{[0-9]+}}
// CHECK: kernel 1: host
// CHECK-NEXT: all_reduce(sum, 2 ranks)

// RUN: FileCheck %s --check-prefix=JSON --input-file %t/report.json
// JSON-DAG: "grid": [
// JSON-DAG: "collective_bytes": 384
// RUN: FileCheck %s --check-prefix=PAGE --input-file %t/graph.html
// PAGE: "grid":[1,2]

// RUN: fuse-run %s --report --explain 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: all_reduce(sum, 2 ranks): each process sends 384 bytes, in {{[0-9.]+}} us

// Run by one process it says how many there must be, whether or not there is MPI.
// RUN: not env FUSE_MPI=/nowhere/libmpi.so fuse-run %s --random-inputs 1 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: FUSE_MPI: /nowhere/libmpi.so: cannot open shared object file

// RUN: not fuse-run %s --random-inputs 1 --mode interpret 2>&1 | FileCheck %s --check-prefix=INTERPRET
// INTERPRET: error: {{.*(expected a job of 2 ranks|expected a library of MPI)}}

func.func @main(%x: tensor<8x16xf32>,
                %w: tensor<16x16xf32> {fuse.param, fuse.sharding = #fuse.sharding<grid = [1, 2], dims = [[], [1]]>},
                %v: tensor<16x12xf32> {fuse.param, fuse.sharding = #fuse.sharding<grid = [1, 2], dims = [[1], []]>}) -> tensor<8x12xf32> {
  %0 = fuse.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = fuse.matmul %0, %v : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  %2 = fuse.all_reduce sum %1 in <grid = [1, 2], axes = [1]> : tensor<8x12xf32>
  %3 = fuse.unary tanh %2 : tensor<8x12xf32>
  return %3 : tensor<8x12xf32>
}
