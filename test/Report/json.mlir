// RUN: fuse-opt %s --fuse-decompose --fuse-plan=strategy=chains --fuse-form-kernels --fuse-report=json=- -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-decompose --fuse-plan=strategy=chains --fuse-form-kernels --fuse-report=json=%t.json -o /dev/null
// RUN: FileCheck %s --input-file=%t.json
// RUN: not fuse-opt %s --fuse-report=json=%t.missing/x.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=PATH
// PATH: error: cannot open output file
// RUN: fuse-opt %s --fuse-decompose --fuse-plan=strategy=chains --fuse-form-kernels --fuse-report=html=%t.html -o /dev/null
// RUN: FileCheck %s --input-file=%t.html --check-prefix=HTML
// HTML: <!DOCTYPE html>

// CHECK: "functions": [
// CHECK: "after": {
// CHECK-NEXT: "bound_values": 0,
// CHECK-NEXT: "device_traffic_bytes": 12292,
// CHECK-NEXT: "hint_values": 0,
// CHECK-NEXT: "host_output_bytes": 4,
// CHECK-NEXT: "kernel_launches": 2,
// CHECK-NEXT: "sync_points": 0,
// CHECK-NEXT: "unknown_values": 0
// CHECK: "before": {
// CHECK: "fused_kernels": 2,
// CHECK-NEXT: "kernel_reduction": 0.33333333333333337,
// CHECK-NEXT: "kernels": [
// CHECK-NEXT: {
// CHECK-NEXT: "blocks": null,
// CHECK-NEXT: "buffers_eliminated": 0,
// CHECK-NEXT: "flops": {{[1-9][0-9]*}},
// CHECK-NEXT: "id": 0,
// CHECK-NEXT: "inputs": 1,
// CHECK-NEXT: "label": "elementwise-chain",
// CHECK-NEXT: "layer": "",
// CHECK-NEXT: "like": 0,
// CHECK-NEXT: "locations": [
// CHECK-NEXT: "{{.*}}json.mlir:[[#@LINE+37]]:8",
// CHECK-NEXT: "{{.*}}json.mlir:[[#@LINE+37]]:8"
// CHECK-NEXT: ],
// CHECK-NEXT: "memory_saved_bytes": 4096,
// CHECK-NEXT: "name": "relu_exp",
// CHECK-NEXT: "ops": [
// CHECK-NEXT: "relu",
// CHECK-NEXT: "exp"
// CHECK-NEXT: ],
// CHECK-NEXT: "outputs": 1,
// CHECK-NEXT: "planned_blocks": {{[0-9]+}},
// CHECK-NEXT: "planned_schedule": "#fuse.schedule<levels = [<block, dims = [0], sizes = [{{[0-9]+}}]>], reduction_lanes = 64>",
// CHECK-NEXT: "predicted_ms": {{[0-9.e-]+}},
// CHECK-NEXT: "schedule": "computed",
// CHECK-NEXT: "scratch_bytes": null,
// CHECK-NEXT: "traffic_bytes": 8192,
// CHECK-NEXT: "values_elided": 1
// CHECK: "memory_saved_bytes": 4096,
// CHECK-NEXT: "name": "f",
// CHECK-NEXT: "original_kernels": 3,
// CHECK-NEXT: "refused": [
// CHECK-NEXT: {
// CHECK-NEXT: "consumer": "reduce sum",
// CHECK-NEXT: "consumer_kernel": 1,
// CHECK-NEXT: "gain_ns": 1512,
// CHECK-NEXT: "kind": "legality",
// CHECK-NEXT: "location": "{{.*}}json.mlir:[[#@LINE+13]]:8",
// CHECK-NEXT: "needs": "a strategy that merges more than chains",
// CHECK-NEXT: "producer": "exp",
// CHECK-NEXT: "producer_kernel": 0,
// CHECK-NEXT: "reason": "reduction: 'reduce sum' is a reduction, which is never in a chain"
// CHECK: "score_ns": null,
// CHECK-NEXT: "summary": "Fusion: 3 → 2 kernels (33% reduction), 4.0KB memory saved",
// CHECK-NEXT: "target": "default",
// CHECK-NEXT: "unknown_ops": 0
// CHECK: "version": 1
func.func @f(%x: tensor<1024xf32>) -> tensor<f32> {
  %0 = fuse.unary relu %x : tensor<1024xf32>
  %1 = fuse.unary exp %0 : tensor<1024xf32>
  %2 = fuse.reduce sum %1 dimensions = [0] : tensor<1024xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
