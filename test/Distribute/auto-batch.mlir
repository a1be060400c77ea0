// Ranks with a memory of their own each cut the batch, and send nothing.
// RUN: fuse-opt %s -fuse-distribute='shard=auto=2 explain' 2>&1 | FileCheck %s

// CHECK: remark: chosen: grid 2, {{[0-9.]+}} us ({{[0-9.]+}} computing, 0.0 in 0 collectives), 0 bytes sent, {{[0-9]+}} bytes of memory for each rank
// CHECK-NEXT: argument 0: {{\[\[}}0], []]
// CHECK-COUNT-3: next: grid {{.*}}; decided by
// CHECK: func.func @mlp(%{{.*}}: tensor<2048x1024xf32>
// CHECK-NOT: fuse.all_
// CHECK: return
module attributes {fuse.target = #fuse.target<"device", gpu, {memory_bw = 3000.0, flops_per_ns = 60.0, matmul_flops_per_ns = 400.0, max_threads = 132.0, collective_beta_bw = 450.0}>} {
  func.func @mlp(%x: tensor<4096x1024xf32>, %w: tensor<1024x4096xf32> {fuse.param}, %v: tensor<4096x1024xf32> {fuse.param}) -> tensor<4096x1024xf32> {
    %0 = fuse.matmul %x, %w : (tensor<4096x1024xf32>, tensor<1024x4096xf32>) -> tensor<4096x4096xf32>
    %1 = fuse.unary relu %0 : tensor<4096x4096xf32>
    %2 = fuse.matmul %1, %v : (tensor<4096x4096xf32>, tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
    return %2 : tensor<4096x1024xf32>
  }
}
