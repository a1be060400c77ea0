// Passes that are run without their predecessors say which they miss.
// RUN: fuse-opt %s --split-input-file --verify-diagnostics --fuse-program-to-llvm
// RUN: not fuse-opt %s --fuse-plan-arena 2>&1 | FileCheck %s --check-prefix=ARENA
// RUN: not fuse-opt %S/Inputs/scalar.mlir --fuse-lower-program 2>&1 | FileCheck %s --check-prefix=SCALAR
// ARENA: error: expected a function of one block without results, as fuse-lower-program makes it
// SCALAR: error: expected ranked tensors as results, found 'f32'

// expected-error @+1 {{expected a function @f.shapes, which fuse-lower-program and fuse-plan-arena make}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
