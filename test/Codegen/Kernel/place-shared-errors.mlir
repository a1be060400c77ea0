// RUN: fuse-opt %s --fuse-place-scratch=shared-bytes=1024 --verify-diagnostics

// A size that depends on the block.
func.func private @k_count(%out: memref<8xf32>) -> index {
  %c1 = arith.constant 1 : index
  return %c1 : index
}
func.func private @k(%out: memref<8xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %begin to %end step %c1 {
    // expected-error@+1 {{expected a size that is known before the loop over blocks: on a GPU a block cannot allocate memory}}
    %a = memref.alloc(%end) : memref<?xf32>
    linalg.fill ins(%zero : f32) outs(%a : memref<?xf32>)
  }
  return
}
