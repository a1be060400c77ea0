// Targets in files: named by --cost-target for prices, found by itself where this machine has been
// measured, for prices and for code.

// RUN: rm -rf %t && mkdir -p %t/config/fuse %t/home/.config/fuse
// RUN: echo '{"version": 1, "name": "mine", "kind": "cpu", "figures": {"memory_bw": 8, "dispatch_ns": 1000, "flops_per_ns": 32}}' > %t/config/fuse/target.json
// RUN: sed 's/mine/homely/' %t/config/fuse/target.json > %t/home/.config/fuse/target.json
// RUN: sed 's/mine/named/' %t/config/fuse/target.json > %t/named.json
// RUN: sed 's/"kind"/"cpu": "Z80", "kind"/' %t/config/fuse/target.json > %t/other.json
// RUN: sed 's/cpu/gpu/' %t/config/fuse/target.json > %t/gpu.json
// RUN: sed 's/8/-8/' %t/config/fuse/target.json > %t/damaged.json

// Where it is found.
// RUN: env FUSE_TARGET_FILE=%t/named.json XDG_CONFIG_HOME=%t/config fuse-run %s --report | FileCheck %s --check-prefix=NAMED
// RUN: env -u FUSE_TARGET_FILE XDG_CONFIG_HOME=%t/config HOME=%t/home fuse-run %s --report | FileCheck %s --check-prefix=MINE
// RUN: env -u FUSE_TARGET_FILE -u XDG_CONFIG_HOME HOME=%t/home fuse-run %s --report | FileCheck %s --check-prefix=HOMELY
// RUN: env FUSE_TARGET_FILE= XDG_CONFIG_HOME=%t/config HOME=%t/home fuse-run %s --report | FileCheck %s --check-prefix=NONE
// RUN: env -u FUSE_TARGET_FILE XDG_CONFIG_HOME=%t HOME=%t/home fuse-run %s --report | FileCheck %s --check-prefix=NO-FILE
// NAMED: on named
// MINE: on mine
// HOMELY: on homely
// NONE-NOT: score
// Without a file, CPUs with other vectors than the default target's are a target named host.
// NO-FILE: after:
// NO-FILE-NOT: on {{mine|homely|named}}

// It serves code as well; --cost-target serves prices alone and goes first, as the program's own does.
// RUN: env FUSE_TARGET_FILE=%t/named.json fuse-run %s --dump-after fuse-outline-kernels | FileCheck %s --check-prefix=CODE
// CODE: fuse.target = #fuse.target<"named", cpu, {
// RUN: fuse-run %s --cost-target %t/named.json --dump-after fuse-outline-kernels | FileCheck %s --check-prefix=FOREIGN
// FOREIGN-NOT: fuse.target
// RUN: fuse-run %s --cost-target %t/named.json --report | FileCheck %s --check-prefix=NAMED
// RUN: env FUSE_TARGET_FILE=%t/damaged.json fuse-run %s --cost-target metal --report | FileCheck %s --check-prefix=METAL
// METAL: on metal
// RUN: sed 's/attributes {}/attributes {fuse.target = #fuse.target<"toy", gpu, {dispatch_ns = 1.0}>}/' %s > %t/own.mlir
// RUN: env FUSE_TARGET_FILE=%t/damaged.json fuse-run %t/own.mlir --report | FileCheck %s --check-prefix=OWN
// OWN: on toy

// Bundles, plans and prices know files too.
// RUN: env FUSE_TARGET_FILE=%t/named.json fuse-compile %s -o %t/bundle.so
// RUN: fuse-run %t/bundle.so --report-json - | FileCheck %s --check-prefix=JSON
// RUN: fuse-compile %s --cost-target %t/gpu.json -o %t/bundle.so
// RUN: fuse-run %t/bundle.so --report-json - | FileCheck %s --check-prefix=JSON
// JSON: "score_ns": 4048
// RUN: fuse-translate %s --emit plan --cost-target %t/named.json | FileCheck %s --check-prefix=PLAN
// PLAN: fuse.group
// RUN: fuse-opt %s --fuse-pipeline --fuse-io-cost=target=%t/named.json | FileCheck %s --check-prefix=IO
// IO: @main on named

// A file of another CPU is not used; a damaged one is an error that says what to do.
// RUN: env FUSE_TARGET_FILE=%t/other.json fuse-run %s --report 2>%t/other.txt | FileCheck %s --check-prefix=NO-FILE
// RUN: FileCheck %s --check-prefix=OTHER --input-file %t/other.txt
// OTHER: other.json{{.*}} remark: {{.*}}other.json' was measured on another CPU and is not used: expected {{.+}}, found Z80; fuse-calibrate writes this machine's target anew, and FUSE_TARGET_FILE= does without
// RUN: env FUSE_TARGET_FILE=%t/damaged.json %python %S/Inputs/refuse.py 1 %t/o.npz fuse-run %s --random-inputs 1 --outputs %t/o.npz | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: damaged.json{{.*}} error: target file '{{.*}}damaged.json': figure 'memory_bw': expected a number above 0, found -8; fuse-calibrate writes this machine's target anew, and FUSE_TARGET_FILE= does without
// RUN: env FUSE_TARGET_FILE=%t/missing.json %python %S/Inputs/refuse.py 1 %t/o.npz fuse-run %s --random-inputs 1 --outputs %t/o.npz | FileCheck %s --check-prefix=MISSING
// MISSING: error: target file '{{.*}}missing.json': cannot read: No such file or directory
// RUN: env FUSE_TARGET_FILE=%t/gpu.json %python %S/Inputs/refuse.py 1 %t/o.npz fuse-run %s --random-inputs 1 --outputs %t/o.npz | FileCheck %s --check-prefix=GPU
// GPU: gpu.json': 'kind': expected "cpu", found "gpu"
// RUN: %python %S/Inputs/refuse.py 1 %t/o.npz fuse-run %s --cost-target %t/damaged.json --random-inputs 1 --outputs %t/o.npz | FileCheck %s --check-prefix=COST
// COST: damaged.json:1:1: error: target file '{{.*}}damaged.json': figure 'memory_bw': expected a number above 0, found -8

// What is no file would be waited for.
// RUN: rm -f %t.fifo.json && mkfifo %t.fifo.json && not fuse-run %s --random-inputs 1 --cost-target %t.fifo.json 2>&1 | FileCheck %s --check-prefix=FIFO
// FIFO: error: target file '{{.*}}fifo.json': cannot read: expected a regular file

module attributes {} {
  func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = fuse.unary relu %x : tensor<1024xf32>
    %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
    %2 = fuse.unary exp %1 : tensor<1024xf32>
    return %2 : tensor<1024xf32>
  }
}
