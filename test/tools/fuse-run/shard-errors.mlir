// A program that is divided needs as many processes; what cannot be divided is refused before arrays are read.
// RUN: not fuse-run %s --random-inputs 1 --shard tensor=2 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: the program is for a grid of 2: expected a job of 2 ranks (mpirun -n 2), found 1
// RUN: not fuse-run %s --random-inputs 1 --shard data=3 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: error: data=3: expected an argument that is no parameter and whose leading dimension divides into 3 equal parts, found none
// RUN: not fuse-run %s --random-inputs 1 --shard tensor=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: --shard: expected 'tensor=N,data=M', one of them, or 'auto=N', found 'tensor=0'

func.func @main(%x: tensor<8x16xf32> {fuse.name = "x"}, %w: tensor<16x12xf32> {fuse.name = "w", fuse.param}) -> (tensor<8x12xf32> {fuse.name = "y"}) {
  %0 = fuse.matmul %x, %w : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}
