// RUN: fuse-opt %s --fuse-place-scratch=shared-bytes=-2 --verify-diagnostics
// RUN: not fuse-opt %s --fuse-to-gpu=shared-bytes=-1 2>&1 | FileCheck %s

// CHECK: for the --shared-bytes option: '-1' value invalid
// expected-error@+1 {{shared-bytes: expected a number of bytes, or -1 for a CPU, found -2}}
module {
}
