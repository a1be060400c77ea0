// RUN: fuse-opt %s --fuse-pipeline --fuse-check-budget --split-input-file --verify-diagnostics

// What a process may send to others at most; a small sum among four ranks sends one and a half times its bytes.
func.func @within(%x: tensor<8xf32>) -> tensor<8xf32>
    attributes {fuse.budget = #fuse.budget<collective_bytes = 48>} {
  %0 = fuse.all_reduce sum %x in <grid = [4], axes = [0]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{@exceeded exceeds its budget: collective_bytes of at most 47, found 48}}
func.func @exceeded(%x: tensor<8xf32>) -> tensor<8xf32>
    attributes {fuse.budget = #fuse.budget<collective_bytes = 47>} {
  // expected-note@+1 {{all_reduce(sum, 4 ranks) sends 48 bytes}}
  %0 = fuse.all_reduce sum %x in <grid = [4], axes = [0]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-error@+1 {{the budget of @unknown cannot be checked: collective_bytes of at most 47, found at least 0}}
func.func @unknown(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {fuse.budget = #fuse.budget<collective_bytes = 47>} {
  // expected-note@+1 {{sends bytes of unknown number; needs static extents}}
  %0 = fuse.all_reduce sum %x in <grid = [4], axes = [0]> : tensor<?xf32>
  return %0 : tensor<?xf32>
}
