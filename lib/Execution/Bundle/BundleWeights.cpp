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
#include <map>

using namespace mlir;
using namespace mlir::fuse;

static int64_t alignUp(int64_t offset) {
  return static_cast<int64_t>(llvm::alignTo(offset, FUSE_WEIGHTS_ALIGNMENT));
}

/// The parts of an array in the order of the axes that cut it, those of the first dimension outermost.
static llvm::Expected<std::vector<HostArray>> cutParts(const ValueInfo &info,
                                                       const HostArray &array) {
  if (!info.sharding.isCut())
    return std::vector<HostArray>{array};
  std::map<SmallVector<int64_t>, HostArray> parts;
  for (int64_t rank = 0, e = countRanks(info.sharding.grid); rank < e; ++rank) {
    SmallVector<int64_t> place;
    for (size_t dim = 0; dim < info.shape.size(); ++dim)
      place.push_back(info.sharding.getPart(dim, rank));
    if (parts.count(place))
      continue;
    auto part = info.sharding.takePart(array, rank);
    if (!part)
      return part.takeError();
    parts.emplace(place, std::move(*part));
  }
  std::vector<HostArray> sorted;
  for (auto &entry : parts)
    sorted.push_back(std::move(entry.second));
  return sorted;
}

int64_t WeightsLayout::Entry::getBytes() const {
  int64_t part = parts.front().getByteSize();
  return static_cast<int64_t>(parts.size() - 1) * alignUp(part) + part;
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
    if (llvm::Error error = info.getFull().check(*array))
      return llvm::createStringError("parameter '" + info.name +
                                     "': " + llvm::toString(std::move(error)));
    auto parts = cutParts(info, *array);
    if (!parts)
      return llvm::createStringError("parameter '" + info.name +
                                     "': " + llvm::toString(parts.takeError()));
    layout.entries.push_back({&info, array, 0, std::move(*parts)});
  }
  layout.bytes = alignUp(static_cast<int64_t>(sizeof(fuse_weights_header) +
                                              layout.entries.size() * sizeof(fuse_weights_entry)));
  for (Entry &entry : layout.entries) {
    entry.offset = layout.bytes;
    layout.bytes = alignUp(layout.bytes + entry.getBytes());
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
    fuse_weights_entry text = {entry.offset, entry.getBytes()};
    os.write(reinterpret_cast<const char *>(&text), sizeof text);
    place += static_cast<int64_t>(sizeof text);
  }
  for (const Entry &entry : entries) {
    int64_t offset = entry.offset;
    for (const HostArray &part : entry.parts) {
      os.write_zeros(static_cast<unsigned>(offset - place));
      os.write(part.getBytes(), static_cast<size_t>(part.getByteSize()));
      place = offset + part.getByteSize();
      offset += alignUp(part.getByteSize());
    }
  }
  os.write_zeros(static_cast<unsigned>(bytes - place));
}
