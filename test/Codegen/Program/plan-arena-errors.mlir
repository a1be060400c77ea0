// RUN: fuse-opt %s --fuse-plan-arena --verify-diagnostics

// The size of a buffer is read from another buffer of the arena, whose bytes must be known before anything is computed.
// expected-error @below {{cannot tell the bytes that it needs before it runs: they depend on what it computes}}
func.func @f(%x: memref<i64>, %from: memref<?xf32>, %out: memref<?xf32>) {
  // expected-note @below {{here}}
  %place = memref.alloc() : memref<i64>
  memref.copy %x, %place : memref<i64> to memref<i64>
  %number = memref.load %place[] : memref<i64>
  %size = arith.index_cast %number : i64 to index
  %buffer = memref.alloc(%size) : memref<?xf32>
  memref.copy %from, %buffer : memref<?xf32> to memref<?xf32>
  memref.copy %buffer, %out : memref<?xf32> to memref<?xf32>
  return
}
