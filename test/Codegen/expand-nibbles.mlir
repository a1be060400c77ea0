// RUN: fuse-opt %s --fuse-expand-math=permuted-lanes=16 | FileCheck %s
// RUN: fuse-opt %s --fuse-expand-math=permuted-lanes=8 | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s --fuse-expand-math | FileCheck %s --check-prefix=NONE

// NONE-NOT: permvar

// The table of what is left of eight. Nothing reads the and any more.
// CHECK-LABEL: func.func @centered(
// CHECK-SAME:    %[[X:.*]]: vector<16xi32>
// CHECK:         %[[T:.*]] = arith.constant dense<[-8.000000e+00, -7.000000e+00, {{.*}} 6.000000e+00, 7.000000e+00]> : vector<16xf32>
// CHECK-NEXT:    %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"(%[[T]], %[[X]])
// CHECK-NEXT:    return %[[Y]]
func.func @centered(%x: vector<16xi32>) -> vector<16xf32> {
  %mask = arith.constant dense<15> : vector<16xi32>
  %zero = arith.constant dense<8.0> : vector<16xf32>
  %0 = arith.andi %x, %mask : vector<16xi32>
  %1 = arith.uitofp %0 : vector<16xi32> to vector<16xf32>
  %2 = arith.subf %1, %zero : vector<16xf32>
  return %2 : vector<16xf32>
}

// Two bits are the entries 0 to 3 again and again; two registers are read one by one.
// CHECK-LABEL: func.func @two_bits(
// CHECK:         arith.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00, 0.000000e+00,
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.avx512.permvar.sf.512"
// CHECK-NOT:     arith.sitofp
func.func @two_bits(%x: vector<32xi32>, %z: vector<32xf32>) -> vector<32xf32> {
  %mask = arith.constant dense<3> : vector<32xi32>
  %0 = arith.andi %x, %mask : vector<32xi32>
  %1 = arith.sitofp %0 : vector<32xi32> to vector<32xf32>
  %2 = arith.subf %1, %z : vector<32xf32>
  return %2 : vector<32xf32>
}

// Not five bits, other masks, part of a register, or f64.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     permvar
func.func @others(%x: vector<16xi32>, %y: vector<8xi32>) -> (vector<16xf32>, vector<16xf32>, vector<8xf32>, vector<16xf64>) {
  %five = arith.constant dense<31> : vector<16xi32>
  %gap = arith.constant dense<13> : vector<16xi32>
  %mask = arith.constant dense<15> : vector<16xi32>
  %half = arith.constant dense<15> : vector<8xi32>
  %0 = arith.andi %x, %five : vector<16xi32>
  %1 = arith.uitofp %0 : vector<16xi32> to vector<16xf32>
  %2 = arith.andi %x, %gap : vector<16xi32>
  %3 = arith.uitofp %2 : vector<16xi32> to vector<16xf32>
  %4 = arith.andi %y, %half : vector<8xi32>
  %5 = arith.uitofp %4 : vector<8xi32> to vector<8xf32>
  %6 = arith.andi %x, %mask : vector<16xi32>
  %7 = arith.uitofp %6 : vector<16xi32> to vector<16xf64>
  return %1, %3, %5, %7 : vector<16xf32>, vector<16xf32>, vector<8xf32>, vector<16xf64>
}
