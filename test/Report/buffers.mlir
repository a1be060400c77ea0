// buffers_eliminated of (ops, inputs, outputs): max(0, ops − (inputs + outputs)).
// RUN: fuse-opt %s --fuse-report -o /dev/null | FileCheck %s

// CHECK-LABEL: @three_of_nothing
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 0 1 {{[0-9.-]+}} {{[0-9.-]+}} 2
func.func @three_of_nothing() -> tensor<8xf32> {
  %0 = fuse.kernel () : () -> tensor<8xf32> {
    %1 = fuse.iota dimension = 0 : tensor<8xf32>
    %2 = fuse.unary exp %1 : tensor<8xf32>
    %3 = fuse.unary neg %2 : tensor<8xf32>
    fuse.yield %3 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @three_of_one
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 1 {{[0-9.-]+}} {{[0-9.-]+}} 1
func.func @three_of_one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.kernel (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %1 = fuse.unary relu %a : tensor<8xf32>
    %2 = fuse.unary exp %1 : tensor<8xf32>
    %3 = fuse.unary neg %2 : tensor<8xf32>
    fuse.yield %3 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// Never below 0.
// CHECK-LABEL: @two_of_two
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 2 1 {{[0-9.-]+}} {{[0-9.-]+}} 0
func.func @two_of_two(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.kernel (%a = %x, %b = %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    %1 = fuse.unary relu %a : tensor<8xf32>
    %2 = fuse.binary add %1, %b : tensor<8xf32>
    fuse.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: @one_of_nothing
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 0 1 {{[0-9.-]+}} {{[0-9.-]+}} 0
func.func @one_of_nothing() -> tensor<8xf32> {
  %0 = fuse.kernel () : () -> tensor<8xf32> {
    %1 = fuse.iota dimension = 0 : tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// A value that is given twice is one input.
// CHECK-LABEL: @distinct
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 1
func.func @distinct(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.kernel (%a = %x, %b = %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    %1 = fuse.binary add %a, %b : tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
