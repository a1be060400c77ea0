//===- Targets.cpp - Known devices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Target/Targets.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

struct Figure {
  StringLiteral key;
  double value;
};

struct Device {
  StringLiteral name;
  TargetKind kind;
  /// Those that differ from the documented defaults; none: the default target itself.
  ArrayRef<Figure> figures;
};

constexpr Figure metalFigures[] = {{"dispatch_ns", 500}, {"roundtrip_ns", 5000},
                                   {"memory_bw", 200},   {"readback_bw", 200},
                                   {"unified", 1},       {"host_thunk_penalty_ns", 2000000},
                                   {"min_gain_ns", 1000}};

constexpr Figure wgpuFigures[] = {{"dispatch_ns", 3000}, {"roundtrip_ns", 30000},
                                  {"memory_bw", 100},    {"readback_bw", 40},
                                  {"unified", 0},        {"host_thunk_penalty_ns", 25000000},
                                  {"min_gain_ns", 10000}};

/// A new device is one row here; units and meanings are in the description of `#fuse.target`.
ArrayRef<Device> getDevices() {
  static const Device devices[] = {{"default", TargetKind::Cpu, {}},
                                   {"metal", TargetKind::Gpu, metalFigures},
                                   {"wgpu", TargetKind::Gpu, wgpuFigures}};
  return devices;
}

} // namespace

ArrayRef<StringRef> mlir::fuse::getTargetNames() {
  static const SmallVector<StringRef> names = llvm::map_to_vector(
      getDevices(), [](const Device &device) { return StringRef(device.name); });
  return names;
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

FailureOr<TargetAttr> mlir::fuse::lookupTarget(MLIRContext *context, StringRef name,
                                               function_ref<InFlightDiagnostic()> emitError) {
  const Device *device =
      llvm::find_if(getDevices(), [&](const Device &each) { return each.name == name; });
  if (device == getDevices().end())
    return emitError() << "unknown target: expected " << describeTargetNames() << ", found '"
                       << name << "'";
  if (device->figures.empty())
    return TargetAttr::getDefault(context);
  Builder builder(context);
  SmallVector<NamedAttribute> figures;
  for (const Figure &figure : device->figures)
    figures.push_back(builder.getNamedAttr(figure.key, builder.getF64FloatAttr(figure.value)));
  return TargetAttr::get(context, device->name, device->kind, builder.getDictionaryAttr(figures));
}
