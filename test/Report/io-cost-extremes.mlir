// Counts saturate and prices stay finite.
// RUN: fuse-opt %s --fuse-io-cost=target=metal -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-io-cost="before=@apart after=@none target=wgpu" -o /dev/null | FileCheck %s --check-prefix=SAVED
// RUN: fuse-opt %s --fuse-io-cost="before=@none after=@apart target=wgpu" -o /dev/null | FileCheck %s --check-prefix=SPENT

!huge = tensor<2147483648x1073741824xf64>

// CHECK-LABEL: @apart on metal
// CHECK-NEXT: before: launches 2, syncs 0, readback 9223372036854775807 bytes, traffic 9223372036854775807 bytes
// CHECK: plain: score 0.000 ns: apart
func.func @apart(%x: !huge) -> !huge {
  %0 = fuse.unary relu %x : !huge
  %1 = fuse.unary exp %0 : !huge
  return %1 : !huge
}

// SAVED: saved: launches 2, syncs 0, readback 9223372036854775807 bytes, traffic 9223372036854775807 bytes
// SAVED-NEXT: plain: score 322818021289923{{[0-9.]+}} ns: fuse
// SPENT: saved: launches -2, syncs 0, readback -9223372036854775807 bytes, traffic -9223372036854775807 bytes
// SPENT-NEXT: plain: score -322818021289923{{[0-9.]+}} ns: apart
func.func @none(%x: !huge) -> !huge {
  return %x : !huge
}
