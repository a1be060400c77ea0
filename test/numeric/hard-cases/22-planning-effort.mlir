// Case 22: planning does not search over pairs. What is counted is work, not time: merges priced,
// members looked at for that, edges visited; for programs of 1000 and of 8000 ops of five kinds.
// RUN: %python %S/Inputs/check_effort.py layers
// RUN: %python %S/Inputs/check_effort.py members
// RUN: %python %S/Inputs/check_effort.py operands
// RUN: %python %S/Inputs/check_effort.py fan
// RUN: %python %S/Inputs/check_effort.py graph
// RUN: fuse-opt %s --fuse-plan --remarks-filter-analyse=planning-effort -o /dev/null 2>&1 | FileCheck %s

// CHECK: remark: [Analysis] effort {{.*}} Function=f | Remark="4 nodes: {{[0-9]+}} merges priced, {{[0-9]+}} members looked at, {{[0-9]+}} edges visited"
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x : tensor<8xf32>
  %1 = fuse.unary exp %0 : tensor<8xf32>
  %2 = fuse.unary neg %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
