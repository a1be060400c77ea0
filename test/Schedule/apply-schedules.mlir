// Schedules of a file go to the kernels that they were measured for, and to no others.

// The key of a kernel is its content: neither names nor places count.
// RUN: rm -rf %t && mkdir %t
// RUN: fuse-opt %s --fuse-pipeline --fuse-outline-kernels > %t/outlined.mlir
// RUN: fuse-opt %t/outlined.mlir --fuse-apply-schedules=keys -o %t/same.mlir 2> %t/keys.txt
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = [<block, dims = [0], sizes = [24]>], reduction_lanes = 64>" > %t/file.json
// RUN: fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/file.json | FileCheck %s
// CHECK-DAG: func.func private @{{.*}}tensor<96xf32>{{.*}}attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [24]>], reduction_lanes = 64>}
// CHECK-DAG: module @{{.*}} attributes {fuse.tuned = "{{.*}}file.json"}
// Another shape, and a schedule of the program's own.
// CHECK-DAG: func.func private @{{.*}}tensor<97xf32> {bufferization.writable = true}) -> tensor<97xf32> {
// CHECK-DAG: func.func private @{{.*}}tensor<96xf32>{{.*}}attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>]>}

// In the pipeline, and under a class whose code may be other code.
// RUN: fuse-opt %s --fuse-pipeline --fuse-to-llvm=schedules=%t/file.json | FileCheck %s --check-prefix=CODE
// CODE: module @{{.*}}fuse.blocks = 4 : i64{{.*}}fuse.tuned
// RUN: fuse-opt %t/outlined.mlir "--fuse-apply-schedules=file=%t/file.json stream=true" 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: file.json:1:1: warning: schedules '{{.*}}file.json': none of its 1 kernel is in this program as it is planned
// NONE-NOT: fuse.tuned

// Without a file nothing happens.
// RUN: fuse-opt %t/outlined.mlir --fuse-apply-schedules | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: fuse.tuned

func.func @tuned(%x: tensor<96xf32>) -> tensor<96xf32> {
  %0 = fuse.unary relu %x : tensor<96xf32>
  return %0 : tensor<96xf32>
}

func.func @same(%other: tensor<96xf32>) -> tensor<96xf32> {
  %name = fuse.unary relu %other : tensor<96xf32>
  return %name : tensor<96xf32>
}

func.func @shape(%x: tensor<97xf32>) -> tensor<97xf32> {
  %0 = fuse.unary relu %x : tensor<97xf32>
  return %0 : tensor<97xf32>
}

func.func @written(%x: tensor<96xf32>) -> tensor<96xf32> {
  %0 = fuse.kernel (%a = %x) : (tensor<96xf32>) -> tensor<96xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>]>} {
    %1 = fuse.unary relu %a : tensor<96xf32>
    fuse.yield %1 : tensor<96xf32>
  }
  return %0 : tensor<96xf32>
}
