// What code may do decides what is planned: under `exact` sums keep their order, so that no dim is streamed, and rows stand in
// scratch whole.
// RUN: fuse-opt %s --fuse-pipeline="numerics=exact prepare=false layouts=false" --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: fuse-opt %s --fuse-pipeline="numerics=reassociates prepare=false layouts=false" --remarks-filter=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=STREAMED
// RUN: fuse-run %s --function short --numerics exact --cost-target default --report-json %t.exact.json && FileCheck %s --check-prefix=WHOLE-ROWS < %t.exact.json
// RUN: fuse-run %s --function short --numerics reassociates --cost-target default --report-json %t.json && FileCheck %s --check-prefix=TILES < %t.json

func.func @long(%q: tensor<64x16xf32>, %k: tensor<16x1048576xf32>, %v: tensor<1048576x16xf32>) -> tensor<64x16xf32> {
  %0 = fuse.matmul %q, %k : (tensor<64x16xf32>, tensor<16x1048576xf32>) -> tensor<64x1048576xf32>
  %1 = fuse.softmax %0 dimension = 1 : tensor<64x1048576xf32>
  // EXACT: [Missed] scratch {{.*}}Kind=legality, Reason="a block would need 8388616 bytes of scratch, most of it for 'softmax'; 1048576 are near the core", Remark="softmax is not fused with matmul(64x1048576x16)", Suggestion="numerics=reassociates, with which rows are streamed; shorter rows, or a target with more memory near the core"
  // STREAMED: [Passed] fused {{.*}}Remark="fused softmax with matmul(64x1048576x16)
  %2 = fuse.matmul %1, %v : (tensor<64x1048576xf32>, tensor<1048576x16xf32>) -> tensor<64x16xf32>
  return %2 : tensor<64x16xf32>
}

// Four rows of 4096 scores are held whole, or 64 rows of 256.
// WHOLE-ROWS: "planned_schedule": "#fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [1, 4, 64]>], reduction_lanes = 64>"
// TILES: "planned_schedule": "#fuse.schedule<levels = [<block, dims = [0, 1, 2], sizes = [1, 64, 64]>, <sequential, dims = [3], sizes = [256]>], reduction_lanes = 64>"
func.func @short(%q: tensor<1x8x4096x64xf32>, %k: tensor<1x8x4096x64xf32>, %v: tensor<1x8x4096x64xf32>) -> tensor<1x8x4096x64xf32> {
  %0 = fuse.attention %q, %k, %v scale = 1.250000e-01 : (tensor<1x8x4096x64xf32>, tensor<1x8x4096x64xf32>, tensor<1x8x4096x64xf32>) -> tensor<1x8x4096x64xf32>
  return %0 : tensor<1x8x4096x64xf32>
}
