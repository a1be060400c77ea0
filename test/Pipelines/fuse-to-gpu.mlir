// RUN: fuse-opt %s --fuse-pipeline --fuse-to-gpu | FileCheck %s --check-prefixes=CHECK,NVVM
// RUN: fuse-opt %s --fuse-pipeline --fuse-to-gpu=device=rocdl | FileCheck %s --check-prefixes=CHECK,ROCDL
// RUN: not fuse-opt %s --fuse-pipeline --fuse-to-gpu=device=spirv 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: Cannot find option named 'spirv'

// A kernel's module holds what the host asks and, in a gpu.module, what the device runs: two pointers and
// the number of blocks. The program around it launches kernels as it does on the CPU.
// CHECK: module attributes {fuse.kernels = ["[[KERNEL:kernel_[0-9a-f]+]]"]}
// CHECK: module @[[KERNEL]] attributes {fuse.blocks = 16 : i64, fuse.device_params = array<i64: 0, -1, 1, -1, -1, 0>, fuse.scratch_bytes = 0 : i64, fuse.shared_bytes = 0 : i64, fuse.threads = 128 : i64}
// CHECK: gpu.module @device
// NVVM: llvm.func @[[KERNEL]](%{{[^:]*}}: !llvm.ptr {llvm.noalias, llvm.readonly}, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64) attributes {gpu.kernel,
// NVVM-SAME: nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>
// NVVM: nvvm.read.ptx.sreg.ctaid.x
// NVVM: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// NVVM-COUNT-10: nvvm.shfl.sync bfly
// NVVM-NOT: nvvm.shfl.sync
// NVVM: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr
// ROCDL: llvm.func @[[KERNEL]](%{{[^:]*}}: !llvm.ptr {llvm.noalias, llvm.readonly}, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: i64) attributes {gpu.kernel,
// ROCDL-SAME: rocdl.kernel
// ROCDL: rocdl.workgroup.id.x
// ROCDL-COUNT-10: rocdl.ds_bpermute
// CHECK: llvm.func @[[KERNEL]]_count(%{{.*}}: !llvm.ptr) -> i64
// CHECK: llvm.func @fuse_run_softmax(
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = fuse.softmax %x dimension = 1 : tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}
