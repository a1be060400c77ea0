// Kernels that are alike are one row, whose times and bytes are those of all of them; lines keep to 120 columns,
// what has no room stands below. JSON has each kernel, and says which are alike and which layer they are of.
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-pipeline --fuse-report -o /dev/null | grep -A100 "^  kernel" | awk '/refused/ { exit } length > 120 { print; exit 1 }'
// RUN: fuse-run %s --random-inputs 1 --time 3 --report | grep -A100 "^  kernel" | awk '/refused/ { exit } length > 120 { print; exit 1 }'
// RUN: fuse-run %s --target emulator --report | FileCheck %s --check-prefix=PARTS
// RUN: fuse-opt %s --fuse-pipeline --fuse-report=json=- -o /dev/null | FileCheck %s --check-prefix=JSON

// CHECK: kernel 0 × 3: matmul-add-activation {{[0-9.]+}} 3 1 18444.0
// CHECK-NEXT: {{^}} matmul(256x1024x1024), add, relu; also kernels 1, 2
// CHECK-NEXT: kernel 3: contraction {{[0-9.]+}} 2 1 1344.0
// CHECK-NEXT: {{^}} matmul(256x1024x64)

// A second part, with the kernels' names again, where the columns do not fit.
// PARTS: kernel label
// PARTS: kernel 0 × 3:
// PARTS: kernel 3:

// JSON: "id": 0,
// JSON: "layer": "encoder/layer.0/dense",
// JSON-NEXT: "like": 0,
// JSON: "id": 1,
// JSON: "layer": "encoder/layer.1/dense",
// JSON-NEXT: "like": 0,
// JSON: "id": 3,
// JSON: "layer": "",
// JSON-NEXT: "like": 3,
#add0 = loc("/encoder/layer.0/dense/Add")
#add1 = loc("/encoder/layer.1/dense/Add")
#relu0 = loc("/encoder/layer.0/dense/Relu")
#relu1 = loc("/encoder/layer.1/act/Relu")
#matmul0 = loc("/encoder/layer.0/dense/MatMul")
#matmul1 = loc("/encoder/layer.1/dense/MatMul")
func.func @f(%x: tensor<256x1024xf32>, %a: tensor<1024x1024xf32>, %b: tensor<1024xf32>, %w: tensor<1024x64xf32>) -> tensor<256x64xf32> {
  %0 = fuse.matmul %x, %a : (tensor<256x1024xf32>, tensor<1024x1024xf32>) -> tensor<256x1024xf32> loc(#matmul0)
  %1 = fuse.binary add %0, %b : (tensor<256x1024xf32>, tensor<1024xf32>) -> tensor<256x1024xf32> loc(#add0)
  %2 = fuse.unary relu %1 : tensor<256x1024xf32> loc(#relu0)
  %3 = fuse.matmul %2, %a : (tensor<256x1024xf32>, tensor<1024x1024xf32>) -> tensor<256x1024xf32> loc(#matmul1)
  %4 = fuse.binary add %3, %b : (tensor<256x1024xf32>, tensor<1024xf32>) -> tensor<256x1024xf32> loc(#add1)
  %5 = fuse.unary relu %4 : tensor<256x1024xf32> loc(#relu1)
  %6 = fuse.matmul %5, %a : (tensor<256x1024xf32>, tensor<1024x1024xf32>) -> tensor<256x1024xf32>
  %7 = fuse.binary add %6, %b : (tensor<256x1024xf32>, tensor<1024xf32>) -> tensor<256x1024xf32>
  %8 = fuse.unary relu %7 : tensor<256x1024xf32>
  %9 = fuse.matmul %8, %w : (tensor<256x1024xf32>, tensor<1024x64xf32>) -> tensor<256x64xf32>
  return %9 : tensor<256x64xf32>
}
