// RUN: fuse-opt %s --fuse-outline-device --split-input-file --verify-diagnostics

module @no_threads {
  // expected-error@+1 {{expected a block function that fuse-distribute-members and fuse-place-scratch have run on}}
  func.func private @k(%x: memref<8xf32>, %begin: index, %end: index, %shared: memref<?xi8>, %scratch: memref<?xi8>) {
    return
  }
}

// -----

module @no_scratch attributes {fuse.threads = 64 : i64} {
  // expected-error@+1 {{expected a block function that fuse-distribute-members and fuse-place-scratch have run on}}
  func.func private @k(%x: memref<8xf32>, %begin: index, %end: index) {
    return
  }
}
