// What the report prices, and for which device; code runs on this CPU all the same.
// RUN: fuse-run %s --cost-target metal --report --report-json %t.json --random-inputs 1 --check | FileCheck %s --check-prefix=METAL
// RUN: FileCheck %s --check-prefix=JSON --input-file %t.json
// RUN: fuse-run %s --cost-target=wgpu --strategy chains --report | FileCheck %s --check-prefix=WGPU
// The planner keeps apart what gains less than the device asks for.
// RUN: fuse-run %s --cost-target=wgpu --report | FileCheck %s --check-prefix=APART
// RUN: fuse-run %s --cost-target metal --mode unfused --report | FileCheck %s --check-prefix=UNFUSED
// RUN: fuse-run %s --report --report-json %t.none.json | FileCheck %s --check-prefix=NONE
// RUN: FileCheck %s --check-prefix=NULL --input-file %t.none.json
// The program's own target is priced where no other is named.
// RUN: sed 's/attributes {}/attributes {fuse.target = #fuse.target<"toy", gpu, {dispatch_ns = 1.0}>}/' %s > %t.own.mlir
// RUN: fuse-run %t.own.mlir --report | FileCheck %s --check-prefix=OWN
// RUN: fuse-run %t.own.mlir --report --cost-target metal --random-inputs 1 --check | FileCheck %s --check-prefix=METAL

// Many devices at once are priced as one of them is.
// RUN: fuse-run %s --cost-target cluster:device=metal,nodes=64,ranks=8,network_bw=50 --report | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: score: 1081.920 ns on cluster of 64 metal
// RUN: not fuse-run %s --cost-target cluster:nodes=x --report 2>&1 | FileCheck %s --check-prefix=NODES
// NODES: error: expected cluster:device=NAME,nodes=N,ranks=N and figures of #fuse.target as KEY=NUMBER, found 'nodes=x' in 'cluster:nodes=x'
// RUN: not fuse-run %s --cost-target cluster:device=abacus --report 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: unknown target: expected default, metal, {{.*}}, found 'abacus'

// METAL: after: launches 1,
// METAL-NEXT: counted: launches 1, host calls 0, waits 1, copies 0, readback 4096 bytes
// METAL: score: 1081.920 ns on metal
// JSON: "score_ns": 1081.92{{(0+[0-9])?}},
// WGPU: score: 6163.840 ns on wgpu
// APART: after: launches 3,
// APART: score: 0.000 ns on wgpu
// UNFUSED: score: 0.000 ns on metal
// NONE-NOT: score
// NULL: "score_ns": null,
// OWN: score: 16386.000 ns on toy

// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %python %S/Inputs/refuse.py 2 %t.d/o.npz fuse-run %s --cost-target abacus --outputs %t.d/o.npz | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: fuse-run: error: --cost-target: expected default, metal, wgpu, sm_80, sm_90, sm_90a or gfx942, or a file's name that ends in .json, or cluster:nodes=N, found 'abacus'
// RUN: %python %S/Inputs/refuse.py 2 %t.d/o.npz fuse-run %s --cost-target= | FileCheck %s --check-prefix=EMPTY
// EMPTY: fuse-run: error: --cost-target: expected default, metal, wgpu, sm_80, sm_90, sm_90a or gfx942, or a file's name that ends in .json, or cluster:nodes=N, found ''
// RUN: %python %S/Inputs/refuse.py 2 %t.d/o.npz fuse-run %s --cost-target metal --mode interpret | FileCheck %s --check-prefix=INTERPRET
// INTERPRET: fuse-run: error: --cost-target needs compiled code, which --mode interpret has none of

module attributes {} {
  func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = fuse.unary relu %x : tensor<1024xf32>
    %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
    %2 = fuse.unary exp %1 : tensor<1024xf32>
    return %2 : tensor<1024xf32>
  }
}
