// What strategy priority says of each pair of neighbours: what was saved, or the reason, whether it is
// one of legality, price or request, the figures, and what would allow it.
// RUN: fuse-opt %s --fuse-plan --split-input-file --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s
// RUN: %python %S/Inputs/make_wide.py chain 300 | fuse-opt --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEMBERS
// MEMBERS: [Missed] too-many-members {{.*}}Kind=legality, Reason="the kernel would have {{[0-9]+}} ops, {{[0-9]+}} are allowed", Remark="neg is not fused with neg", Suggestion="a smaller group"
// RUN: %python %S/Inputs/make_wide.py fan 1300 | fuse-opt --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=SEARCH
// SEARCH: [Missed] search-limit {{.*}}Kind=legality, Reason="looking for a cycle between them would visit more than 1000 ops", Remark="neg is not fused with add, {{.*}}Suggestion="ops that stand closer together"
// RUN: fuse-opt %s --fuse-plan=disable=elementwise-chain --split-input-file --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=DISABLED
// DISABLED: [Missed] disabled {{.*}}Kind=request, Reason="the pattern elementwise-chain is switched off", {{.*}}Suggestion="the pattern switched on"
// RUN: fuse-opt %s --fuse-plan --split-input-file --mlir-debug-counter=fuse-merge-skip=0,fuse-merge-count=0 --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUEL
// FUEL: [Missed] fuel {{.*}}Kind=request, Reason="the merge of relu with exp was not executed", {{.*}}Suggestion="another limit of --mlir-debug-counter"

func.func private @g(tensor<8xf32>) -> tensor<8xf32>

func.func @kinds(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = fuse.unary relu %x : tensor<8xf32>
  // CHECK: [[#@LINE+1]]:8: remark: [Passed] fused {{.*}} Function=kinds | Remark="fused relu with exp: saves 1 launch and 32 bytes, gains {{[0-9.]+}} ns"
  %1 = fuse.unary exp %0 : tensor<8xf32>
  // CHECK: [Missed] kept-apart {{.*}}Remark="{{[0-9]+}} pairs of neighbours stay in two kernels"
  // CHECK: [[#@LINE+1]]:8: remark: [Missed] host-op {{.*}}Kind=legality, Reason="'host_call @h' runs on the host", Remark="exp is not fused with host_call @h", Suggestion="an equivalent op on the device"
  %2 = fuse.host_call @h(%1) pure : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: [Missed] cycle {{.*}}Kind=legality, Reason="'host_call @h' needs a member and is needed by one", Remark="exp is not fused with add, would gain {{[0-9.]+}} ns", Suggestion="the op between in the same kernel"
  %3 = fuse.binary add %1, %2 : tensor<8xf32>
  // CHECK: [Missed] foreign-op {{.*}}Kind=legality, Reason="'func.call' is an op of another dialect that nobody plans", Remark="add is not fused with func.call", Suggestion="a conversion to the fuse dialect"
  %4 = func.call @g(%3) : (tensor<8xf32>) -> tensor<8xf32>
  %5 = fuse.unary tan %4 : tensor<8xf32>
  // CHECK: [Missed] kept-alone {{.*}}Kind=request, Reason="'sign' is marked fuse.alone", Remark="tan is not fused with sign", Suggestion="the mark removed"
  %6 = fuse.unary sign %5 {fuse.alone} : tensor<8xf32>
  %7 = fuse.unary erf %x : tensor<8xf32>
  // CHECK: [Missed] kept-together {{.*}}Kind=request, Reason="'silu' belongs to a kernel that fuse.together fixes, and fuse.closed keeps others out of it", Remark="erf is not fused with silu", Suggestion="the mark fuse.closed removed"
  %8 = fuse.unary silu %7 {fuse.closed, fuse.together = "t"} : tensor<8xf32>
  %9 = fuse.softmax %x dimension = 0 : tensor<8xf32>
  // CHECK: [Missed] composite {{.*}}Kind=legality, Reason="'softmax' is a composite that was not taken apart", Remark="softmax is not fused with abs", Suggestion="fuse-decompose before planning"
  %10 = fuse.unary abs %9 : tensor<8xf32>
  %11 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %12 = fuse.unary log %a : tensor<8xf32>
    fuse.yield %12 : tensor<8xf32>
  }
  // CHECK: [Missed] already-formed {{.*}}Kind=request, Reason="a kernel is formed already", {{.*}}Suggestion="planning before forming"
  %13 = fuse.unary cos %11 : tensor<8xf32>
  return %6, %8, %10, %13 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @blocks(%y: tensor<128x512xf32>) -> tensor<f32> {
  %0 = fuse.unary exp %y : tensor<128x512xf32>
  // CHECK: [Missed] too-few-blocks {{.*}}Kind=legality, Reason="one kernel would have 1 block where 'exp' has 65536 points, {{[0-9]+}} with all members: 'reduce sum' reduces along what the others would be tiled along", Remark="exp is not fused with reduce sum", Suggestion="at least 16 blocks, or at most 16384 points in all"
  %1 = fuse.reduce sum %0 dimensions = [0, 1] : tensor<128x512xf32> -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @scratch(%y: tensor<16x4194304xf32>) -> tensor<16x4194304xf32> {
  %0 = fuse.unary exp %y : tensor<16x4194304xf32>
  %1 = fuse.reduce sum %0 dimensions = [1] keep_dims : tensor<16x4194304xf32> -> tensor<16x1xf32>
  // CHECK: [Missed] scratch {{.*}}Kind=legality, Reason="a block would need 16777220 bytes of scratch, most of it for 'exp'; 1048576 are near the core", {{.*}}Suggestion="shorter rows, or a target with more memory near the core"
  %2 = fuse.binary div %0, %1 : (tensor<16x4194304xf32>, tensor<16x1xf32>) -> tensor<16x4194304xf32>
  return %2 : tensor<16x4194304xf32>
}

// -----

module attributes {fuse.target = #fuse.target<"small", cpu, {max_operands = 2.0}>} {
  func.func @operands(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = fuse.unary exp %x : tensor<1024xf32>
    // CHECK: [Missed] too-many-operands {{.*}}Kind=legality, Reason="the kernel would have 3 operands and results, 2 are allowed", {{.*}}Suggestion="a smaller group, or a target with a larger max_operands"
    %1 = fuse.binary add %0, %y : tensor<1024xf32>
    return %1 : tensor<1024xf32>
  }
}

// -----

func.func @stores(%x: tensor<1024xf32>, %a: memref<1024xf32>, %b: memref<1024xf32>) {
  %0 = fuse.unary exp %x : tensor<1024xf32>
  fuse.store %0, %a : tensor<1024xf32>, memref<1024xf32>
  // CHECK: [Missed] aliasing-store {{.*}}Kind=legality, Reason="the buffers of two stores may overlap, and one kernel would write them in turns", Remark="exp is not fused with store", Suggestion="one store in each kernel"
  fuse.store %0, %b : tensor<1024xf32>, memref<1024xf32>
  return
}

// -----

func.func @extent(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = fuse.unary exp %x : tensor<?x4xf32>
  %1 = fuse.concat %0, %0 dimension = 1 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
  %2 = fuse.reshape %1 : tensor<?x8xf32> -> tensor<?xf32>
  // CHECK: [Missed] unknown-extent {{.*}}Kind=legality, Reason="'neg' reads another op through a reshape of ?x8 to ?, whose loops do not follow from each other", {{.*}}Suggestion="static extents where the reshape changes them; or arg0:0 known while compiling (would gain {{[0-9]+}} ns at 1024)"
  %3 = fuse.unary neg %2 : tensor<?xf32>
  %4 = fuse.reshape %3 : tensor<?xf32> -> tensor<?x4xf32>
  return %4 : tensor<?x4xf32>
}

// -----

// ((a+b) + (c+d)) + …: each level of a tree holds one value more.
module attributes {fuse.target = #fuse.target<"few", cpu, {registers = 3.0}>} {
  func.func @tree(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>, %d: tensor<64xf32>, %e: tensor<64xf32>, %f: tensor<64xf32>, %g: tensor<64xf32>, %h: tensor<64xf32>) -> tensor<64xf32> {
    %0 = fuse.binary add %a, %b : tensor<64xf32>
    %1 = fuse.binary add %c, %d : tensor<64xf32>
    %2 = fuse.binary add %e, %f : tensor<64xf32>
    %3 = fuse.binary add %g, %h : tensor<64xf32>
    %4 = fuse.binary mul %0, %1 : tensor<64xf32>
    %5 = fuse.binary mul %2, %3 : tensor<64xf32>
    // CHECK: [Missed] registers {{.*}}Kind=legality, Reason="a loop would hold 4 values at once for 'sub', in 3 registers", {{.*}}Suggestion="a smaller expression, or a target with more registers"
    %6 = fuse.binary sub %4, %5 : tensor<64xf32>
    return %6 : tensor<64xf32>
  }
}
