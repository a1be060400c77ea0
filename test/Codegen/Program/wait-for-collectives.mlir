// A collective that was started is waited for where its buffers are needed.
// RUN: fuse-opt %s -fuse-wait-for-collectives | FileCheck %s

module @exp {
  func.func private @exp(%x: memref<8xf32>, %y: memref<8xf32>) {
    return
  }
}

// CHECK-LABEL: func.func @reader(
// CHECK: fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%arg0 {{.*}} outs(%arg2
// CHECK-NEXT: fuse.launch @exp ins(%arg0 {{.*}} outs(%arg1
// CHECK-NEXT: fuse.launch_host "wait_for_collectives" [0] pure ins(%arg0 {{.*}} outs(%arg2
// CHECK-NEXT: fuse.launch @exp ins(%arg2 {{.*}} outs(%arg3
// CHECK-NEXT: return
func.func @reader(%x: memref<8xf32>, %y: memref<8xf32>, %sum: memref<8xf32>, %z: memref<8xf32>) {
  fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%sum : memref<8xf32>)
  fuse.launch @exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  fuse.launch @exp ins(%sum : memref<8xf32>) outs(%z : memref<8xf32>)
  return
}

// The operand is overwritten, by way of a view.
// CHECK-LABEL: func.func @writer(
// CHECK: "start_all_reduce"
// CHECK-NEXT: fuse.launch @exp
// CHECK-NEXT: memref.cast
// CHECK-NEXT: "wait_for_collectives" [0]
// CHECK-NEXT: memref.copy
// CHECK-NEXT: return
func.func @writer(%x: memref<8xf32>, %y: memref<8xf32>, %sum: memref<8xf32>, %z: memref<8xf32>) {
  fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%sum : memref<8xf32>)
  fuse.launch @exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  %view = memref.cast %x : memref<8xf32> to memref<?xf32>
  memref.copy %y, %view : memref<8xf32> to memref<?xf32>
  return
}

// A result that nothing reads is there when the function returns.
// CHECK-LABEL: func.func @result(
// CHECK: "start_all_reduce"
// CHECK-NEXT: fuse.launch @exp
// CHECK-NEXT: "wait_for_collectives" [0]
// CHECK-NEXT: return
func.func @result(%x: memref<8xf32>, %y: memref<8xf32>, %sum: memref<8xf32>) {
  fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%sum : memref<8xf32>)
  fuse.launch @exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// Nothing runs in between.
// CHECK-LABEL: func.func @at_once(
// CHECK-NEXT: fuse.launch_host "all_reduce"
// CHECK-NEXT: fuse.launch @exp
// CHECK-NEXT: return
func.func @at_once(%x: memref<8xf32>, %sum: memref<8xf32>, %z: memref<8xf32>) {
  fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%sum : memref<8xf32>)
  fuse.launch @exp ins(%sum : memref<8xf32>) outs(%z : memref<8xf32>)
  return
}

// Two under way: the first one ends first, and the second one, which is needed first, ends both.
// CHECK-LABEL: func.func @two(
// CHECK: "start_all_reduce" {{.*}} outs(%arg2
// CHECK-NEXT: "start_all_reduce" {{.*}} outs(%arg3
// CHECK-NEXT: fuse.launch @exp ins(%arg0 {{.*}} outs(%arg1
// CHECK-NEXT: "wait_for_collectives" [1] pure ins(%arg0 : {{[^,]*}}) outs(%arg2 : {{[^,]*}})
// CHECK-NEXT: fuse.launch @exp ins(%arg2
// CHECK-NEXT: "wait_for_collectives" [0] pure ins(%arg0 : {{[^,]*}}) outs(%arg3 :
// CHECK-NEXT: fuse.launch @exp ins(%arg3
// CHECK-NEXT: return
func.func @two(%x: memref<8xf32>, %y: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  fuse.launch_host "start_all_reduce" [1, 1, 2, 0] ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  fuse.launch @exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  fuse.launch @exp ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
  fuse.launch @exp ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// CHECK-LABEL: func.func @other_order(
// CHECK: fuse.launch @exp ins(%arg0
// CHECK-NEXT: "wait_for_collectives" [0] pure ins(%arg0, %arg0 {{.*}} outs(%arg2, %arg3
// CHECK-NEXT: fuse.launch @exp ins(%arg3
// CHECK-NEXT: fuse.launch @exp ins(%arg2
// CHECK-NEXT: return
func.func @other_order(%x: memref<8xf32>, %y: memref<8xf32>, %a: memref<8xf32>, %b: memref<8xf32>) {
  fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  fuse.launch_host "start_all_reduce" [1, 1, 2, 0] ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  fuse.launch @exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  fuse.launch @exp ins(%b : memref<8xf32>) outs(%y : memref<8xf32>)
  fuse.launch @exp ins(%a : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}

// The effects of a host function are unknown.
// CHECK-LABEL: func.func @unknown(
// CHECK: fuse.launch @exp
// CHECK-NEXT: "wait_for_collectives" [0]
// CHECK-NEXT: fuse.launch_host "log"
// CHECK-NEXT: return
func.func @unknown(%x: memref<8xf32>, %y: memref<8xf32>, %sum: memref<8xf32>) {
  fuse.launch_host "start_all_reduce" [0, 1, 2, 0] ins(%x : memref<8xf32>) outs(%sum : memref<8xf32>)
  fuse.launch @exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  fuse.launch_host "log" [] ins(%y : memref<8xf32>)
  return
}

// A user's function may have any name.
// CHECK-LABEL: func.func @other_name(
// CHECK-NEXT: fuse.launch_host "start_log" [] outs(%arg1
// CHECK-NEXT: fuse.launch @exp ins(%arg0
// CHECK-NEXT: return
func.func @other_name(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  fuse.launch_host "start_log" [] outs(%y : memref<8xf32>)
  fuse.launch @exp ins(%x : memref<8xf32>) outs(%z : memref<8xf32>)
  return
}
