// Attention is switched off in larger kernels too, which have another label.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=ON
// RUN: fuse-opt %s --fuse-pipeline=disable=attention --fuse-report -o /dev/null | FileCheck %s --check-prefix=OFF
// RUN: fuse-opt %s --fuse-decompose --fuse-plan=disable=attention --remarks-filter-missed=fuse-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// ON: Fusion: 5 → 1 kernels
// OFF: Fusion: 5 → {{[2-5]}} kernels
// OFF-NOT: matmul{{.*}} reduce max{{.*}} matmul
// WHY: [Missed] disabled {{.*}}the pattern attention is switched off
func.func @f(%q: tensor<12x128x64xf32>, %k: tensor<12x128x64xf32>, %v: tensor<12x128x64xf32>, %r: tensor<12x128x64xf32>) -> tensor<12x128x64xf32> {
  %0 = fuse.matmul %q, %k transpose_rhs : (tensor<12x128x64xf32>, tensor<12x128x64xf32>) -> tensor<12x128x128xf32>
  %1 = fuse.softmax %0 dimension = 2 : tensor<12x128x128xf32>
  %2 = fuse.matmul %1, %v : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  %3 = fuse.binary add %2, %r : tensor<12x128x64xf32>
  %4 = fuse.unary relu %3 : tensor<12x128x64xf32>
  return %4 : tensor<12x128x64xf32>
}
