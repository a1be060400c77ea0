// RUN: fuse-opt %s --convert-fuse-to-linalg --split-input-file --verify-diagnostics

func.func @load(%m: memref<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{'fuse.load' op has no form in linalg on tensors}}
  %0 = fuse.load %m : memref<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  %1 = fuse.unary relu %x : tensor<8xf32>
  // expected-error @below {{'fuse.kernel' op has no form in linalg on tensors}}
  %0 = fuse.kernel (%a = %1) : (tensor<8xf32>) -> tensor<8xf32> {
    %2 = fuse.unary relu %a : tensor<8xf32>
    fuse.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// expected-error @below {{expected one block, found 2}}
func.func @blocks(%x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<8xf32>
}
