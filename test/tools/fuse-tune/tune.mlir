// From a search to a program that is compiled with what it found.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/within.py 20 fuse-tune %s -o %t/f.json --time-limit 2 --threads 1 --seed 7 > %t/table.txt
// RUN: FileCheck %s --check-prefix=TABLE --input-file %t/table.txt
// TABLE: launches before us after us ratio tried kernel
// TABLE: one run: {{[0-9.]+}} us of kernels before, {{[0-9.]+}} us after
// TABLE: {{[0-9]+}} schedules tried, 0 of them not to be built, 0 with other results
// TABLE: 1 kernel left out, with a schedule of the program's own
// TABLE: 1 kernel left out, of unknown shapes
// TABLE: written to {{.*}}f.json

// Whatever was found, results are the same.
// RUN: fuse-run %s --function tuned --random-inputs 3 --threads 1 --outputs %t/before.npz
// RUN: fuse-run %s --function tuned --random-inputs 3 --threads 1 --schedules %t/f.json --expect %t/before.npz --check

// A schedule that is known to be there serves fuse-run, its report, and fuse-compile.
// RUN: fuse-opt %s --fuse-pipeline=layouts --fuse-outline-kernels --fuse-apply-schedules="keys stream=true" -o %t/same.mlir 2> %t/keys.txt
// RUN: %python %S/../../Schedule/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [25, 32]>], reduction_lanes = 64>" threads=1 > %t/hand.json
// RUN: fuse-run %s --function tuned --random-inputs 3 --threads 1 --schedules %t/hand.json --check --report --report-json %t/report.json | FileCheck %s --check-prefix=REPORT
// RUN: FileCheck %s --check-prefix=JSON --input-file %t/report.json
// REPORT: blocks schedule
// REPORT-NEXT: kernel 0: {{.*}} tuned {{.*}} exp
// JSON: "schedule": "tuned"
// RUN: fuse-run %s --function tuned --threads 1 --schedules %t/hand.json --dump-after fuse-apply-schedules | FileCheck %s --check-prefix=DUMP
// DUMP: sizes = [25, 32]
// RUN: fuse-compile %s --function tuned --schedules %t/hand.json -o %t/b.so
// RUN: fuse-run %t/b.so --report-json - | FileCheck %s --check-prefix=JSON

// Ctrl-C ends it with what there is.
// RUN: %python %S/Inputs/interrupt.py %t/ended.json fuse-tune %s -o %t/ended.json --time-limit 500 --threads 1 | FileCheck %s --check-prefix=INTERRUPT
// INTERRUPT: one run:
// INTERRUPT: interrupted; {{[01]}} schedule{{s?}} written to

// Measured with other threads: not used, and said so.
// RUN: fuse-run %s --function tuned --random-inputs 3 --threads 2 --schedules %t/hand.json --check --report 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: hand.json:1:1: warning: schedules '{{.*}}hand.json' were measured on another machine and are not used: expected {{.*}}, 2 threads, found any CPU, 1 thread

// What a file has is kept, where it is of this machine.
// RUN: fuse-tune %s --schedules %t/hand.json -o %t/kept.json --time-limit 0.2 --threads 1 --function dynamic
// RUN: FileCheck %s --check-prefix=KEPT --input-file %t/kept.json
// KEPT: "cpu": "{{.+}}"
// KEPT: "threads": 1
// KEPT: sizes = [25, 32]
// RUN: fuse-tune %s --schedules %t/hand.json -o %t/dropped.json --time-limit 0.2 --threads 2 --function dynamic 2>&1 | FileCheck %s --check-prefix=DROPPED
// DROPPED: fuse-tune: warning: '{{.*}}hand.json' was measured on another machine and is not used: expected {{.*}}, 2 threads, found any CPU, 1 thread
// DROPPED: 0 schedules written to

// What a file says is tried first: what is slower than the compiler's schedule is left out, and counted.
// RUN: %python %S/../../Schedule/Inputs/schedule-file.py %t/keys.txt "#fuse.schedule<levels = [<block, dims = [0, 1], sizes = [1, 1]>], reduction_lanes = 64>" threads=1 > %t/slow.json
// RUN: fuse-tune %s --function tuned --schedules %t/slow.json -o %t/rid.json --time-limit 3 --threads 1 | FileCheck %s --check-prefix=SLOW
// RUN: FileCheck %s --check-prefix=RID --input-file %t/rid.json
// SLOW: 1 schedule of --schedules left out, no better than the compiler's
// RID-NOT: sizes = [1, 1]

// A pipe is no file; it would be waited for.
// RUN: mkfifo %t/pipe.json && not fuse-tune %s -o %t/pipe.json --time-limit 1 2>&1 | FileCheck %s --check-prefix=PIPE
// PIPE: fuse-tune: error: '{{.*}}pipe.json': cannot write: expected a regular file

func.func @main(%x: tensor<100x256xf32>, %y: tensor<?xf32>, %z: tensor<96xf32>) -> (tensor<256x100xf32>, tensor<?xf32>, tensor<96xf32>) {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<100x256xf32> -> tensor<256x100xf32>
  %1 = fuse.unary exp %0 : tensor<256x100xf32>
  %2 = fuse.unary exp %y : tensor<?xf32>
  %3 = fuse.kernel (%a = %z) : (tensor<96xf32>) -> tensor<96xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [8]>]>} {
    %4 = fuse.unary relu %a : tensor<96xf32>
    fuse.yield %4 : tensor<96xf32>
  }
  return %1, %2, %3 : tensor<256x100xf32>, tensor<?xf32>, tensor<96xf32>
}

func.func @dynamic(%y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.unary exp %y : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @tuned(%x: tensor<100x256xf32>) -> tensor<256x100xf32> {
  %0 = fuse.transpose %x permutation = [1, 0] : tensor<100x256xf32> -> tensor<256x100xf32>
  %1 = fuse.unary exp %0 : tensor<256x100xf32>
  return %1 : tensor<256x100xf32>
}
