//===- MemoryBundle.cpp - Compiled programs as if they were bundles ---------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/MemoryBundle.h"

#include "BundleParts.h"
#include "fuse/Execution/Backend.h"
#include "fuse/Execution/CpuLevel.h"
#include "fuse/Execution/Program.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A description with all that it points at.
class MemoryBundle {
public:
  MemoryBundle(std::shared_ptr<const Program> loaded, const BundleVariant &variant,
               const BundleContents &contents, ArrayRef<WeightsLayout::Entry> entries,
               std::string cpus, std::shared_ptr<const void> owner);

  const fuse_bundle_program &getDescription() const { return description; }
  const void *const *getWeights() const { return weights.data(); }

private:
  const char *keep(StringRef text) { return texts.emplace_back(text.str()).c_str(); }
  fuse_bundle_value describe(const ValueInfo &info, int64_t indicesBelow,
                             std::vector<const char *> &dims);

  std::shared_ptr<const void> owner; // of the weights, let go last
  std::shared_ptr<const Program> program;
  std::deque<std::string> texts;
  std::deque<SmallVector<int64_t>> shapes;
  std::vector<fuse_bundle_argument> arguments;
  std::vector<fuse_bundle_value> outputs;
  std::vector<const char *> argumentDims, outputDims;
  std::vector<const void *> weights;
  fuse_bundle_program description = {};
};
} // namespace

fuse_bundle_value MemoryBundle::describe(const ValueInfo &info, int64_t indicesBelow,
                                         std::vector<const char *> &dims) {
  SmallVector<int64_t> &shape = shapes.emplace_back();
  for (auto [dim, size] : llvm::enumerate(info.shape)) {
    shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    StringRef name = info.getDimName(dim);
    dims.push_back(name.empty() ? nullptr : keep(name));
  }
  fuse_bundle_value value = {};
  value.name = keep(info.name);
  value.shape = shape.data();
  value.rank = static_cast<int32_t>(shape.size());
  value.dtype = static_cast<int32_t>(info.type);
  value.flags =
      (info.isMemref ? FUSE_VALUE_IN_PLACE : 0) | (info.saysSizes ? FUSE_VALUE_SAYS_SIZES : 0);
  value.indices_below = indicesBelow;
  return value;
}

MemoryBundle::MemoryBundle(std::shared_ptr<const Program> loaded, const BundleVariant &variant,
                           const BundleContents &contents, ArrayRef<WeightsLayout::Entry> entries,
                           std::string cpus, std::shared_ptr<const void> given)
    : owner(std::move(given)), program(std::move(loaded)) {
  const Signature &signature = contents.signature;
  auto add = [&](const ValueInfo &info, int64_t below, int64_t role) {
    arguments.push_back({describe(info, below, argumentDims), role, 0});
  };
  for (auto [i, info] : llvm::enumerate(signature.inputs)) {
    int64_t below = i < contents.indexExtents.size() ? contents.indexExtents[i].value_or(0) : 0;
    add(info, below, info.isParam ? FUSE_ARGUMENT_WEIGHT : FUSE_ARGUMENT_INPUT);
  }
  for (const ValueInfo &info : signature.prepared)
    add(info, 0, FUSE_ARGUMENT_PREPARED);
  for (const ValueInfo &info : signature.results)
    outputs.push_back(describe(info, 0, outputDims));
  for (const WeightsLayout::Entry &entry : entries)
    weights.push_back(entry.array->getBytes());
  weights.push_back(nullptr); // an empty list is one all the same

  const ProgramEntry &entry = program->getEntries().front();
  description.abi_version = FUSE_ABI_VERSION;
  description.version = keep(getBundleVersion());
  description.function = keep(signature.function);
  description.report = keep(contents.report);
  description.cpu_features = keep(variant.features);
  description.num_arguments = static_cast<int64_t>(arguments.size());
  description.num_outputs = static_cast<int64_t>(outputs.size());
  description.num_kernels = static_cast<int64_t>(program->getKernels().size());
  description.arguments = arguments.data();
  description.outputs = outputs.data();
  description.kernels = program->getKernels().data();
  description.prepare = entry.prepare;
  description.query = entry.query;
  description.run = entry.run;
  StringRef device = program->getBackend().getBundleDevice();
  description.device = device.empty() ? nullptr : keep(device);
  description.cpu = keep(variant.cpu);
  description.cpus = keep(cpus);
  description.argument_dims = argumentDims.data();
  description.output_dims = outputDims.data();
}

/// The objects of a program that stays, for a loader that wants its own.
static CompiledObjects share(const CompiledObjects &compiled) {
  CompiledObjects shared;
  shared.backend = compiled.backend;
  shared.images = compiled.images;
  shared.kernels = compiled.kernels;
  for (const std::unique_ptr<llvm::MemoryBuffer> &object : compiled.objects)
    shared.objects.push_back(
        object ? llvm::MemoryBuffer::getMemBuffer(object->getMemBufferRef(),
                                                  /*RequiresNullTerminator=*/false)
               : nullptr);
  return shared;
}

/// Null, with the reason in `error`, where this CPU can run none of them.
static const BundleVariant *chooseVariant(ArrayRef<BundleVariant> variants, StringRef cpus,
                                          llvm::Error &error) {
  llvm::ErrorAsOutParameter checked(error);
  std::string missing;
  for (const BundleVariant &variant : variants) {
    const std::optional<CpuLevel> level = findCpuLevel(variant.cpu);
    missing = level ? findMissingFeature(*level) : "";
    if (missing.empty())
      return &variant;
  }
  error = llvm::createStringError("compiled for " + cpus +
                                  ", of which this CPU is none: it lacks " + missing);
  return nullptr;
}

llvm::Expected<fuse_program *> mlir::fuse::openInMemory(ArrayRef<BundleVariant> variants,
                                                        const BundleContents &contents,
                                                        std::shared_ptr<const void> owner) {
  const Backend &backend = *variants.front().compiled.backend;
  if (!backend.canBundle())
    return llvm::createStringError("expected a backend that has bundles, found '" +
                                   backend.getName() + "'");
  if (countRanks(contents.signature.grid) > 1)
    return llvm::createStringError("expected a program of one process, found a grid of " +
                                   formatGrid(contents.signature.grid) +
                                   ": write a bundle, which each process opens");
  std::string cpus = llvm::join(
      llvm::map_range(variants, [](const BundleVariant &each) { return StringRef(each.cpu); }),
      ",");
  llvm::Error error = llvm::Error::success();
  const BundleVariant *variant = chooseVariant(variants, cpus, error);
  if (!variant)
    return std::move(error);
  auto layout = WeightsLayout::get(contents);
  if (!layout)
    return layout.takeError();
  auto program = Program::load(share(variant->compiled), contents.signature);
  if (!program)
    return program.takeError();
  auto bundle = std::make_unique<MemoryBundle>(std::move(*program), *variant, contents,
                                               layout->entries, cpus, std::move(owner));
  char reason[FUSE_ERROR_CAPACITY];
  fuse_program *opened = nullptr;
  MemoryBundle *given = bundle.release(); // let go by the program, also where opening fails
  if (fuse_program_open(
          &given->getDescription(), given->getWeights(),
          [](void *each) { delete static_cast<MemoryBundle *>(each); }, given, &opened, reason,
          sizeof reason))
    return llvm::createStringError(reason);
  return opened;
}
