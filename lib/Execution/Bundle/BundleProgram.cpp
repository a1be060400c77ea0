//===- BundleProgram.cpp - A program's description within a bundle ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleParts.h"
#include "fuse/Execution/Backend.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstddef>

using namespace mlir;
using namespace mlir::fuse;

// The text below lays the structs out anew.
static_assert(sizeof(fuse_bundle_value) == 40 && offsetof(fuse_bundle_value, rank) == 16 &&
              offsetof(fuse_bundle_value, indices_below) == 32);
static_assert(sizeof(fuse_bundle_argument) == 56 && offsetof(fuse_bundle_argument, role) == 40);
static_assert(sizeof(fuse_kernel) == 48 && offsetof(fuse_kernel, device) == 40);
static_assert(sizeof(fuse_bundle_program) == 216 &&
              offsetof(fuse_bundle_program, weights_bytes) == 32 &&
              offsetof(fuse_bundle_program, arguments) == 88 &&
              offsetof(fuse_bundle_program, run) == 128 &&
              offsetof(fuse_bundle_program, output_dims) == 168 &&
              offsetof(fuse_bundle_program, grid) == 184 &&
              offsetof(fuse_bundle_program, next) == 208);
static_assert(sizeof(fuse_device_kernel) == 64 && offsetof(fuse_device_kernel, threads) == 32 &&
              offsetof(fuse_device_kernel, params) == 48 && sizeof(fuse_device_param) == 8);

namespace {
/// Writes constants; each gets the next number as its name.
class Assembly {
public:
  Assembly() : os(text) {
    os << "%value = type { ptr, ptr, i32, i32, i32, i32, i64 }\n"
          "%argument = type { %value, i64, i64 }\n"
          "%kernel = type { ptr, ptr, ptr, i64, ptr, ptr }\n"
          "%param = type { i32, i32 }\n"
          "%device = type { ptr, ptr, i64, ptr, i32, i32, i64, ptr, i64 }\n"
          "%program = type { i32, i32, ptr, [2 x i64], i64, ptr, ptr, ptr, i64, i64, i64, "
          "ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, ptr, ptr, ptr, ptr }\n";
  }

  /// "ptr @3" of a string.
  std::string addString(StringRef value) {
    std::string quoted;
    llvm::raw_string_ostream stream(quoted);
    llvm::printEscapedString(value, stream);
    return add("[" + Twine(value.size() + 1) + " x i8]", "c\"" + quoted + "\\00\"");
  }

  std::string addDevice(const std::string &fields) { return add("%device", fields); }

  std::string addShape(ArrayRef<int64_t> shape) {
    std::vector<std::string> sizes;
    for (int64_t size : shape)
      sizes.push_back(std::to_string(ShapedType::isDynamic(size) ? -1 : size));
    return addArray("i64", sizes);
  }

  /// `elements` without their type.
  std::string addArray(StringRef type, ArrayRef<std::string> elements) {
    std::string body;
    for (const std::string &element : elements)
      body += (body.empty() ? "" : ", ") + type.str() + " " + element;
    return add("[" + Twine(elements.size()) + " x " + type + "]",
               elements.empty() ? "zeroinitializer" : "[" + body + "]");
  }

  /// A function that another object defines.
  std::string addFunction(const Twine &name) {
    std::string quoted;
    llvm::raw_string_ostream stream(quoted);
    llvm::printEscapedString(name.str(), stream);
    std::string symbol = "@\"" + quoted + "\"";
    // Equal kernels share one function.
    if (declared.insert(symbol).second)
      os << "declare hidden void " << symbol << "()\n";
    return "ptr " + symbol;
  }

  /// The names of all dimensions, null for none.
  std::string addDimNames(ArrayRef<const ValueInfo *> infos) {
    std::vector<std::string> names;
    for (const ValueInfo *info : infos)
      for (size_t dim = 0; dim < info->shape.size(); ++dim) {
        StringRef name = info->getDimName(dim);
        std::string text = name.empty() ? "ptr null" : addString(name);
        names.push_back(StringRef(text).drop_front(StringRef("ptr ").size()).str());
      }
    return addArray("ptr", names);
  }

  /// For each value the axes of the grid that cut its dimensions; null for one that is not cut.
  std::string addAxes(ArrayRef<const ValueInfo *> infos) {
    std::vector<std::string> lists;
    for (const ValueInfo *info : infos) {
      std::vector<std::string> list;
      for (const auto &axes : info->sharding.axes) {
        list.push_back(std::to_string(axes.size()));
        for (int64_t axis : axes)
          list.push_back(std::to_string(axis));
      }
      std::string text = info->sharding.isCut() ? addArray("i64", list) : "ptr null";
      lists.push_back(StringRef(text).drop_front(StringRef("ptr ").size()).str());
    }
    return addArray("ptr", lists);
  }

  std::string describe(const ValueInfo &info, int64_t indicesBelow) {
    // Arguments are evaluated in any order: names come first.
    std::string name = addString(info.name), shape = addShape(info.shape);
    return llvm::formatv("{{ {0}, {1}, i32 {2}, i32 {3}, i32 {4}, i32 0, i64 {5} }", name, shape,
                         info.shape.size(), static_cast<int>(info.type),
                         (info.isMemref ? FUSE_VALUE_IN_PLACE : 0) | (info.saysSizes ? FUSE_VALUE_SAYS_SIZES : 0), indicesBelow);
  }

  llvm::raw_string_ostream &getStream() { return os; }
  std::string take() { return std::move(text); }

private:
  std::string add(const Twine &type, const Twine &value) {
    std::string name = "@" + std::to_string(next++);
    os << name << " = private constant " << type << " " << value << "\n";
    return "ptr " + name;
  }

  std::string text;
  llvm::raw_string_ostream os;
  llvm::StringSet<> declared;
  unsigned next = 0;
};
} // namespace

static std::string addArguments(Assembly &assembly, const BundleContents &contents,
                                const WeightsLayout &weights) {
  std::vector<std::string> arguments;
  auto add = [&](const ValueInfo &info, int64_t below, int role, int64_t offset) {
    arguments.push_back(llvm::formatv("{{ %value {0}, i64 {1}, i64 {2} }",
                                      assembly.describe(info, below), role, offset));
  };
  const WeightsLayout::Entry *weight = weights.entries.data();
  for (auto [i, info] : llvm::enumerate(contents.signature.inputs)) {
    int64_t below = i < contents.indexExtents.size() ? contents.indexExtents[i].value_or(0) : 0;
    if (info.isParam)
      add(info, below, FUSE_ARGUMENT_WEIGHT, weight++->offset);
    else
      add(info, below, FUSE_ARGUMENT_INPUT, 0);
  }
  for (const ValueInfo &info : contents.signature.prepared)
    add(info, 0, FUSE_ARGUMENT_PREPARED, 0);
  return assembly.addArray("%argument", arguments);
}

namespace {
/// The code that kernels of a device are in, each piece once.
class Images {
public:
  Images(Assembly &assembly, const std::map<size_t, DeviceCode> &images)
      : assembly(assembly), images(images) {}

  /// "ptr @3, i64 BYTES"; a driver takes PTX up to the 0 at its end.
  std::string get(size_t object) {
    auto [known, isNew] = added.try_emplace(object);
    if (isNew) {
      const std::string &bytes = images.at(object).getImage();
      known->second = assembly.addString(bytes) + ", i64 " + std::to_string(bytes.size());
    }
    return known->second;
  }

private:
  Assembly &assembly;
  const std::map<size_t, DeviceCode> &images;
  std::map<size_t, std::string> added;
};
} // namespace

/// What fuse_device_kernel is of a kernel.
static std::string addDeviceKernel(Assembly &assembly, Images &images, const KernelUnit &unit) {
  const KernelUnit::Device &device = *unit.device;
  std::string entry = assembly.addString(unit.symbol), image = images.get(unit.object);
  std::vector<std::string> params;
  for (const fuse_device_param &param : device.params)
    params.push_back("{ i32 " + std::to_string(param.buffer) + ", i32 " +
                     std::to_string(param.what) + " }");
  std::string list = assembly.addArray("%param", params);
  return assembly.addDevice(llvm::formatv(
      "{{ {0}, {1}, ptr null, i32 {2}, i32 {3}, i64 {4}, {5}, i64 {6} }", entry, image,
      device.threads, device.sharedBytes, device.mostBlocks, list, params.size()));
}

static std::string addKernels(Assembly &assembly, const CompiledObjects &compiled,
                              StringRef suffix) {
  auto addFunction = [&](const Twine &name) { return assembly.addFunction(name + suffix); };
  std::vector<std::string> kernels;
  Images images(assembly, compiled.images);
  for (const KernelUnit &unit : compiled.kernels) {
    std::string name = assembly.addString(unit.name);
    std::string run = unit.device ? "ptr null" : addFunction(unit.symbol);
    std::string count = addFunction(unit.getHostSymbol() + "_count");
    std::string scratch =
        unit.hasScratch ? addFunction(unit.getHostSymbol() + "_scratch") : "ptr null";
    std::string device = unit.device ? addDeviceKernel(assembly, images, unit) : "ptr null";
    kernels.push_back("{ " + name + ", " + run + ", " + count + ", i64 " +
                      std::to_string(unit.scratchBytes) + ", " + scratch + ", " + device + " }");
  }
  return assembly.addArray("%kernel", kernels);
}

std::string mlir::fuse::describeProgram(const BundleContents &contents,
                                        const WeightsLayout &weights,
                                        ArrayRef<BundleVariant> variants, BuildId build) {
  const Signature &signature = contents.signature;
  Assembly assembly;
  std::vector<std::string> results;
  for (const ValueInfo &info : signature.results)
    results.push_back(assembly.describe(info, 0));
  std::string version = assembly.addString(getBundleVersion());
  std::string function = assembly.addString(signature.function);
  std::string report = assembly.addString(contents.report);
  std::string arguments = addArguments(assembly, contents, weights);
  std::string outputs = assembly.addArray("%value", results);
  auto getCpu = [](const BundleVariant &variant) { return StringRef(variant.cpu); };
  std::string cpus = assembly.addString(llvm::join(llvm::map_range(variants, getCpu), ","));
  SmallVector<const ValueInfo *> takes, gives;
  for (ArrayRef<ValueInfo> list : {ArrayRef(signature.inputs), ArrayRef(signature.prepared)})
    for (const ValueInfo &info : list)
      takes.push_back(&info);
  for (const ValueInfo &info : signature.results)
    gives.push_back(&info);
  std::string argumentDims = assembly.addDimNames(takes);
  std::string outputDims = assembly.addDimNames(gives);
  std::string ranks = "i64 0, ptr null, ptr null, ptr null";
  if (countRanks(signature.grid) > 1) {
    std::string grid = assembly.addShape(signature.grid);
    std::string inputAxes = assembly.addAxes(takes), outputAxes = assembly.addAxes(gives);
    ranks = llvm::formatv("i64 {0}, {1}, {2}, {3}", signature.grid.size(), grid, inputAxes,
                          outputAxes);
  }
  std::string next = "ptr null";
  // Each refers to the one behind it.
  for (const BundleVariant &variant : llvm::reverse(variants)) {
    const CompiledObjects &compiled = variant.compiled;
    bool isFirst = &variant == &variants.front();
    std::string cpu = assembly.addString(variant.cpu);
    std::string features = assembly.addString(variant.features);
    std::string table = addKernels(assembly, compiled, variant.suffix);
    std::vector<std::string> functions;
    for (const char *prefix : {"fuse_prepare_", "fuse_query_", "fuse_run_"})
      functions.push_back(assembly.addFunction(prefix + signature.function + variant.suffix));
    StringRef deviceName = compiled.backend->getBundleDevice();
    std::string device = deviceName.empty() ? "ptr null" : assembly.addString(deviceName);
    std::string name = isFirst ? "@fuse_the_program" : "@\"variant" + variant.suffix + "\"";
    assembly.getStream() << name << " = " << (isFirst ? "hidden" : "private")
                         << " constant %program { i32 " << FUSE_ABI_VERSION << ", i32 0, "
                         << version << ", [2 x i64] [i64 " << build[0] << ", i64 " << build[1]
                         << "], i64 " << weights.bytes << ", " << function << ", " << report << ", "
                         << features << ", i64 "
                         << signature.inputs.size() + signature.prepared.size() << ", i64 "
                         << results.size() << ", i64 " << compiled.kernels.size() << ", "
                         << arguments << ", " << outputs << ", " << table << ", "
                         << llvm::join(functions, ", ") << ", " << device << ", " << cpu << ", "
                         << cpus << ", " << argumentDims << ", " << outputDims << ", " << ranks << ", "
                         << next
                         << " }\n";
    next = "ptr " + name;
  }
  return assembly.take();
}
