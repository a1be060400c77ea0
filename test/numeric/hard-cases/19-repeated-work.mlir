// Case 19: 120 ops whose result is read by a broadcast, a product and a window are computed once for
// each of their own elements, not for each element of the reader: what is counted is how often blocks
// evaluate them.
// RUN: %python %S/Inputs/make_programs.py repeated > %t.mlir
// RUN: fuse-opt %t.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %t.mlir --fuse-plan --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: fuse-run %t.mlir --function columns --random-inputs 1 --dump-after fuse-merge-members | FileCheck %s --check-prefix=COLUMNS
// RUN: fuse-run %t.mlir --function rows --random-inputs 1 --dump-after fuse-merge-members | FileCheck %s --check-prefix=ROWS
// RUN: %python %S/../kernels/Inputs/check_kernels.py %t.mlir

// Every block holds all rows of its columns: 500 evaluations of the chain, each a loop of its own.
// CHECK-LABEL: @columns
// CHECK-NEXT: Fusion: 121 → 1 kernels
// COLUMNS: fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [2000, {{[0-9]+}}]>]
// COLUMNS: linalg.generic {{.*}} iterator_types = ["parallel"]}
// COLUMNS-COUNT-120: math.sin
// COLUMNS: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// COLUMNS-NOT: math.sin
// COLUMNS: return

// Every block holds whole rows: 2000 evaluations.
// CHECK-LABEL: @rows
// CHECK-NEXT: Fusion: 121 → 1 kernels
// ROWS: fuse.schedule = #fuse.schedule<levels = [<block, dims = [0{{(, 1)?}}], sizes = [{{[0-9]+(, 500)?}}]>]
// ROWS: linalg.generic {{.*}} iterator_types = ["parallel"]}
// ROWS-COUNT-120: math.sin
// ROWS: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// ROWS-NOT: math.sin
// ROWS: return

// A row of the product needs all of the chain's row, and a block cannot have all columns for nothing.
// CHECK-LABEL: @product
// CHECK-NEXT: Fusion: 121 → 2 kernels
// CHECK: kernel 1: {{[a-z-]+ [0-9.-]+}} 2 1 {{[0-9. -]+}} matmul(200x300x4000){{$}}
// WHY: [Missed] {{recomputation|rereading}} {{.*}} Function=product {{.*}} more than is saved

// Windows overlap, so that neighboring blocks need the same elements.
// CHECK-LABEL: @window
// CHECK-NEXT: Fusion: 121 → 2 kernels
// CHECK: kernel 1: {{[a-z-]+ [0-9.-]+}} 2 1 {{[0-9. -]+}} conv2d(16 channels, 3x3){{$}}
// WHY: [Missed] {{.*}} Function=window
