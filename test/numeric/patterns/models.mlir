// Blocks of models in primitives: how many kernels the planner makes of them at full size, with enough
// blocks and little enough scratch, and the numbers of the same block at a size that is quick to check.
// RUN: rm -rf %t && mkdir %t
// RUN: for m in bert llama resnet resnet-wide resnet-down; do %python %S/Inputs/make_models.py $m > %t/$m.mlir && %python %S/Inputs/make_models.py $m small > %t/small-$m.mlir || exit 1; done

// The projections, attention, its output with the norm, and the two halves of the network behind it, or
// fewer.
// RUN: fuse-opt %t/bert.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=BERT
// RUN: fuse-run %t/bert.mlir --report-json %t/bert.json
// RUN: %python %S/Inputs/check_honest.py %t/bert.json
// RUN: %python %S/../kernels/Inputs/check_kernels.py %t/small-bert.mlir
// BERT: Fusion: 42 → {{[4-6]}} kernels
// BERT-DAG: matmul(1x12x128x64x128), mul, add, reduce max, sub, exp, reduce sum, div,{{[[:space:]]+}}matmul(1x12x128x128x64)
// BERT-DAG: {{[0-9.-]+}} {{[0-9]+}} 1 {{[0-9.[:space:]-]+}}matmul(1x128x768x768), add, add, reduce mean, sub, mul, reduce mean, add, sqrt, div, mul, add{{$}}
// BERT-DAG: {{[0-9.-]+}} {{[0-9]}} 1 {{[0-9.[:space:]-]+}}matmul(1x128x768x3072), {{.*}}gelu{{$}}
// BERT-DAG: {{[0-9.-]+}} {{[0-9]}} 1 {{[0-9.[:space:]-]+}}matmul(1x128x3072x768), {{.*}}reduce mean, sub, mul, reduce mean, add, sqrt, div, mul, add{{$}}

// RUN: fuse-opt %t/llama.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=LLAMA
// RUN: fuse-run %t/llama.mlir --report-json %t/llama.json
// RUN: %python %S/Inputs/check_honest.py %t/llama.json
// RUN: %python %S/../kernels/Inputs/check_kernels.py %t/small-llama.mlir
// LLAMA: Fusion: {{[0-9]+}} → {{[4-7]}} kernels

// RUN: fuse-opt %t/resnet.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=RESNET
// RUN: fuse-run %t/resnet.mlir --report-json %t/resnet.json
// RUN: %python %S/Inputs/check_honest.py %t/resnet.json
// RUN: %python %S/../kernels/Inputs/check_kernels.py %t/small-resnet.mlir
// RESNET: Fusion: 10 → 2 kernels
// RESNET-DAG: kernel 0: {{[a-z-]+ [0-9.-]+}} 6 1 {{[0-9.[:space:]-]+}}conv2d(64 channels, 1x1), batch_norm(64), relu{{$}}
// RESNET-DAG: kernel 1: {{[a-z-]+ [0-9.-]+}} 12 1 {{[0-9.[:space:]-]+}}conv2d(64 channels, 3x3), batch_norm(64), relu, conv2d(256 channels, 1x1), batch_norm(256), add, relu{{$}}

// RUN: for m in resnet-wide resnet-down; do fuse-opt %t/$m.mlir --fuse-pipeline --fuse-report -o /dev/null | FileCheck %s --check-prefix=DOWN || exit 1; done
// RUN: for m in resnet-wide resnet-down; do fuse-run %t/$m.mlir --report-json %t/$m.json && %python %S/Inputs/check_honest.py %t/$m.json || exit 1; done
// RUN: for m in resnet-wide resnet-down; do %python %S/../kernels/Inputs/check_kernels.py %t/small-$m.mlir || exit 1; done
// DOWN: Fusion: 12 → {{[2-4]}} kernels

// At full size fused and unfused agree bit by bit.
// RUN: for m in bert llama; do fuse-run %t/$m.mlir --random-inputs 1 --outputs %t/fused.npz && fuse-run %t/$m.mlir --random-inputs 1 --mode unfused --outputs %t/unfused.npz && %python %S/Inputs/check_same.py %t/fused.npz %t/unfused.npz || exit 1; done
