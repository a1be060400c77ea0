// RUN: fuse-opt %s --fuse-plan=disable=elementwise-chain --verify-diagnostics

func.func @together(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fuse.unary relu %x {fuse.together = "a"} : tensor<8xf32>
  // expected-error @below {{cannot be in one kernel with the others of "a" (disabled): the pattern elementwise-chain is switched off}}
  %1 = fuse.unary exp %0 {fuse.together = "a"} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
