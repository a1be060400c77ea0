// A group is judged as a whole by the least gain of the target: 1081.92 ns are enough on metal, where
// each merge alone (540.96 ns) is not; 6163.84 ns are too little on wgpu.
// RUN: sed 's/DEVICE/"metal", gpu, {dispatch_ns = 500.0, memory_bw = 200.0, min_gain_ns = 1000.0}/' %s > %t.metal.mlir
// RUN: fuse-opt %t.metal.mlir --fuse-plan --fuse-form-kernels | FileCheck %s --check-prefix=METAL
// RUN: sed 's/DEVICE/"wgpu", gpu, {dispatch_ns = 3000.0, memory_bw = 100.0, min_gain_ns = 10000.0}/' %s > %t.wgpu.mlir
// RUN: fuse-opt %t.wgpu.mlir --fuse-plan --fuse-form-kernels | FileCheck %s --check-prefix=WGPU
// RUN: fuse-opt %t.wgpu.mlir --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// METAL-LABEL: @chain
// METAL: fuse.kernel
// METAL-NOT: fuse.kernel
// METAL: return
// WGPU-LABEL: @chain
// WGPU-COUNT-3: fuse.kernel
// WGPU: return
// REMARK: [Missed] min-gain {{.*}} Reason="the kernel as a whole would gain less than the 10000 ns that the target asks for", Remark="relu is not fused with sigmoid, would gain 6163.84 ns"
module attributes {fuse.target = #fuse.target<DEVICE>} {
  func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = fuse.unary relu %x : tensor<1024xf32>
    %1 = fuse.unary sigmoid %0 : tensor<1024xf32>
    %2 = fuse.unary exp %1 : tensor<1024xf32>
    return %2 : tensor<1024xf32>
  }
  // The primitives of a composite stay together whatever they gain.
  // WGPU-LABEL: @composite
  // WGPU: fuse.kernel
  // WGPU-NOT: fuse.kernel
  // WGPU: return
  func.func @composite(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = fuse.reduce max %x dimensions = [0] keep_dims {fuse.origin = #fuse.origin<0, "softmax">} : tensor<8xf32> -> tensor<1xf32>
    %1 = fuse.binary sub %x, %0 {fuse.origin = #fuse.origin<0, "softmax">} : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
