// The text: columns under their heads, kernels by cost, reasons by gain.
// RUN: fuse-opt %s --fuse-decompose --fuse-plan --fuse-form-kernels --fuse-report -o /dev/null | FileCheck %s --strict-whitespace --match-full-lines
// RUN: fuse-run %s --function sizes --random-inputs 1 --time 2 --report | FileCheck %s --check-prefix=TIMED

//      CHECK:@sizes
// CHECK-NEXT:Fusion: 3 → 2 kernels (33% reduction), 1024.0KB memory saved
// CHECK-NEXT:  before: launches 3, syncs 0, readback 1064960 bytes, traffic 4227072 bytes
// CHECK-NEXT:  after: launches 2, syncs 0, readback 1064960 bytes, traffic 2129920 bytes
// CHECK-NEXT:                                predicted           traffic   saved  buffers  values
// CHECK-NEXT:  kernel     label                     ms  in  out       KB      KB    saved  elided  ops
// CHECK-NEXT:  kernel 1:  elementwise-chain     {{0\.[0-9]+}}   1    1   2048.0  1024.0        0       1  exp, tanh
// CHECK-NEXT:  kernel 0:  other                 {{0\.[0-9]+}}   1    1     32.0     0.0        0       0  relu
//  CHECK-NOT:{{.*}}refused
//      CHECK:@refused

// Measured times come with their part of the run, and with what was predicted as a ratio; all add up below.
// TIMED: measured % of predicted /
// TIMED-NEXT: kernel label ms run measured in out
// TIMED-NEXT: kernel {{[01]: [a-z-]+ [0-9.]+ [0-9.]+ [0-9.]+ 1 1 }}
// TIMED-NEXT: {{^      [a-z, ]+$}}
// TIMED-NEXT: kernel {{[01]: [a-z-]+ [0-9.]+ [0-9.]+ [0-9.]+ 1 1 }}
// TIMED-NEXT: {{^      [a-z, ]+$}}
// TIMED-NEXT: total {{[0-9.]+ [0-9.]+ [0-9.]+}} 2080.0 1024.0 0 1{{$}}
func.func @sizes(%x: tensor<64x64xf32>, %y: tensor<512x512xf32>) -> (tensor<64x64xf32>, tensor<512x512xf32>) {
  %0 = fuse.unary relu %x : tensor<64x64xf32>
  %1 = fuse.unary exp %y : tensor<512x512xf32>
  %2 = fuse.unary tanh %1 : tensor<512x512xf32>
  return %0, %2 : tensor<64x64xf32>, tensor<512x512xf32>
}

// Equal reasons are one line, which says how many there are; what has a price comes first.
// CHECK:  refused merges: 3, by gain
// CHECK-NEXT:    neg → matmul(64x3072x768) (kernels 0, 1), gain {{[0-9]+}} ns: recomputation: {{[0-9]+}} operations would be repeated, {{[0-9]+}} ns more than is saved; needs a smaller member, or a result that several kernels read
// CHECK-NEXT:    tanh → exp (kernels 1, 2) and 1 more: kept-alone: 'exp' is marked fuse.alone; needs the mark removed
func.func @refused(%x: tensor<64x768xf32>, %y: tensor<768x3072xf32>, %z: tensor<3072x768xf32>) -> (tensor<64x768xf32>, tensor<64x768xf32>) {
  %0 = fuse.matmul %x, %y : (tensor<64x768xf32>, tensor<768x3072xf32>) -> tensor<64x3072xf32>
  %1 = fuse.unary neg %0 : tensor<64x3072xf32>
  %2 = fuse.matmul %1, %z : (tensor<64x3072xf32>, tensor<3072x768xf32>) -> tensor<64x768xf32>
  %3 = fuse.unary tanh %2 : tensor<64x768xf32>
  %4 = fuse.unary exp %3 {fuse.alone} : tensor<64x768xf32>
  %5 = fuse.unary exp %3 {fuse.alone} : tensor<64x768xf32>
  return %4, %5 : tensor<64x768xf32>, tensor<64x768xf32>
}

// Nothing is predicted where sizes are not known.
// CHECK:@dynamic
// CHECK:  kernel     label              in  out{{.*}}
// CHECK:{{.*}}elementwise-chain{{.*}}relu, exp
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fuse.unary relu %x : tensor<?xf32>
  %1 = fuse.unary exp %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A list of many ops is cut short, and many equal ones are counted.
// CHECK:@long
// CHECK:{{.*}}  neg, exp (4x), relu
func.func @long(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = fuse.unary neg %x : tensor<64xf32>
  %1 = fuse.unary exp %0 : tensor<64xf32>
  %2 = fuse.unary exp %1 : tensor<64xf32>
  %3 = fuse.unary exp %2 : tensor<64xf32>
  %4 = fuse.unary exp %3 : tensor<64xf32>
  %5 = fuse.unary relu %4 : tensor<64xf32>
  return %5 : tensor<64xf32>
}

// What a loop's kernels save they save in each round; the table is of one launch.
//      CHECK:@rounds
// CHECK-NEXT:Fusion: 8 → 4 kernels (50% reduction), 16.0KB memory saved
//      CHECK:  kernel 0:  elementwise-chain  {{.*}}  4.0  {{.*}}
func.func @rounds(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<1024xf32> {
    %1 = fuse.unary relu %y : tensor<1024xf32>
    %2 = fuse.unary exp %1 : tensor<1024xf32>
    scf.yield %2 : tensor<1024xf32>
  }
  return %0 : tensor<1024xf32>
}
