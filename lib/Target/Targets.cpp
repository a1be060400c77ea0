//===- Targets.cpp - Known devices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Target/Targets.h"
#include "fuse/IR/FuseAttributes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct Device {
  StringLiteral name;
  TargetKind kind;
  /// Those that differ from the documented defaults; none: the default target itself.
  ArrayRef<KnownFigure> figures;
};

constexpr StringLiteral kChosen = "chosen: round numbers of the right order";

constexpr KnownFigure metalFigures[] = {
    {"dispatch_ns", 500, kChosen},   {"roundtrip_ns", 5000, kChosen},
    {"memory_bw", 200, kChosen},     {"readback_bw", 200, kChosen},
    {"unified", 1, "shared memory"}, {"host_thunk_penalty_ns", 2000000, kChosen},
    {"min_gain_ns", 1000, kChosen}};

constexpr KnownFigure wgpuFigures[] = {{"dispatch_ns", 3000, kChosen},
                                       {"roundtrip_ns", 30000, kChosen},
                                       {"memory_bw", 100, kChosen},
                                       {"readback_bw", 40, kChosen},
                                       {"unified", 0, "discrete devices too"},
                                       {"host_thunk_penalty_ns", 25000000, kChosen},
                                       {"min_gain_ns", 10000, kChosen}};

constexpr StringLiteral kLaunch = "chosen: the order of published launch benchmarks";
constexpr StringLiteral kCuda = "CUDA programming guide, compute capabilities";
constexpr StringLiteral kParameters = "4 KB of parameters, 32 bytes for each";

constexpr StringLiteral kA100 = "NVIDIA A100 whitepaper";
constexpr KnownFigure sm80Figures[] = {
    {"dispatch_ns", 2500, kLaunch},
    {"roundtrip_ns", 10000, kLaunch},
    {"memory_bw", 1555, kA100},
    {"readback_bw", 25, "PCI Express 4.0 x16, four fifths of 31.5"},
    {"l1_bytes", 196608, kA100},
    {"l2_bytes", 0, "the L2 cache is shared: l3_bytes"},
    {"l3_bytes", 41943040, kA100},
    {"l3_bw", 66.8, "A100 whitepaper: 5120 bytes per clock at 1.41 GHz, by 108"},
    {"flops_per_ns", 180.6, "A100 whitepaper: 19.5 TFLOPS of f32, by 108"},
    {"matmul_flops_per_ns", 180.6, "the same: f32 without TF32"},
    {"tensor_flops_per_ns", 2889, "A100 whitepaper: 312 TFLOPS of f16 and bf16, by 108"},
    {"tf32_flops_per_ns", 1444, "A100 whitepaper: 156 TFLOPS of TF32, by 108"},
    {"tensor_int8_flops_per_ns", 5778, "A100 whitepaper: 624 TOPS of 8 bits, by 108"},
    {"shared_memory_bytes", 166912, kCuda},
    {"vector_bytes", 16, "the widest load of a thread"},
    {"subgroup_size", 32, kCuda},
    {"registers", 255, kCuda},
    {"max_operands", 128, kParameters},
    {"max_threads", 108, kA100}};

constexpr StringLiteral kH100 = "NVIDIA H100 whitepaper, SXM5";
constexpr KnownFigure sm90Figures[] = {
    {"dispatch_ns", 2500, kLaunch},
    {"roundtrip_ns", 10000, kLaunch},
    {"memory_bw", 3352, kH100},
    {"thread_memory_bw", 34,
     "measured on an H100: what one block of 256 threads reads, each of them with 64 bytes under "
     "way"},
    {"readback_bw", 50, "PCI Express 5.0 x16, four fifths of 63"},
    {"l1_bytes", 262144, kH100},
    {"l2_bytes", 0, "the L2 cache is shared: l3_bytes"},
    {"l3_bytes", 52428800, kH100},
    {"l3_bw", 42, "published microbenchmarks: 5.5 TB/s of L2, by 132"},
    {"flops_per_ns", 506.8, "H100 whitepaper: 66.9 TFLOPS of f32, by 132"},
    {"matmul_flops_per_ns", 506.8, "the same: f32 without TF32"},
    {"tensor_flops_per_ns", 4647,
     "H100 whitepaper: 989.4 TFLOPS of f16 and bf16, by 132; mma.sync gets 0.62 of it (Luo et al., "
     "arXiv 2402.13499)"},
    {"tf32_flops_per_ns", 2324,
     "H100 whitepaper: 494.7 TFLOPS of TF32, by 132; 0.62 of it as of f16"},
    {"tensor_int8_flops_per_ns", 9295,
     "H100 whitepaper: 1978.9 TOPS of 8 bits, by 132; 0.62 of it as of f16"},
    {"shared_memory_bytes", 232448, kCuda},
    {"vector_bytes", 16, "the widest load of a thread"},
    {"subgroup_size", 32, kCuda},
    {"registers", 255, kCuda},
    {"max_operands", 128, kParameters},
    {"max_threads", 132, kH100}};

/// The same device, for which code may have instructions that later ones lack.
ArrayRef<KnownFigure> getSm90aFigures() {
  static const SmallVector<KnownFigure> figures = [] {
    SmallVector<KnownFigure> all = llvm::map_to_vector(sm90Figures, [](const KnownFigure &figure) {
      bool differs = figure.key == "tensor_flops_per_ns";
      return differs ? KnownFigure{figure.key, 7495, "H100 whitepaper: 989.4 TFLOPS of f16 and bf16, by 132"} : figure;
    });
    all.push_back({"warpgroup_size", 128, "PTX ISA, asynchronous warpgroup level matrix instructions"});
    return all;
  }();
  return figures;
}

constexpr StringLiteral kMi300 = "AMD Instinct MI300X data sheet";
constexpr StringLiteral kCdna3 = "AMD CDNA 3 whitepaper";
constexpr KnownFigure gfx942Figures[] = {
    {"dispatch_ns", 3000, kLaunch},
    {"roundtrip_ns", 12000, kLaunch},
    {"memory_bw", 5325, kMi300},
    {"readback_bw", 50, "PCI Express 5.0 x16, four fifths of 63"},
    {"l1_bytes", 32768, kCdna3},
    {"l2_bytes", 0, "caches beyond the first are shared: l3_bytes"},
    {"l3_bytes", 268435456, "CDNA 3 whitepaper: Infinity Cache"},
    {"l3_bw", 56.6, "CDNA 3 whitepaper: 17.2 TB/s of Infinity Cache, by 304"},
    {"flops_per_ns", 268.8, "data sheet: half of 163.4 TFLOPS of f32 (nothing is packed), by 304"},
    {"matmul_flops_per_ns", 268.8, "the same: no matrix cores"},
    {"shared_memory_bytes", 65536, kCdna3},
    {"vector_bytes", 16, "the widest load of a lane"},
    {"subgroup_size", 64, kCdna3},
    {"registers", 512, kCdna3},
    {"max_operands", 128, kParameters},
    {"max_threads", 304, kMi300}};

/// A new device is one row here; units and meanings are in the description of `#fuse.target`.
ArrayRef<Device> getDevices() {
  static const Device devices[] = {
      {"default", TargetKind::Cpu, {}},        {"metal", TargetKind::Gpu, metalFigures},
      {"wgpu", TargetKind::Gpu, wgpuFigures},  {"sm_80", TargetKind::Gpu, sm80Figures},
      {"sm_90", TargetKind::Gpu, sm90Figures}, {"sm_90a", TargetKind::Gpu, getSm90aFigures()},
      {"gfx942", TargetKind::Gpu, gfx942Figures}};
  return devices;
}

const Device *findDevice(StringRef name) {
  name = resolveTargetName(name);
  const Device *device =
      llvm::find_if(getDevices(), [&](const Device &each) { return each.name == name; });
  return device == getDevices().end() ? nullptr : device;
}

} // namespace

ArrayRef<StringRef> mlir::fuse::getTargetNames() {
  static const SmallVector<StringRef> names = llvm::map_to_vector(
      getDevices(), [](const Device &device) { return StringRef(device.name); });
  return names;
}

StringRef mlir::fuse::resolveTargetName(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .CaseLower("a100", "sm_80")
      .CaseLower("h100", "sm_90")
      .CasesLower({"mi300", "mi300x", "mi300a"}, "gfx942")
      .Default(name);
}

std::string mlir::fuse::describeTargetNames() {
  std::string text;
  ArrayRef<StringRef> names = getTargetNames();
  for (auto [index, name] : llvm::enumerate(names)) {
    if (index)
      text += index + 1 == names.size() ? " or " : ", ";
    text += name;
  }
  return text;
}

ArrayRef<KnownFigure> mlir::fuse::getKnownFigures(StringRef name) {
  const Device *device = findDevice(name);
  return device ? device->figures : ArrayRef<KnownFigure>();
}

FailureOr<TargetAttr> mlir::fuse::lookupTarget(MLIRContext *context, StringRef name,
                                               function_ref<InFlightDiagnostic()> emitError) {
  const Device *device = findDevice(name);
  if (!device)
    return emitError() << "unknown target: expected " << describeTargetNames() << ", found '"
                       << name << "'";
  if (device->figures.empty())
    return TargetAttr::getDefault(context);
  Builder builder(context);
  SmallVector<NamedAttribute> figures;
  for (const KnownFigure &figure : device->figures)
    figures.push_back(builder.getNamedAttr(figure.key, builder.getF64FloatAttr(figure.value)));
  return TargetAttr::get(context, device->name, device->kind, builder.getDictionaryAttr(figures));
}
