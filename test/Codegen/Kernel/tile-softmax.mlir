// A softmax of many rows is one loop over blocks of rows with the four members in it, whose
// temporaries have the size of the largest tile; only the last of them writes to the result.
// RUN: fuse-opt %s --fuse-pipeline | fuse-opt --pass-pipeline="builtin.module(fuse-outline-kernels,builtin.module(fuse-assign-schedules,func.func(fuse-members-to-linalg,fuse-merge-members),fuse-tile-kernels,canonicalize))" | FileCheck %s

// CHECK: func.func private @kernel_[[ID:[0-9a-f]+]](%[[X:.*]]: tensor<100003x50xf32>, %[[OUT:.*]]: tensor<100003x50xf32> {{{.*}}}, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK: fuse.schedule = #fuse.schedule<levels = [<block, dims = [0], sizes = [[[#ROWS:]]]>]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %{{.*}} iter_args(%[[DEST:.*]] = %[[OUT]])
// CHECK: %[[SIZE:.*]] = affine.min
// CHECK: %[[MAX_SCRATCH:.*]] = tensor.empty() : tensor<[[#ROWS]]xf32>
// CHECK: %[[MAX_TILE:.*]] = tensor.extract_slice %[[MAX_SCRATCH]][0] [%[[SIZE]]]
// CHECK: %[[MAX_INIT:.*]] = linalg.fill {{.*}} outs(%[[MAX_TILE]]
// CHECK: %[[MAX:.*]] = linalg.generic {{.*}}"reduction"]} {{.*}} outs(%[[MAX_INIT]]
// CHECK: arith.maximumf
// CHECK: tensor.empty() : tensor<[[#ROWS]]x50xf32>
// CHECK: %[[EXP:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[MAX]] :
// CHECK: math.exp
// CHECK: tensor.empty() : tensor<[[#ROWS]]xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}}"reduction"]} ins(%[[EXP]] :
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[DEST]]
// CHECK: %[[RESULT:.*]] = linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]] : {{.*}} outs(%[[PART]] :
// CHECK: %[[INSERTED:.*]] = tensor.insert_slice %[[RESULT]] into %[[DEST]]
// CHECK-NOT: tensor.insert_slice
// CHECK: scf.yield %[[INSERTED]]
// CHECK-NOT: scf.for
func.func @softmax(%x: tensor<100003x50xf32>) -> tensor<100003x50xf32> {
  %0 = fuse.softmax %x dimension = -1 : tensor<100003x50xf32>
  return %0 : tensor<100003x50xf32>
}
