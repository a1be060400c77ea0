// Where one instruction scales a register, what it keeps is compared register by register: masks of longer
// comparisons would be joined, and taken apart again.
// RUN: fuse-opt %s --fuse-expand-math=has-scaling=true --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @exp
// CHECK-SAME: %[[X:.*]]: vector<32xf32>
// CHECK: %[[LOW:.*]] = vector.extract_strided_slice %[[X]] {offsets = [0], sizes = [16]
// CHECK: %[[KEPT:.*]] = arith.cmpf uge, %[[LOW]], %{{.*}} : vector<16xf32>
// CHECK: %[[MASK:.*]] = llvm.bitcast %[[KEPT]] : vector<16xi1> to i16
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"({{.*}}, %[[MASK]], %{{.*}})
// CHECK: %[[HIGH:.*]] = vector.extract_strided_slice %[[X]] {offsets = [16], sizes = [16]
// CHECK: arith.cmpf uge, %[[HIGH]], %{{.*}} : vector<16xf32>
func.func @exp(%x: vector<32xf32>) -> vector<32xf32> {
  %0 = math.exp %x : vector<32xf32>
  return %0 : vector<32xf32>
}
