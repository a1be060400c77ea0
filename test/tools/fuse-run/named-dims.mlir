// Sizes that differ where names say that they are equal, or what one of them is, are errors that name the dimension.
// RUN: rm -rf %t && mkdir %t && %python %S/Inputs/make_named.py %t
// RUN: fuse-compile %s -o %t/m.so
// RUN: fuse-run %t/m.so --inputs %t/right.npz | FileCheck %s --check-prefix=RIGHT
// RUN: fuse-run %s --inputs %t/right.npz --check | FileCheck %s --check-prefix=RIGHT
// RUN: not fuse-run %t/m.so --inputs %t/batch.npz 2>&1 | FileCheck %s --check-prefix=BATCH
// RUN: not fuse-run %t/m.so --inputs %t/mask.npz 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: not fuse-run %t/m.so --inputs %t/fourth.npz 2>&1 | FileCheck %s --check-prefix=FOURTH
// RUN: fuse-run %s --random-inputs 1 --check | FileCheck %s --check-prefix=DRAWN
// RIGHT: result0: 2x5xf32
// BATCH: dimension 0 (batch) of 'past' is 3, expected 2
// MASK: mask: dimension 0 (past + seq) is 6, expected 5
// FOURTH: image: dimension 0 (4*h) is 6, expected 4
// DRAWN: result0: 13x26xf32
// RUN: fuse-compile %s -o %t/m.so --specialize h=2,seq=1,past=4
// RUN: fuse-run %t/m.so --inputs %t/right.npz | FileCheck %s --check-prefix=RIGHT
// RUN: not fuse-compile %s -o %t/m.so --specialize h=2..4 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: expected one size of 'h', of which a dimension is computed, found 2..4

func.func @main(%ids: tensor<?x?xf32> {fuse.dim_names = ["batch", "seq"], fuse.name = "ids"},
                %past: tensor<?x?xf32> {fuse.dim_names = ["batch", "past"], fuse.name = "past"},
                %mask: tensor<?xf32> {fuse.dim_names = ["past + seq"], fuse.name = "mask"},
                %image: tensor<?xf32> {fuse.dim_names = ["4*h"], fuse.name = "image"}) -> (tensor<?x?xf32>, tensor<?x2xf32>) {
  %0 = fuse.concat %past, %ids dimension = 1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = fuse.binary add %0, %mask : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %2 = fuse.softmax %1 dimension = 1 : tensor<?x?xf32>
  %3 = fuse.reshape %image : tensor<?xf32> -> tensor<?x2xf32>
  %4 = fuse.softmax %3 dimension = 0 : tensor<?x2xf32>
  return %2, %4 : tensor<?x?xf32>, tensor<?x2xf32>
}
