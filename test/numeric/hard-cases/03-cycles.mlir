// Case 3: diamonds with an op in between that has to stay out, and cycles that appear only when two
// groups merge.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-plan --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// The host's op needs exp, and add needs the host's op: exp and add cannot be one kernel.
// CHECK-LABEL: @host_between
// CHECK-NEXT: Fusion: 3 → 3 kernels
// WHY: [Missed] host-op {{.*}} Function=host_between
// WHY: [Missed] cycle {{.*}} Function=host_between | Kind=legality, Reason="'welch_peaks' needs a member and is needed by one", Remark="exp is not fused with add
// expect kernels=3
func.func @host_between(%x: tensor<64x32xf32>) -> tensor<64x4xf32> {
  %e = fuse.unary exp %x : tensor<64x32xf32>
  %p = fuse.welch_peaks %e k = 2 n_segments = 1 : tensor<64x32xf32> -> tensor<64x4xf32>
  %h = fuse.slice %e offsets = [0, 0] sizes = [64, 4] strides = [1, 1] : tensor<64x32xf32> -> tensor<64x4xf32>
  %a = fuse.binary add %p, %h : tensor<64x4xf32>
  return %a : tensor<64x4xf32>
}

// {a, c} share x and {b, d} share y; a -> tan -> d and b -> cos -> c. Either pair may be one kernel,
// never both.
// CHECK-LABEL: @two_groups
// CHECK-NEXT: Fusion: 6 → 5 kernels
// expect kernels=5
func.func @two_groups(%x: tensor<50000xf32>, %y: tensor<50000xf32>) -> (tensor<50000xf32>, tensor<50000xf32>) {
  %a = fuse.unary neg %x : tensor<50000xf32>
  %b = fuse.unary abs %y : tensor<50000xf32>
  %t = fuse.unary tan %a {fuse.alone} : tensor<50000xf32>
  %u = fuse.unary cos %b {fuse.alone} : tensor<50000xf32>
  %c = fuse.binary mul %x, %u : tensor<50000xf32>
  %d = fuse.binary mul %y, %t : tensor<50000xf32>
  return %c, %d : tensor<50000xf32>, tensor<50000xf32>
}

// A diamond in which every op may be fused is one kernel.
// CHECK-LABEL: @diamond
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1 blocks>=16
func.func @diamond(%x: tensor<200x300xf32>) -> tensor<200x300xf32> {
  %r = fuse.unary relu %x : tensor<200x300xf32>
  %e = fuse.unary exp %r : tensor<200x300xf32>
  %n = fuse.unary neg %r : tensor<200x300xf32>
  %a = fuse.binary add %e, %n : tensor<200x300xf32>
  return %a : tensor<200x300xf32>
}

// The cycle goes through indices: what is gathered depends on all of the rows.
// CHECK-LABEL: @indices
// expect kernels=2
// with %x = np.sin(np.arange(200 * 300)).reshape(shape)
// gives result0 = np.abs(x)[np.argmax(np.abs(x), 0)]
func.func @indices(%x: tensor<200x300xf32>) -> tensor<300x300xf32> {
  %a = fuse.unary abs %x : tensor<200x300xf32>
  %i = fuse.argmax %a dimension = 0 : tensor<200x300xf32> -> tensor<300xi64>
  %g = fuse.gather %a, %i dimension = 0 : (tensor<200x300xf32>, tensor<300xi64>) -> tensor<300x300xf32>
  return %g : tensor<300x300xf32>
}

// The cycle goes through memory: a load after a store of what came before it.
// CHECK-LABEL: @memory
// CHECK-DAG: kernel 0: {{[a-z-]+}} {{[0-9. -]+}} add, store{{$}}
// CHECK-DAG: kernel 1: {{[a-z-]+}} {{[0-9. -]+}} neg, load, add{{$}}
// expect kernels=2
// with %x = np.arange(5000) / 4
// gives result0 = -x + 2 * x
func.func @memory(%x: tensor<5000xf32>, %m: memref<5000xf32>) -> tensor<5000xf32> {
  %n = fuse.unary neg %x : tensor<5000xf32>
  %d = fuse.binary add %x, %x : tensor<5000xf32>
  fuse.store %d, %m : tensor<5000xf32>, memref<5000xf32>
  %l = fuse.load %m : memref<5000xf32> -> tensor<5000xf32>
  %a = fuse.binary add %n, %l : tensor<5000xf32>
  return %a : tensor<5000xf32>
}
