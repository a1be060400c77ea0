//===- BundleWeights.cpp - The file of weights beside a bundle -------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleParts.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

static int64_t alignUp(int64_t offset) {
  return static_cast<int64_t>(llvm::alignTo(offset, FUSE_WEIGHTS_ALIGNMENT));
}

llvm::Expected<WeightsLayout> WeightsLayout::get(const BundleContents &contents) {
  llvm::StringMap<const HostArray *> arrays;
  for (const NamedArray &weight : contents.weights)
    arrays[weight.name] = &weight.array;
  WeightsLayout layout;
  for (const ValueInfo &info : contents.signature.inputs) {
    if (!info.isParam)
      continue;
    const HostArray *array = arrays.lookup(info.name);
    if (!array)
      return llvm::createStringError("parameter '" + info.name + "' is missing: expected " +
                                     info.describe());
    if (llvm::Error error = info.check(*array))
      return llvm::createStringError("parameter '" + info.name +
                                     "': " + llvm::toString(std::move(error)));
    layout.entries.push_back({&info, array, 0});
  }
  layout.bytes = alignUp(static_cast<int64_t>(sizeof(fuse_weights_header) +
                                              layout.entries.size() * sizeof(fuse_weights_entry)));
  for (Entry &entry : layout.entries) {
    entry.offset = layout.bytes;
    layout.bytes = alignUp(layout.bytes + entry.array->getByteSize());
  }
  return layout;
}

void WeightsLayout::write(llvm::raw_ostream &os, BuildId build) const {
  fuse_weights_header header = {};
  std::memcpy(header.magic, FUSE_WEIGHTS_MAGIC, sizeof header.magic);
  header.abi_version = FUSE_ABI_VERSION;
  StringRef version = getBundleVersion().take_front(sizeof header.version);
  llvm::copy(version, header.version);
  header.build[0] = build[0];
  header.build[1] = build[1];
  header.bytes = bytes;
  header.arrays = static_cast<int64_t>(entries.size());
  os.write(reinterpret_cast<const char *>(&header), sizeof header);
  int64_t place = static_cast<int64_t>(sizeof header);
  for (const Entry &entry : entries) {
    fuse_weights_entry text = {entry.offset, entry.array->getByteSize()};
    os.write(reinterpret_cast<const char *>(&text), sizeof text);
    place += static_cast<int64_t>(sizeof text);
  }
  for (const Entry &entry : entries) {
    os.write_zeros(static_cast<unsigned>(entry.offset - place));
    os.write(entry.array->getBytes(), static_cast<size_t>(entry.array->getByteSize()));
    place = entry.offset + entry.array->getByteSize();
  }
  os.write_zeros(static_cast<unsigned>(bytes - place));
}
