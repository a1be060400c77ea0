// Case 2: writing in place and write-after-read. A load is a snapshot, whatever is written later.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-plan --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: %python %S/../kernels/Inputs/check_kernels.py %s

// Each element is read before the same element is written: one kernel, in place.
// CHECK-LABEL: @elementwise
// CHECK-NEXT: Fusion: 4 → 1 kernels
// expect kernels=1
// with %m = np.linspace(-3, 3, 5000)
// gives arg0 = -np.abs(m)
func.func @elementwise(%m: memref<5000xf32>) {
  %x = fuse.load %m : memref<5000xf32> -> tensor<5000xf32>
  %a = fuse.unary abs %x : tensor<5000xf32>
  %n = fuse.unary neg %a : tensor<5000xf32>
  fuse.store %n, %m : tensor<5000xf32>, memref<5000xf32>
  return
}

// Elements are read that another block writes: the store is a copy, with a launch of its own.
// CHECK-LABEL: @transposed
// CHECK-DAG: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 1 {{[0-9. -]+}} load, add{{$}}
// CHECK-DAG: kernel 1: {{[a-z-]+ [0-9.-]+}} 2 0 {{[0-9. -]+}} store{{$}}
// WHY: [Missed] aliasing-store {{.*}} Function=transposed | Kind=legality, Reason="the store may write elements that the kernel reads later", Remark="add is not fused with store
// expect kernels=2
// with %m = np.arange(10000).reshape(shape)
// gives arg0 = m + m.T
func.func @transposed(%m: memref<100x100xf32>) {
  %x = fuse.load %m : memref<100x100xf32> -> tensor<100x100xf32>
  %t = fuse.transpose %x permutation = [1, 0] : tensor<100x100xf32> -> tensor<100x100xf32>
  %a = fuse.binary add %x, %t : tensor<100x100xf32>
  fuse.store %a, %m : tensor<100x100xf32>, memref<100x100xf32>
  return
}

// Shifted by one along the row: what is read lies one behind what is written.
// CHECK-LABEL: @shifted
// CHECK-DAG: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 1 {{[0-9. -]+}} load{{$}}
// CHECK-DAG: kernel 1: {{[a-z-]+ [0-9.-]+}} 2 0 {{[0-9. -]+}} {{.*}}store{{$}}
// expect kernels=2
// with %m = np.arange(30 * 400).reshape(shape)
// gives arg0 = np.concatenate([m[:, 1:], m[:, :1]], 1) * 2
func.func @shifted(%m: memref<30x400xf32>) {
  %x = fuse.load %m : memref<30x400xf32> -> tensor<30x400xf32>
  %h = fuse.slice %x offsets = [0, 1] sizes = [30, 399] strides = [1, 1] : tensor<30x400xf32> -> tensor<30x399xf32>
  %t = fuse.slice %x offsets = [0, 0] sizes = [30, 1] strides = [1, 1] : tensor<30x400xf32> -> tensor<30x1xf32>
  %c = fuse.concat %h, %t dimension = 1 : (tensor<30x399xf32>, tensor<30x1xf32>) -> tensor<30x400xf32>
  %d = fuse.binary add %c, %c : tensor<30x400xf32>
  fuse.store %d, %m : tensor<30x400xf32>, memref<30x400xf32>
  return
}

// The row's sum is complete before its elements are overwritten.
// CHECK-LABEL: @rows
// CHECK-DAG: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 1 {{[0-9. -]+}} load{{$}}
// CHECK-DAG: kernel 1: {{[a-z-]+ [0-9.-]+}} 2 0 {{[0-9. -]+}} {{.*}}store{{$}}
// expect kernels=2
// with %m = 1 + np.arange(200 * 300).reshape(shape) % 16
// gives arg0 = m - m.sum(1, keepdims=True)
func.func @rows(%m: memref<200x300xf32>) {
  %x = fuse.load %m : memref<200x300xf32> -> tensor<200x300xf32>
  %s = fuse.reduce sum %x dimensions = [1] keep_dims : tensor<200x300xf32> -> tensor<200x1xf32>
  %d = fuse.binary sub %x, %s : (tensor<200x300xf32>, tensor<200x1xf32>) -> tensor<200x300xf32>
  fuse.store %d, %m : tensor<200x300xf32>, memref<200x300xf32>
  return
}

// The two buffers may be one. What was loaded of the first is what it held before the store.
// CHECK-LABEL: @may_alias
// CHECK-DAG: kernel 0: {{[a-z-]+ [0-9.-]+}} 1 2 {{[0-9. -]+}} load, neg, add{{$}}
// CHECK-DAG: kernel 1: {{[a-z-]+}} {{[0-9. -]+}} store{{$}}
// expect kernels=2
// with %m = np.arange(4000) - 2000
// gives arg1 = -m
// gives result0 = 0
func.func @may_alias(%m: memref<4000xf32>, %o: memref<4000xf32>) -> tensor<4000xf32> {
  %x = fuse.load %m : memref<4000xf32> -> tensor<4000xf32>
  %n = fuse.unary neg %x : tensor<4000xf32>
  fuse.store %n, %o : tensor<4000xf32>, memref<4000xf32>
  %a = fuse.binary add %x, %n : tensor<4000xf32>
  return %a : tensor<4000xf32>
}

// And here they are one.
// expect kernels=2
// with %m = np.arange(4000) - 2000
// gives arg0 = -m
// gives result0 = 0
func.func @do_alias(%m: memref<4000xf32>) -> tensor<4000xf32> {
  %a = call @may_alias(%m, %m) : (memref<4000xf32>, memref<4000xf32>) -> tensor<4000xf32>
  return %a : tensor<4000xf32>
}

// The second load sees the store between them, the first one does not.
// expect kernels=3
// with %m = np.arange(4000) / 8
// gives arg0 = m + 1
// gives result0 = m * (m + 1)
func.func @load_store_load(%m: memref<4000xf32>) -> tensor<4000xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %x = fuse.load %m : memref<4000xf32> -> tensor<4000xf32>
  %p = fuse.binary add %x, %one : (tensor<4000xf32>, tensor<f32>) -> tensor<4000xf32>
  fuse.store %p, %m : tensor<4000xf32>, memref<4000xf32>
  %y = fuse.load %m : memref<4000xf32> -> tensor<4000xf32>
  %r = fuse.binary mul %x, %y : tensor<4000xf32>
  return %r : tensor<4000xf32>
}

// Two buffers change places.
// expect kernels=3
// with %m = np.arange(4000)
// with %o = -np.arange(4000)
// gives arg0 = 2 * o
// gives arg1 = m
func.func @swap(%m: memref<4000xf32>, %o: memref<4000xf32>) {
  %x = fuse.load %m : memref<4000xf32> -> tensor<4000xf32>
  %y = fuse.load %o : memref<4000xf32> -> tensor<4000xf32>
  %t = fuse.binary add %y, %y : tensor<4000xf32>
  fuse.store %t, %m : tensor<4000xf32>, memref<4000xf32>
  fuse.store %x, %o : tensor<4000xf32>, memref<4000xf32>
  return
}
