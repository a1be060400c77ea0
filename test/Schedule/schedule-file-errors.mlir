// What is wrong with a file of schedules: where it is, what was expected and what was found.

// RUN: rm -rf %t && mkdir %t && fuse-opt %s --fuse-pipeline --fuse-outline-kernels > %t/outlined.mlir
// RUN: fuse-opt %t/outlined.mlir --fuse-apply-schedules=keys -o %t/same.mlir 2> %t/keys.txt

// RUN: not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/none.json 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: schedules '{{.*}}none.json': cannot read: No such file or directory
// RUN: mkdir %t/folder.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/folder.json 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: schedules '{{.*}}folder.json': cannot read: expected a regular file
// RUN: echo '{"version": 1, "kernels": [' > %t/short.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/short.json 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: short.json:1:1: error: schedules '{{.*}}short.json': expected JSON, found: [2:0, byte=28]:
// RUN: echo '[]' > %t/array.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/array.json 2>&1 | FileCheck %s --check-prefix=ARRAY
// ARRAY: error: schedules '{{.*}}array.json': expected an object, found []
// RUN: %python -c "print('[' * 100000)" > %t/deep.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/deep.json 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: found more than 64 brackets open at once

// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt x version=2 > %t/f.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error: schedules '{{.*}}f.json': 'version': expected 1, found 2
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt x 'kernels=7' > %t/f.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: 'kernels': expected an array, found 7
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt x 'threads=0' > %t/f.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: 'threads': expected a whole number of at least 1, found 0
// RUN: %python %S/Inputs/schedule-file.py short x > %t/f.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: kernels[0]: 'key': expected 32 hexadecimal digits, found "short"
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = [<block, dims = [0], sizes = [0]>]>" > %t/f.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE: kernels[0]: 'schedule': expected #fuse.schedule<…>, found "#fuse.schedule<levels = [<block, dims = [0], sizes = [0]>]>": {{.+}}
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt "7 : i64" > %t/f.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: kernels[0]: 'schedule': expected #fuse.schedule<…>, found "7 : i64"
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = []>" '.before_ns=-1' > %t/f.json && not fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: kernels[0]: 'before_ns': expected a whole number of at least 0, found -1

// Dims that the kernel does not have are known where it is cut; the file is named then.
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [8, 8]>]>" > %t/dims.json
// RUN: not fuse-opt %s --fuse-pipeline --fuse-to-llvm=schedules=%t/dims.json 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not fuse-run %s --numerics exact --schedules %t/dims.json --random-inputs 1 2>&1 | FileCheck %s --check-prefix=DIMS
// DIMS: schedule-file-errors.mlir:[[#@LINE+15]]:{{.*}} error: the schedule tiles dim 1 of a kernel with 1 shared dims
// DIMS: error: the schedule is that of '{{.*}}dims.json'

// Another machine, and members that the format does not have: warnings.
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = [<block, dims = [0], sizes = [8]>]>" 'cpu="Z80"' > %t/f.json
// RUN: fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: f.json:1:1: warning: schedules '{{.*}}f.json' were measured on another machine and are not used: expected {{.+}}, found Z80
// CPU-NOT: fuse.tuned
// RUN: %python %S/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = [<block, dims = [0], sizes = [8]>]>" 'colour="red"' .shape=1 > %t/f.json
// RUN: fuse-opt %t/outlined.mlir --fuse-apply-schedules=file=%t/f.json 2>&1 | FileCheck %s --check-prefix=MEMBER
// MEMBER: f.json:1:1: warning: expected version, cpu, features, threads, device, kernels, found 'colour', which is not used
// MEMBER: f.json:1:1: warning: kernels[0]: expected key, name, schedule, before_ns, after_ns, rounds, found 'shape', which is not used
// MEMBER: fuse.tuned

func.func @main(%x: tensor<96xf32>) -> tensor<96xf32> {
  %0 = fuse.unary relu %x : tensor<96xf32>
  return %0 : tensor<96xf32>
}
