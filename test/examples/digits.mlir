// The example's classifier parses, and has 17 ops that are not metadata besides its label part.
// RUN: fuse-opt %fuse_source/examples/digits/digits.mlir --verify-roundtrip | FileCheck %s
// RUN: fuse-opt %fuse_source/examples/digits/digits.mlir | grep -c "= fuse\." | FileCheck %s --check-prefix=COUNT

// CHECK-LABEL: func @digits
// CHECK-COUNT-3: fuse.conv2d
// CHECK:         %[[PROBABILITY:.*]] = fuse.softmax
// CHECK:         fuse.argmax %[[PROBABILITY]]
// COUNT: {{^}}21{{$}}
