//===- LoadedBundle.cpp - One thread's use of a bundle ---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/LoadedBundle.h"

#include "fuse/Support/Clock.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isBundle(StringRef path) {
  if (!llvm::sys::fs::is_regular_file(path)) // reading a pipe would take from it
    return false;
  auto start = llvm::MemoryBuffer::getFileSlice(path, /*MapSize=*/4, /*Offset=*/0);
  return start && (*start)->getBuffer() == llvm::ELF::ElfMagic;
}

LoadedBundle::~LoadedBundle() {
  fuse_program_context_destroy(context);
  fuse_program_release(program);
}

llvm::Error LoadedBundle::makeError() const {
  return llvm::createStringError(fuse_program_error(context));
}

llvm::Expected<std::unique_ptr<LoadedBundle>> LoadedBundle::open(StringRef path, int32_t threads) {
  std::unique_ptr<LoadedBundle> loaded(new LoadedBundle());
  if (llvm::Error error = loaded->load(path, threads))
    return std::move(error);
  return loaded;
}

llvm::Error LoadedBundle::load(StringRef path, int32_t threads) {
  char text[FUSE_ERROR_CAPACITY] = {};
  if (fuse_program_load(path.str().c_str(), nullptr, &program, text, sizeof text))
    return llvm::createStringError(text);
  if (fuse_program_context_create(program, threads, &context, text, sizeof text))
    return llvm::createStringError("'" + path + "': " + text);
  report = fuse_program_report(program);
  version = fuse_program_version(program);
  cpus = fuse_program_cpus(program);
  cpu = fuse_program_cpu(program);
  signature.function = llvm::sys::path::stem(path).str();
  describe();
  return llvm::Error::success();
}

/// `axes`: as fuse_bundle_input_axes has them; null: the value is not cut.
static Sharding toSharding(ArrayRef<int64_t> grid, const int64_t *axes, int32_t rank) {
  Sharding sharding;
  if (!axes)
    return sharding;
  sharding.grid.assign(grid.begin(), grid.end());
  for (int32_t dim = 0; dim < rank; ++dim) {
    int64_t count = *axes++;
    sharding.axes.emplace_back(axes, axes + count);
    axes += count;
  }
  return sharding;
}

/// `getDim`: names of dimensions of the value at `index`.
static ValueInfo toInfo(const fuse_program *program, const fuse_bundle_value &value, int64_t index,
                        decltype(&fuse_program_input_dim) getDim) {
  ValueInfo info;
  info.name = value.name;
  info.type = static_cast<ElementType>(value.dtype);
  for (int64_t size : ArrayRef(value.shape, static_cast<size_t>(value.rank)))
    info.shape.push_back(size < 0 ? ShapedType::kDynamic : size);
  for (int32_t dim = 0; dim < value.rank; ++dim) {
    const char *name = getDim(program, index, dim);
    info.dimNames.push_back(name ? name : "");
  }
  info.isMemref = value.flags & FUSE_VALUE_IN_PLACE;
  info.saysSizes = value.flags & FUSE_VALUE_SAYS_SIZES;
  return info;
}

void LoadedBundle::describe() {
  const int64_t *grid;
  int64_t gridAxes = fuse_program_grid(program, &grid);
  signature.grid.assign(grid, grid + gridAxes);
  for (int64_t i = 0; i < fuse_program_num_inputs(program); ++i) {
    const fuse_bundle_value &value = *fuse_program_input(program, i);
    signature.inputs.push_back(toInfo(program, value, i, fuse_program_input_dim));
    signature.inputs.back().sharding =
        toSharding(signature.grid, fuse_program_input_axes(program, i), value.rank);
    indexExtents.push_back(value.indices_below ? std::optional(value.indices_below) : std::nullopt);
  }
  for (int64_t i = 0; i < fuse_program_num_outputs(program); ++i) {
    const fuse_bundle_value &value = *fuse_program_output(program, i);
    signature.results.push_back(toInfo(program, value, i, fuse_program_output_dim));
    signature.results.back().sharding =
        toSharding(signature.grid, fuse_program_output_axes(program, i), value.rank);
  }
}

static fuse_buffer toBuffer(HostArray &array) {
  return {array.getBytes(), array.getShape().data(), nullptr, static_cast<int32_t>(array.getRank()),
          static_cast<int32_t>(array.getElementType())};
}

llvm::Error LoadedBundle::bind(ArrayRef<NamedArray> given) {
  auto matched = signature.matchInputs(given);
  if (!matched)
    return matched.takeError();
  inputs = std::move(*matched);
  originals.assign(inputs.size(), HostArray());
  outputs.clear();
  ins.clear();
  for (auto [i, info] : llvm::enumerate(signature.inputs)) {
    if (info.isMemref) {
      originals[i] = inputs[i];
      inputs[i] = inputs[i].clone();
    }
    ins.push_back(toBuffer(inputs[i]));
  }
  outs.assign(signature.results.size(), fuse_buffer{});
  if (fuse_program_query(context, ins.data(), outs.data()))
    return makeError();
  for (auto [info, buffer] : llvm::zip_equal(signature.results, outs)) {
    auto array = HostArray::create(info.type, ArrayRef(buffer.sizes, info.shape.size()));
    if (!array)
      return llvm::createStringError("output '" + info.name +
                                     "': " + llvm::toString(array.takeError()));
    outputs.push_back({info.name, std::move(*array)});
    buffer = toBuffer(outputs.back().array);
    // The array moves with the list; null stands for what the query said.
    buffer.sizes = nullptr;
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (signature.inputs[i].isMemref)
      outputs.push_back({signature.inputs[i].name, inputs[i]});
  return llvm::Error::success();
}

llvm::Error LoadedBundle::run() {
  for (size_t i = 0; i < originals.size(); ++i)
    if (originals[i])
      std::memcpy(inputs[i].getBytes(), originals[i].getBytes(),
                  static_cast<size_t>(originals[i].getByteSize()));
  int64_t begin = getSteadyNs();
  int32_t status = fuse_program_run(context, ins.data(), outs.data());
  lastRun = getSteadyNs() - begin;
  return status ? makeError() : llvm::Error::success();
}
