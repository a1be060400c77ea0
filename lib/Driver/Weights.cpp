//===- Weights.cpp - Which arrays become a bundle's weights ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/Weights.h"

#include "fuse/IR/FuseDialect.h"
#include "fuse/Support/Npy.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static std::string listParameters(const Signature &signature) {
  std::string text;
  for (const ValueInfo &info : signature.inputs)
    if (info.isParam)
      text += (text.empty() ? "'" : ", '") + info.name + "' (" + info.describe() + ")";
  return text.empty() ? "none" : text;
}

namespace {
class Weights {
public:
  explicit Weights(const Signature &signature) : signature(signature) {}

  const ValueInfo *find(StringRef name) const {
    ArrayRef<ValueInfo> inputs = signature.inputs;
    const ValueInfo *info =
        llvm::find_if(inputs, [&](const ValueInfo &each) { return each.name == name; });
    return info == inputs.end() || !info->isParam ? nullptr : info;
  }

  /// Whether there is a parameter of that name; only then the array is read.
  llvm::Expected<bool> add(const InputFile &file, StringRef name) {
    if (!find(name))
      return false;
    auto array = file.read(name);
    if (!array)
      return array.takeError();
    return add({name.str(), std::move(*array)});
  }

  llvm::Expected<bool> add(NamedArray array) {
    const ValueInfo *info = find(array.name);
    if (!info)
      return false;
    if (has(array.name))
      return llvm::createStringError("parameter '" + array.name + "' is given twice");
    if (info->isMemref)
      return llvm::createStringError("parameter '" + array.name +
                                     "' is written by the program and cannot be stored");
    if (llvm::Error error = info->getFull().check(array.array))
      return llvm::createStringError("parameter '" + array.name +
                                     "': " + llvm::toString(std::move(error)));
    arrays.push_back(std::move(array));
    return true;
  }

  bool has(StringRef name) const {
    return llvm::any_of(arrays, [&](const NamedArray &each) { return each.name == name; });
  }

  std::vector<NamedArray> arrays;

private:
  const Signature &signature;
};
} // namespace

llvm::Expected<std::vector<NamedArray>>
mlir::fuse::takeWeights(func::FuncOp func, const Signature &signature, ArrayRef<InputFile> files,
                        ArrayRef<NamedArray> parameters,
                        std::optional<ArrayRef<std::string>> fixedInputs) {
  auto isInput = [&](const std::string &name) {
    return fixedInputs && (llvm::is_contained(*fixedInputs, name) ||
                           llvm::any_of(signature.inputs,
                                        [&](const ValueInfo &info) { return info.name == name; }));
  };
  Weights weights(signature);
  for (const InputFile &file : files) {
    if (!file.isArchive())
      continue;
    bool isUsed = false;
    for (const std::string &name : file.getNames()) {
      auto added = weights.add(file, name);
      if (!added)
        return added.takeError();
      isUsed |= *added;
    }
    if (!isUsed && !fixedInputs)
      return llvm::createStringError(file.getPath() +
                                     ": expected arrays of parameters (fuse.param): " +
                                     listParameters(signature) + ", found none of them");
  }
  for (const InputFile &file : files) {
    if (file.isArchive())
      continue;
    const std::string &name = file.getNames().front();
    auto added = weights.add(file, name);
    if (!added)
      return added.takeError();
    if (!*added && !isInput(name))
      return llvm::createStringError("no parameter (fuse.param) of @" + signature.function +
                                     " is named '" + name + "': expected " +
                                     listParameters(signature));
  }
  for (const NamedArray &parameter : parameters)
    if (!weights.has(parameter.name))
      if (auto added = weights.add(parameter); !added)
        return added.takeError();
  for (auto [i, info] : llvm::enumerate(signature.inputs)) {
    if (!info.isParam || weights.has(info.name))
      continue;
    if (!signature.prepared.empty())
      return llvm::createStringError("parameter '" + info.name + "' is missing: expected " +
                                     info.describe() + ", since the program prepares parameters");
    func.removeArgAttr(static_cast<unsigned>(i), attr::kParam);
  }
  return std::move(weights.arrays);
}
