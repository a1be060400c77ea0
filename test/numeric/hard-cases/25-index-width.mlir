// Case 25: more than 2^31 elements. The last elements and the last rows' maxima are those of a kernel
// that writes all of them; other kernels read them there.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: rm -rf %t && mkdir -p %t && %python %S/Inputs/make_large.py %t
// RUN: fuse-run %s --input arg0=%t/large.npy --outputs %t/out.npz
// RUN: %python %S/Inputs/make_large.py %t check
// RUN: rm -rf %t

// CHECK: Fusion: 6 → 4 kernels
// CHECK: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 2 {{[0-9. -]+}} add, relu, reduce max{{$}}
!large = tensor<46341x46341xi8>

func.func @large(%x: !large) -> (tensor<2x46341xi8>, tensor<46341xi8>, tensor<10x10xi8>) {
  %c = arith.constant dense<100> : tensor<i8>
  %a = fuse.binary add %x, %c : (!large, tensor<i8>) -> !large
  %r = fuse.unary relu %a : !large
  %m = fuse.reduce max %r dimensions = [1] : !large -> tensor<46341xi8>
  %t = fuse.slice %r offsets = [46339, 0] sizes = [2, 46341] strides = [1, 1] : !large -> tensor<2x46341xi8>
  %s = fuse.slice %r offsets = [0, 0] sizes = [10, 10] strides = [5000, 5000] : !large -> tensor<10x10xi8>
  %u = fuse.unary abs %t {fuse.alone} : tensor<2x46341xi8>
  %v = fuse.unary abs %s {fuse.alone} : tensor<10x10xi8>
  %n = fuse.unary abs %m {fuse.alone} : tensor<46341xi8>
  return %u, %n, %v : tensor<2x46341xi8>, tensor<46341xi8>, tensor<10x10xi8>
}
