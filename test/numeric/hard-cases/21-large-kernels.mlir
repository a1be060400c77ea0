// Case 21: kernels have limits. Operands and members are counted, temporaries of a block fit the
// memory near a core (the scratch of each kernel is checked when it runs).
// RUN: rm -rf %t && split-file %s %t

// No kernel of a target with at most 16 operands has more: 100 inputs in rounds of 15.
// RUN: %python %S/Inputs/make_programs.py operands 100 >> %t/operands.mlir && echo "}" >> %t/operands.mlir
// RUN: fuse-opt %t/operands.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=OPERANDS
// RUN: fuse-opt %t/operands.mlir --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPERANDS-WHY
// RUN: %python %S/../kernels/Inputs/check_kernels.py %t/operands.mlir
// OPERANDS: Fusion: 100 → {{[0-9]}} kernels
// OPERANDS-NOT: kernel {{[0-9]+( × [0-9]+)?: [a-z-]+ [0-9.]+ (1[6-9]|[2-9][0-9]) }}
// OPERANDS: kernel {{[0-9]+( × [0-9]+)?: [a-z-]+ [0-9.]+}} 15 1 
// OPERANDS-NOT: kernel {{[0-9]+( × [0-9]+)?: [a-z-]+ [0-9.]+ (1[6-9]|[2-9][0-9]) }}
// OPERANDS-WHY: [Missed] too-many-operands {{.*}} Reason="the kernel would have {{[0-9]+}} operands and results, 16 are allowed"

// 600 ops in a row are five kernels.
// RUN: %python %S/Inputs/make_programs.py members 600 > %t/members.mlir
// RUN: fuse-opt %t/members.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=MEMBERS
// RUN: fuse-opt %t/members.mlir --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=MEMBERS-WHY
// RUN: %python %S/../kernels/Inputs/check_kernels.py %t/members.mlir
// MEMBERS: Fusion: 600 → 5 kernels
// MEMBERS-WHY: [Missed] too-many-members {{.*}} Reason="the kernel would have {{[0-9]+}} ops, 128 are allowed"

// A row of exponentials is twice as large as what is near a core; a quarter of it stays there.
// RUN: fuse-opt %t/rows.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=ROWS
// RUN: fuse-opt %t/rows.mlir --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=ROWS-WHY
// RUN: %python %S/../kernels/Inputs/check_kernels.py %t/rows.mlir
// ROWS-LABEL: @long
// ROWS: kernel 0
// ROWS-LABEL: @short
// ROWS-NEXT: Fusion: 4 → 1 kernels
// ROWS-WHY: [Missed] scratch {{.*}} Function=long {{.*}} bytes of scratch, {{.*}}1048576 are near the core"

//--- operands.mlir
module attributes {fuse.target = #fuse.target<"small", cpu, {dispatch_ns = 1000.0, memory_bw = 16.0, max_operands = 16.0}>} {
//--- rows.mlir
// expect kernels<=4
func.func @long(%x: tensor<16x524288xf32>, %g: tensor<524288xf32>) -> tensor<16x524288xf32> {
  %e = fuse.unary exp %x : tensor<16x524288xf32>
  %s = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<16x524288xf32> -> tensor<16x1xf32>
  %d = fuse.binary div %e, %s : (tensor<16x524288xf32>, tensor<16x1xf32>) -> tensor<16x524288xf32>
  %r = fuse.binary mul %d, %g : (tensor<16x524288xf32>, tensor<524288xf32>) -> tensor<16x524288xf32>
  return %r : tensor<16x524288xf32>
}
// expect kernels=1 blocks>=16
func.func @short(%x: tensor<16x131072xf32>, %g: tensor<131072xf32>) -> tensor<16x131072xf32> {
  %e = fuse.unary exp %x : tensor<16x131072xf32>
  %s = fuse.reduce sum %e dimensions = [1] keep_dims : tensor<16x131072xf32> -> tensor<16x1xf32>
  %d = fuse.binary div %e, %s : (tensor<16x131072xf32>, tensor<16x1xf32>) -> tensor<16x131072xf32>
  %r = fuse.binary mul %d, %g : (tensor<16x131072xf32>, tensor<131072xf32>) -> tensor<16x131072xf32>
  return %r : tensor<16x131072xf32>
}
