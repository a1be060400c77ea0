//===- Arrays.cpp - Inputs from files, outputs to the terminal -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Arrays.h"

#include "fuse/Execution/RandomInputs.h"
#include "fuse/Support/Npy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::fuse;

static std::string quoteAll(ArrayRef<std::string> names) {
  return names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'";
}

template <typename Range>
static std::string listNames(const Range &range) {
  std::vector<std::string> names;
  for (const auto &each : range)
    names.push_back(each.name);
  return quoteAll(names);
}

/// Weights are asked for by nobody: they come with a model, or under names that fit.
static std::vector<ValueInfo> withoutParameters(const Signature &signature) {
  std::vector<ValueInfo> inputs;
  llvm::copy_if(signature.inputs, std::back_inserter(inputs),
                [](const ValueInfo &info) { return !info.isParam; });
  return inputs;
}

template <typename Range>
static bool hasName(const Range &range, StringRef name) {
  return llvm::any_of(range, [&](const auto &each) { return each.name == name; });
}

/// What this rank has of an array: at once, so that no rank holds all arrays in full.
static llvm::Expected<HostArray> takePart(const ValueInfo &info, const HostArray &array,
                                          const Job &job) {
  if (llvm::Error error = info.getFull().check(array))
    return llvm::createStringError("input '" + info.name +
                                   "': " + llvm::toString(std::move(error)));
  auto part = info.sharding.takePart(array, job.getRank());
  if (!part)
    return llvm::createStringError("input '" + info.name +
                                   "': " + llvm::toString(part.takeError()));
  return part;
}

llvm::Expected<std::vector<NamedArray>>
mlir::fuse::gatherInputs(const Signature &signature, const RunOptions &options,
                         ArrayRef<InputFile> files, ArrayRef<NamedArray> parameters,
                         ArrayRef<std::optional<int64_t>> indexExtents, const Job *job) {
  std::vector<NamedArray> given;
  auto give = [&](StringRef name, const HostArray &array, bool isPart) -> llvm::Error {
    auto info = llvm::find_if(signature.inputs,
                              [&](const ValueInfo &each) { return each.name == name; });
    if (!job || isPart || info == signature.inputs.end() || !info->sharding.isCut()) {
      given.push_back({name.str(), array});
      return llvm::Error::success();
    }
    auto part = takePart(*info, array, *job);
    if (!part)
      return part.takeError();
    given.push_back({name.str(), std::move(*part)});
    return llvm::Error::success();
  };
  std::vector<std::string> unused;
  for (const InputFile &file : files) {
    bool isUsed = !file.isArchive() ||
                  (file.getNames().empty() && withoutParameters(signature).empty());
    for (const std::string &name : file.getNames()) {
      if (file.isArchive() && !hasName(signature.inputs, name)) {
        unused.push_back(name);
        continue;
      }
      isUsed = true;
      auto array = file.read(name);
      if (!array)
        return array.takeError();
      if (llvm::Error error = give(name, *array, options.inputsPerRank))
        return std::move(error);
    }
    if (!isUsed)
      return llvm::createStringError(file.getPath() + ": expected arrays named " +
                                     listNames(withoutParameters(signature)) + ", found " +
                                     quoteAll(file.getNames()));
  }
  for (const NamedArray &parameter : parameters)
    if (!hasName(given, parameter.name))
      if (llvm::Error error = give(parameter.name, parameter.array, /*isPart=*/false))
        return std::move(error);
  if (options.randomSeed)
    for (auto [info, extent] : llvm::zip(signature.inputs, indexExtents)) {
      if (hasName(given, info.name))
        continue;
      auto array = makeRandomInput(job ? info.getFull() : info, *options.randomSeed, extent);
      if (!array)
        return array.takeError();
      if (llvm::Error error = give(info.name, *array, /*isPart=*/false))
        return std::move(error);
    }
  auto matched = signature.matchInputs(given);
  if (!matched) {
    std::string text = llvm::toString(matched.takeError());
    if (!unused.empty())
      text += "; not used: " + quoteAll(unused);
    for (const ValueInfo &info : withoutParameters(signature))
      if (StringRef(text).starts_with("input '" + info.name + "' is missing")) {
        text += "; give it with --inputs F.npz or --input " + info.name +
                "=F.npy, or make it up with --random-inputs SEED";
        break;
      }
    return llvm::createStringError(text);
  }
  std::vector<NamedArray> inputs;
  for (auto [info, array] : llvm::zip_equal(signature.inputs, *matched))
    inputs.push_back({info.name, array});
  return inputs;
}

llvm::Expected<std::vector<NamedArray>>
mlir::fuse::joinOutputs(const Signature &signature, ArrayRef<NamedArray> outputs, Job &job) {
  std::vector<NamedArray> joined;
  for (const NamedArray &output : outputs) {
    const Sharding *sharding = nullptr;
    for (ArrayRef<ValueInfo> infos : {ArrayRef(signature.results), ArrayRef(signature.inputs)})
      for (const ValueInfo &info : infos)
        if (!sharding && info.name == output.name)
          sharding = &info.sharding;
    auto full = job.join(output.array, *sharding);
    if (!full)
      return llvm::createStringError("output '" + output.name +
                                     "': " + llvm::toString(full.takeError()));
    joined.push_back({output.name, std::move(*full)});
  }
  return joined;
}

llvm::Expected<std::vector<NamedArray>>
mlir::fuse::readExpected(StringRef path, const Signature &signature) {
  auto archive = NpzArchive::open(path);
  if (!archive)
    return archive.takeError();
  std::vector<ValueInfo> outputs = signature.results;
  llvm::copy_if(signature.inputs, std::back_inserter(outputs),
                [](const ValueInfo &info) { return info.isMemref; });
  std::vector<NamedArray> wanted;
  for (const std::string &name : archive->getNames()) {
    auto info = llvm::find_if(outputs, [&](const ValueInfo &each) { return each.name == name; });
    if (info == outputs.end())
      continue;
    auto array = archive->read(name);
    if (!array)
      return array.takeError();
    if (llvm::Error error = info->check(*array))
      return llvm::createStringError(path + ": '" + name +
                                     "': " + llvm::toString(std::move(error)));
    wanted.push_back({name, std::move(*array)});
  }
  if (wanted.empty())
    return llvm::createStringError(path + ": expected arrays named " + listNames(outputs) +
                                   ", found " + quoteAll(archive->getNames()));
  return wanted;
}

Tolerance mlir::fuse::getTolerance(const RunOptions &options, ElementType type) {
  Tolerance tolerance = getDefaultTolerance(type);
  if (isFloatElement(type)) {
    tolerance.rtol = options.rtol.value_or(tolerance.rtol);
    tolerance.atol = options.atol.value_or(tolerance.atol);
  }
  return tolerance;
}

llvm::Error mlir::fuse::compareOutputs(ArrayRef<NamedArray> outputs, ArrayRef<NamedArray> wanted,
                                       const RunOptions &options, StringRef reference,
                                       llvm::raw_ostream &os) {
  std::string failures;
  for (const NamedArray &want : wanted) {
    const NamedArray *got =
        llvm::find_if(outputs, [&](const NamedArray &each) { return each.name == want.name; });
    Tolerance tolerance = getTolerance(options, want.array.getElementType());
    auto comparison = compareArrays(got->array, want.array, tolerance);
    if (!comparison)
      return llvm::createStringError("output '" + want.name + "', against " + reference + ": " +
                                     llvm::toString(comparison.takeError()));
    os << want.name << ": largest error " << llvm::format("%.3g", comparison->largestError);
    if (comparison->worst >= 0)
      os << " at " << formatIndex(comparison->worst, want.array.getShape())
         << llvm::format(" (got %.9g, want %.9g)", comparison->got, comparison->want);
    os << llvm::format(", rtol %g, atol %g, against ", tolerance.rtol, tolerance.atol)
       << reference << "\n";
    if (!comparison->fits())
      failures += (failures.empty() ? "" : "; ") + ("output '" + want.name + "': ") +
                  std::to_string(comparison->wrong) + " of " +
                  std::to_string(comparison->elements) + " elements are beyond the tolerance";
  }
  if (failures.empty())
    return llvm::Error::success();
  return llvm::createStringError("against " + reference + ": " + failures);
}

static void printElement(const HostArray &array, int64_t index, llvm::raw_ostream &os) {
  ElementType type = array.getElementType();
  if (isFloatElement(type))
    os << llvm::format("%.6g", array.getFloat(index));
  else if (type == ElementType::I1)
    os << (array.getInt(index) ? "true" : "false");
  else if (isUnsignedElement(type))
    os << array.getUInt(index);
  else
    os << array.getInt(index);
}

void mlir::fuse::printSummary(const NamedArray &output, llvm::raw_ostream &os) {
  constexpr int64_t kMost = 8;
  int64_t elements = output.array.getNumElements();
  os << output.name << ": " << output.array.describe() << " = [";
  for (int64_t i = 0; i < std::min(elements, kMost); ++i) {
    os << (i ? ", " : "");
    printElement(output.array, i, os);
  }
  os << (elements > kMost ? ", ...]\n" : "]\n");
}
