// Tables are read by AVX-512, by AVX2 and element by element: the same bits, near 0 and far from it.
// RUN: fuse-run %s --random-inputs 1 --threads 1 --outputs %t.npz
// RUN: fuse-run %s --random-inputs 1 --threads 1 --cpu x86-64-v3 --expect %t.npz --rtol 0 --atol 0
// RUN: fuse-run %s --random-inputs 1 --threads 1 --cpu x86-64-v2 --expect %t.npz --rtol 0 --atol 0

func.func @main(%x: tensor<37x131xf32>) -> (tensor<37x131xf32>, tensor<37x131xf32>, tensor<37x131xf32>, tensor<37x131xf32>, tensor<f32>) {
  %scale = arith.constant dense<4.0> : tensor<f32>
  %wide = fuse.binary mul %x, %scale : (tensor<37x131xf32>, tensor<f32>) -> tensor<37x131xf32>
  %0 = fuse.unary sigmoid %wide : tensor<37x131xf32>
  %1 = fuse.unary silu %wide : tensor<37x131xf32>
  %2 = fuse.unary gelu %wide : tensor<37x131xf32>
  %3 = fuse.unary gelu %wide approximate = tanh : tensor<37x131xf32>
  %one = arith.constant dense<-1.7> : tensor<f32>
  %4 = fuse.unary gelu %one : tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<37x131xf32>, tensor<37x131xf32>, tensor<37x131xf32>, tensor<37x131xf32>, tensor<f32>
}
