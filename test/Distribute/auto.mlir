// The cheapest plan by the target's figures, and what the next ones would take.
// RUN: fuse-opt %s -fuse-distribute='shard=auto=2 explain' 2>&1 | FileCheck %s
// RUN: fuse-opt %s -fuse-distribute='shard=auto=4 explain' 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: fuse-opt %s -fuse-distribute='shard=auto=2 explain memory-bytes=25000000' 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: fuse-opt %s -fuse-distribute='shard=tensor=2 explain' 2>&1 | FileCheck %s --check-prefix=TENSOR

// Ranks that share a memory read half of the weights each, and add up a small result (auto-batch.mlir: those that do not).
// CHECK: remark: chosen: grid 2, {{[0-9.]+}} us ({{[0-9.]+}} computing, {{[0-9.]+}} in 1 collectives), 262144 bytes sent, {{[0-9]+}} bytes of memory for each rank
// CHECK-NEXT: argument 1: {{\[\[}}], [0]]
// CHECK-NEXT: argument 2: {{\[\[}}0], []]
// CHECK-COUNT-3: next: grid {{.*}}; decided by
// CHECK: func.func @mlp(%{{.*}}: tensor<64x1024xf32>{{.*}}, %{{.*}}: tensor<1024x2048xf32>
// CHECK-COUNT-1: fuse.all_reduce
// CHECK-NOT: fuse.all_
// CHECK: return

// FOUR: remark: chosen: grid 4,
// FOUR: func.func @mlp(%{{.*}}: tensor<64x1024xf32>{{.*}}, %{{.*}}: tensor<1024x1024xf32>

// Weights of 33 MB do not fit: each rank has half of them.
// MEMORY: remark: chosen: grid 2, {{.*}} 1 collectives), {{.*}} bytes of memory for each rank
// MEMORY: func.func @mlp(%{{.*}}: tensor<{{(64|32)}}x1024xf32>{{.*}}, %{{.*}}: tensor<1024x2048xf32>{{.*}}, %{{.*}}: tensor<2048x1024xf32>

// TENSOR: remark: chosen: grid 2, {{.*}} 1 collectives)
// TENSOR: func.func @mlp
// TENSOR-COUNT-1: fuse.all_reduce
// TENSOR-NOT: fuse.all_
func.func @mlp(%x: tensor<64x1024xf32>, %w: tensor<1024x4096xf32> {fuse.param}, %v: tensor<4096x1024xf32> {fuse.param}) -> tensor<64x1024xf32> {
  %0 = fuse.matmul %x, %w : (tensor<64x1024xf32>, tensor<1024x4096xf32>) -> tensor<64x4096xf32>
  %1 = fuse.unary relu %0 : tensor<64x4096xf32>
  %2 = fuse.matmul %1, %v : (tensor<64x4096xf32>, tensor<4096x1024xf32>) -> tensor<64x1024xf32>
  return %2 : tensor<64x1024xf32>
}
