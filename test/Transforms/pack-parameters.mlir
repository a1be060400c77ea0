// RUN: fuse-opt %s --fuse-pack-parameters --split-input-file | FileCheck %s

// Columns in blocks of 32, all rows of each. A weight that is read transposed comes out the same.
// CHECK-LABEL: func.func @blocks(
// CHECK-DAG:     %[[WR:.*]] = fuse.reshape %[[W:.*]] : tensor<7x64xf32> -> tensor<7x2x32xf32>
// CHECK-DAG:     %[[WT:.*]] = fuse.transpose %[[WR]] permutation = [1, 0, 2]
// CHECK-DAG:     %[[WP:.*]] = fuse.copy %[[WT]] : tensor<2x7x32xf32>
// CHECK-DAG:     %[[VR:.*]] = fuse.reshape %[[V:.*]] : tensor<64x7xf32> -> tensor<2x32x7xf32>
// CHECK-DAG:     %[[VT:.*]] = fuse.transpose %[[VR]] permutation = [0, 2, 1]
// CHECK-DAG:     %[[VP:.*]] = fuse.copy %[[VT]] : tensor<2x7x32xf32>
// CHECK-DAG:     %[[T:.*]] = fuse.transpose %[[WP]] permutation = [1, 0, 2]
// CHECK-DAG:     %[[R:.*]] = fuse.reshape %[[T]] : tensor<7x2x32xf32> -> tensor<7x64xf32>
// CHECK:         fuse.matmul %{{.*}}, %[[R]] :
// CHECK-NEXT:    fuse.transpose %[[VP]] permutation = [1, 0, 2]
// CHECK-NOT:     transpose_rhs
func.func @blocks(%x: tensor<6x7xf32>, %w: tensor<7x64xf32> {fuse.param}, %v: tensor<64x7xf32> {fuse.param}) -> (tensor<6x64xf32>, tensor<6x64xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32>
  %1 = fuse.matmul %x, %v transpose_rhs : (tensor<6x7xf32>, tensor<64x7xf32>) -> tensor<6x64xf32>
  return %0, %1 : tensor<6x64xf32>, tensor<6x64xf32>
}

// -----

// Many columns that no block divides are padded to whole ones; one packing serves both readers.
// CHECK-LABEL: func.func @padded(
// CHECK:         fuse.pad %{{.*}} low = [0, 0] high = [0, 20] {{.*}} : tensor<7x300xf32> -> tensor<7x320xf32>
// CHECK:         %[[P:.*]] = fuse.copy {{.*}} : tensor<10x7x32xf32>
// CHECK-NOT:     fuse.copy
// CHECK:         fuse.transpose %[[P]]
// CHECK:         %[[J:.*]] = fuse.reshape %{{.*}} : tensor<7x10x32xf32> -> tensor<7x320xf32>
// CHECK:         %[[S:.*]] = fuse.slice %[[J]] offsets = [0, 0] sizes = [7, 300] strides = [1, 1]
// CHECK:         fuse.matmul %{{.*}}, %[[S]]
// CHECK:         fuse.transpose %[[P]]
func.func @padded(%x: tensor<6x7xf32>, %y: tensor<?x7xf32>, %w: tensor<7x300xf32> {fuse.param}) -> (tensor<6x300xf32>, tensor<?x300xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<6x7xf32>, tensor<7x300xf32>) -> tensor<6x300xf32>
  %1 = fuse.matmul %y, %w : (tensor<?x7xf32>, tensor<7x300xf32>) -> tensor<?x300xf32>
  return %0, %1 : tensor<6x300xf32>, tensor<?x300xf32>
}

// -----

// Blocks of one vector would divide 80 columns; padded ones of two take less time.
// CHECK-LABEL: func.func @narrow(
// CHECK:         fuse.pad %{{.*}} low = [0, 0] high = [0, 16] {{.*}} : tensor<7x80xf32> -> tensor<7x96xf32>
// CHECK:         fuse.copy {{.*}} : tensor<3x7x32xf32>
func.func @narrow(%x: tensor<6x7xf32>, %w: tensor<7x80xf32> {fuse.param}) -> tensor<6x80xf32> {
  %0 = fuse.matmul %x, %w : (tensor<6x7xf32>, tensor<7x80xf32>) -> tensor<6x80xf32>
  return %0 : tensor<6x80xf32>
}

// -----

// A filter's blocks hold all of its window; one for each channel lies in the order it is read in.
// CHECK-LABEL: func.func @filters(
// CHECK-DAG:     fuse.transpose %{{.*}} permutation = [3, 0, 1, 2, 4] : tensor<3x3x16x3x32xf32> -> tensor<3x3x3x16x32xf32>
// CHECK-DAG:     %[[T:.*]] = fuse.transpose %[[V:.*]] permutation = [2, 3, 1, 0] : tensor<96x1x3x3xf32> -> tensor<3x3x1x96xf32>
// CHECK-DAG:     %[[D:.*]] = fuse.copy %[[T]]
// CHECK-DAG:     fuse.reshape %{{.*}} : tensor<3x3x16x3x32xf32> -> tensor<3x3x16x96xf32>
// CHECK:         fuse.conv2d {{.*}} groups = 1
// CHECK:         fuse.conv2d %{{.*}}, %[[D]] {{.*}} groups = 96
func.func @filters(%x: tensor<2x6x7x16xf32>, %w: tensor<3x3x16x96xf32> {fuse.param}, %v: tensor<96x1x3x3xf32> {fuse.param}) -> tensor<2x2x3x96xf32> {
  %0 = fuse.conv2d %x, %w strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<2x6x7x16xf32>, tensor<3x3x16x96xf32>) -> tensor<2x4x5x96xf32>
  %1 = fuse.transpose %v permutation = [2, 3, 1, 0] : tensor<96x1x3x3xf32> -> tensor<3x3x1x96xf32>
  %2 = fuse.conv2d %0, %1 strides = [1, 1] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 96 layout = nhwc_hwcf : (tensor<2x4x5x96xf32>, tensor<3x3x1x96xf32>) -> tensor<2x2x3x96xf32>
  return %2 : tensor<2x2x3x96xf32>
}

// -----

// No parameter; few columns; under a schedule that somebody wrote.
// CHECK-LABEL: func.func @stays(
// CHECK-NOT:     fuse.copy
func.func @stays(%x: tensor<6x7xf32>, %v: tensor<7x64xf32>, %w: tensor<7x64xf32> {fuse.param}, %f: tensor<7x33xf32> {fuse.param}) -> (tensor<6x64xf32>, tensor<6x33xf32>, tensor<6x64xf32>) {
  %0 = fuse.matmul %x, %v : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32>
  %1 = fuse.matmul %x, %f : (tensor<6x7xf32>, tensor<7x33xf32>) -> tensor<6x33xf32>
  %k2 = fuse.kernel (%a = %x, %b = %w) : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32> attributes {fuse.schedule = #fuse.schedule<levels = [<block, dims = [0, 1], sizes = [4, 20]>], reduction_lanes = 64>} {
    %10 = fuse.matmul %a, %b : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32>
    fuse.yield %10 : tensor<6x64xf32>
  }
  return %0, %1, %k2 : tensor<6x64xf32>, tensor<6x33xf32>, tensor<6x64xf32>
}

// -----

// One row streams its weights as well.
// CHECK-LABEL: func.func @row(
// CHECK:         fuse.copy {{.*}} : tensor<2x7x32xf32>
func.func @row(%x: tensor<1x7xf32>, %w: tensor<7x64xf32> {fuse.param}) -> tensor<1x64xf32> {
  %0 = fuse.matmul %x, %w : (tensor<1x7xf32>, tensor<7x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}

// -----

// What else reads the weights gets them as they are, beside the packed ones.
// CHECK-LABEL: func.func @two_ways(
// CHECK-SAME:    %[[X:.*]]: tensor<6x7xf32>, %[[W:.*]]: tensor<7x64xf32>
// CHECK:         fuse.copy {{.*}} : tensor<2x7x32xf32>
// CHECK:         fuse.matmul %[[X]]
// CHECK:         fuse.unary abs %[[W]]
func.func @two_ways(%x: tensor<6x7xf32>, %w: tensor<7x64xf32> {fuse.param}) -> (tensor<6x64xf32>, tensor<7x64xf32>) {
  %0 = fuse.matmul %x, %w : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32>
  %1 = fuse.unary abs %w : tensor<7x64xf32>
  return %0, %1 : tensor<6x64xf32>, tensor<7x64xf32>
}

// -----

// Parts of one parameter are packed each for itself, or laid out as they are read.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[X:.*]]: tensor<6x7xf32>, %[[W:.*]]: tensor<7x80xf32>
// CHECK-DAG:     %[[LEFT:.*]] = fuse.slice %[[W]] offsets = [0, 0] sizes = [7, 64]
// CHECK-DAG:     %[[RIGHT:.*]] = fuse.slice %[[W]] offsets = [0, 64] sizes = [7, 16]
// CHECK-DAG:     fuse.reshape %[[LEFT]]
// CHECK-DAG:     %[[P:.*]] = fuse.copy {{.*}} : tensor<2x7x32xf32>
// CHECK-DAG:     %[[Q:.*]] = fuse.copy %[[RIGHT]] : tensor<7x16xf32>
// CHECK:         fuse.transpose %[[P]]
// CHECK:         fuse.matmul %[[X]], %[[Q]]
func.func @parts(%x: tensor<6x7xf32>, %w: tensor<7x80xf32> {fuse.param}) -> (tensor<6x64xf32>, tensor<6x16xf32>) {
  %0 = fuse.slice %w offsets = [0, 0] sizes = [7, 64] strides = [1, 1] : tensor<7x80xf32> -> tensor<7x64xf32>
  %1 = fuse.slice %w offsets = [0, 64] sizes = [7, 16] strides = [1, 1] : tensor<7x80xf32> -> tensor<7x16xf32>
  %2 = fuse.matmul %x, %0 : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32>
  %3 = fuse.matmul %x, %1 : (tensor<6x7xf32>, tensor<7x16xf32>) -> tensor<6x16xf32>
  return %2, %3 : tensor<6x64xf32>, tensor<6x16xf32>
}

// -----

// A view of a parameter is packed as the parameter is; filters that no block divides are padded.
// CHECK-LABEL: func.func @line(
// CHECK:         %[[V:.*]] = fuse.reshape %{{.*}} : tensor<258x1x256xf32> -> tensor<258x1x1x256xf32>
// CHECK:         fuse.pad %[[V]] low = [0, 0, 0, 0] high = [30, 0, 0, 0] {{.*}} -> tensor<288x1x1x256xf32>
// CHECK:         %[[P:.*]] = fuse.copy {{.*}} : tensor<9x1x256x1x32xf32>
// CHECK:         fuse.transpose %[[P]]
func.func @line(%x: tensor<1x1x512x1xf32>, %w: tensor<258x1x256xf32> {fuse.param}) -> tensor<1x1x3x258xf32> {
  %v = fuse.reshape %w : tensor<258x1x256xf32> -> tensor<258x1x1x256xf32>
  %0 = fuse.reshape %x : tensor<1x1x512x1xf32> -> tensor<1x1x512x1xf32>
  %1 = fuse.transpose %v permutation = [2, 3, 1, 0] : tensor<258x1x1x256xf32> -> tensor<1x256x1x258xf32>
  %2 = fuse.conv2d %0, %1 strides = [1, 128] dilations = [1, 1] padding = [0, 0, 0, 0] groups = 1 layout = nhwc_hwcf : (tensor<1x1x512x1xf32>, tensor<1x256x1x258xf32>) -> tensor<1x1x3x258xf32>
  return %2 : tensor<1x1x3x258xf32>
}

// -----

// Matrices that indices name are packed each by itself, and gathered as they are packed; those that lie turned come out the same.
// CHECK-LABEL: func.func @gathered(
// CHECK-DAG:     %[[WR:.*]] = fuse.reshape %[[W:.*]] : tensor<5x7x64xf32> -> tensor<5x7x2x32xf32>
// CHECK-DAG:     %[[WT:.*]] = fuse.transpose %[[WR]] permutation = [0, 2, 1, 3]
// CHECK-DAG:     %[[WP:.*]] = fuse.copy %[[WT]] : tensor<5x2x7x32xf32>
// CHECK-DAG:     %[[VR:.*]] = fuse.reshape %[[V:.*]] : tensor<5x64x7xf32> -> tensor<5x2x32x7xf32>
// CHECK-DAG:     %[[VT:.*]] = fuse.transpose %[[VR]] permutation = [0, 1, 3, 2]
// CHECK-DAG:     %[[VP:.*]] = fuse.copy %[[VT]] : tensor<5x2x7x32xf32>
// CHECK:         %[[G:.*]] = fuse.gather %[[WP]], %{{.*}} dimension = 0 : (tensor<5x2x7x32xf32>, tensor<3xi64>) -> tensor<3x2x7x32xf32>
// CHECK:         %[[T:.*]] = fuse.transpose %[[G]] permutation = [0, 2, 1, 3]
// CHECK:         %[[R:.*]] = fuse.reshape %[[T]] : tensor<3x7x2x32xf32> -> tensor<3x7x64xf32>
// CHECK:         fuse.matmul %{{.*}}, %[[R]] :
// CHECK:         fuse.gather %[[VP]]
// CHECK-NOT:     transpose_rhs
func.func @gathered(%x: tensor<3x6x7xf32>, %w: tensor<5x7x64xf32> {fuse.param}, %v: tensor<5x64x7xf32> {fuse.param}, %i: tensor<3xi64>) -> (tensor<3x6x64xf32>, tensor<3x6x64xf32>) {
  %0 = fuse.gather %w, %i dimension = 0 : (tensor<5x7x64xf32>, tensor<3xi64>) -> tensor<3x7x64xf32>
  %1 = fuse.matmul %x, %0 : (tensor<3x6x7xf32>, tensor<3x7x64xf32>) -> tensor<3x6x64xf32>
  %2 = fuse.gather %v, %i dimension = 0 : (tensor<5x64x7xf32>, tensor<3xi64>) -> tensor<3x64x7xf32>
  %3 = fuse.matmul %x, %2 transpose_rhs : (tensor<3x6x7xf32>, tensor<3x64x7xf32>) -> tensor<3x6x64xf32>
  return %1, %3 : tensor<3x6x64xf32>, tensor<3x6x64xf32>
}

// -----

// The parameter may be seen turned. Blocks of one vector divide 80 columns; none divides 300, which stay as they are.
// CHECK-LABEL: func.func @gathered_turned(
// CHECK:         fuse.copy {{.*}} : tensor<5x5x7x16xf32>
// CHECK:         fuse.gather {{.*}} dimension = 0 : (tensor<5x5x7x16xf32>, tensor<3xi64>) -> tensor<3x5x7x16xf32>
// CHECK-NOT:     fuse.copy
// CHECK:         return
func.func @gathered_turned(%x: tensor<3x6x7xf32>, %w: tensor<80x5x7xf32> {fuse.param}, %v: tensor<5x300x7xf32> {fuse.param}, %i: tensor<3xi64>) -> (tensor<3x6x80xf32>, tensor<3x6x300xf32>) {
  %0 = fuse.transpose %w permutation = [2, 0, 1] : tensor<80x5x7xf32> -> tensor<7x80x5xf32>
  %1 = fuse.gather %0, %i dimension = 2 : (tensor<7x80x5xf32>, tensor<3xi64>) -> tensor<7x80x3xf32>
  %2 = fuse.transpose %1 permutation = [2, 0, 1] : tensor<7x80x3xf32> -> tensor<3x7x80xf32>
  %3 = fuse.matmul %x, %2 : (tensor<3x6x7xf32>, tensor<3x7x80xf32>) -> tensor<3x6x80xf32>
  %4 = fuse.gather %v, %i dimension = 0 : (tensor<5x300x7xf32>, tensor<3xi64>) -> tensor<3x300x7xf32>
  %5 = fuse.matmul %x, %4 transpose_rhs : (tensor<3x6x7xf32>, tensor<3x300x7xf32>) -> tensor<3x6x300xf32>
  return %3, %5 : tensor<3x6x80xf32>, tensor<3x6x300xf32>
}

// -----

// Rows of one matrix that indices name, and columns, stay as they are.
// CHECK-LABEL: func.func @gathered_otherwise(
// CHECK-NOT:     fuse.copy
// CHECK:         return
func.func @gathered_otherwise(%x: tensor<3x6x7xf32>, %y: tensor<6x7xf32>, %w: tensor<3x9x64xf32> {fuse.param}, %v: tensor<9x64xf32> {fuse.param}, %i: tensor<7xi64>) -> (tensor<3x6x64xf32>, tensor<6x64xf32>) {
  %0 = fuse.gather %w, %i dimension = 1 : (tensor<3x9x64xf32>, tensor<7xi64>) -> tensor<3x7x64xf32>
  %1 = fuse.matmul %x, %0 : (tensor<3x6x7xf32>, tensor<3x7x64xf32>) -> tensor<3x6x64xf32>
  %2 = fuse.gather %v, %i dimension = 0 : (tensor<9x64xf32>, tensor<7xi64>) -> tensor<7x64xf32>
  %3 = fuse.matmul %y, %2 : (tensor<6x7xf32>, tensor<7x64xf32>) -> tensor<6x64xf32>
  return %1, %3 : tensor<3x6x64xf32>, tensor<6x64xf32>
}
