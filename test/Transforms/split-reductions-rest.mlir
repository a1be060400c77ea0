// RUN: fuse-opt %s --fuse-split-reductions | FileCheck %s
// RUN: fuse-opt %s --fuse-split-reductions --remarks-filter=fuse-split-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix REMARK

module attributes {fuse.target = #fuse.target<"a GPU", gpu, {max_threads = 100.0}>} {
  // No number of parts divides a prime: parts are multiples of 32, so that each begins at a chunk.
  // CHECK-LABEL: func.func @prime(
  // CHECK-SAME: %[[X:.*]]: tensor<1048573xf32>
  // CHECK-DAG: %[[LAST:.*]] = fuse.slice %[[X]] offsets = [[[AT:[0-9]+]]] sizes = [[[REST:[0-9]+]]]
  // CHECK-DAG: %[[FIRST:.*]] = fuse.slice %[[X]] offsets = [0] sizes = [[[AT]]]
  // CHECK: %[[CUT:.*]] = fuse.reshape %[[FIRST]] : tensor<[[AT]]xf32> -> tensor<[[PARTS:[0-9]+]]x[[LENGTH:[0-9]+]]xf32>
  // CHECK: %[[PART:.*]] = fuse.reduce max %[[CUT]] dimensions = [1] : tensor<[[PARTS]]x[[LENGTH]]xf32> -> tensor<[[PARTS]]xf32>
  // CHECK: %[[A:.*]] = fuse.reduce max %[[PART]] dimensions = [0]
  // CHECK: %[[B:.*]] = fuse.reduce max %[[LAST]] dimensions = [0] : tensor<[[REST]]xf32> -> tensor<f32>
  // CHECK: %[[MAX:.*]] = fuse.binary max %[[A]], %[[B]] : tensor<f32>
  // CHECK: return %[[MAX]]
  // REMARK: Remark="reduce max is split into two launches: {{[0-9]+}} parts of {{[0-9]+}} elements of dimension 0, then their results and {{[0-9]+}} elements that are left
  func.func @prime(%x: tensor<1048573xf32>) -> tensor<f32> {
    %0 = fuse.reduce max %x dimensions = [0] : tensor<1048573xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }

  // A mean is a sum that is divided at the end. What the reduction alone reads is computed for both.
  // CHECK-LABEL: func.func @mean(
  // CHECK-NOT: fuse.unary exp %{{.*}} : tensor<100003x64xf32>
  // CHECK: %[[LAST:.*]] = fuse.unary exp %{{.*}} : tensor<[[REST:[0-9]+]]x64xf32>
  // CHECK: %[[BIAS:.*]] = fuse.broadcast %{{.*}} dimensions = [0] : tensor<64xf32> -> tensor<[[REST]]x64xf32>
  // CHECK: fuse.binary add %[[LAST]], %[[BIAS]]
  // CHECK: fuse.unary exp
  // CHECK: fuse.reduce sum %{{.*}} dimensions = [1]
  // CHECK: fuse.reduce sum %{{.*}} dimensions = [0]
  // CHECK: fuse.reduce sum %{{.*}} dimensions = [0] : tensor<[[REST]]x64xf32>
  // CHECK: %[[SUM:.*]] = fuse.binary add
  // CHECK: fuse.binary div %[[SUM]], %{{.*}} : tensor<64xf32>
  func.func @mean(%x: tensor<100003x64xf32>, %b: tensor<64xf32>) -> tensor<1x64xf32> {
    %0 = fuse.unary exp %x : tensor<100003x64xf32>
    %1 = fuse.broadcast %b dimensions = [0] : tensor<64xf32> -> tensor<100003x64xf32>
    %2 = fuse.binary add %0, %1 : tensor<100003x64xf32>
    %3 = fuse.reduce mean %2 dimensions = [0] keep_dims : tensor<100003x64xf32> -> tensor<1x64xf32>
    return %3 : tensor<1x64xf32>
  }

  // What somebody else reads too stays as it is.
  // CHECK-LABEL: func.func @shared(
  // CHECK: %[[EXP:.*]] = fuse.unary exp %{{.*}} : tensor<1048573xf32>
  // CHECK: fuse.slice %[[EXP]]
  // CHECK: return %{{.*}}, %[[EXP]]
  func.func @shared(%x: tensor<1048573xf32>) -> (tensor<f32>, tensor<1048573xf32>) {
    %0 = fuse.unary exp %x : tensor<1048573xf32>
    %1 = fuse.reduce sum %0 dimensions = [0] : tensor<1048573xf32> -> tensor<f32>
    return %1, %0 : tensor<f32>, tensor<1048573xf32>
  }
}
