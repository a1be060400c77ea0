// One launch per kernel: the calls of the runtime in the lowered program are as many as the
// kernels that the report counts, fused and unfused.
// RUN: fuse-opt %fuse_source/examples/digits/digits.mlir --fuse-pipeline --fuse-report -o /dev/null > %t
// RUN: fuse-opt %fuse_source/examples/digits/digits.mlir --fuse-pipeline --fuse-to-llvm | grep -c "call @fuse_launch(" >> %t
// RUN: FileCheck %s < %t
// RUN: fuse-opt %fuse_source/examples/digits/digits.mlir --fuse-pipeline=fusion=false --fuse-report -o /dev/null > %t
// RUN: fuse-opt %fuse_source/examples/digits/digits.mlir --fuse-pipeline=fusion=false --fuse-to-llvm | grep -c "call @fuse_launch(" >> %t
// RUN: FileCheck %s < %t

// CHECK: Fusion: 21 → [[#KERNELS:]] kernels
// CHECK: {{^}}[[#KERNELS]]{{$}}
