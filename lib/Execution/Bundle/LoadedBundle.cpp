//===- LoadedBundle.cpp - One thread's use of a bundle ---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/LoadedBundle.h"

#include "BundleParts.h"
#include "fuse/Support/Clock.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isBundle(StringRef path) {
  if (!llvm::sys::fs::is_regular_file(path)) // reading a pipe would take from it
    return false;
  auto start = llvm::MemoryBuffer::getFileSlice(path, /*MapSize=*/4, /*Offset=*/0);
  return start && (*start)->getBuffer() == llvm::ELF::ElfMagic;
}

/// dlopen maps what the headers say, and a page behind the end of the file is death by a signal
/// where it is touched. What is no 64-bit ELF file dlopen itself refuses.
static llvm::Error checkLength(StringRef data) {
  using namespace llvm::ELF;
  if (!data.starts_with(ElfMagic) || (data.size() > EI_CLASS && data[EI_CLASS] != ELFCLASS64))
    return llvm::Error::success();
  uint64_t expected = 0;
  auto expect = [&](uint64_t offset, uint64_t bytes) -> llvm::Error {
    expected = std::max(expected, llvm::SaturatingAdd(offset, bytes));
    if (expected <= data.size())
      return llvm::Error::success();
    return llvm::createStringError("expected at least " + std::to_string(expected) +
                                   " bytes, as the file's headers say, found " +
                                   std::to_string(data.size()));
  };
  Elf64_Ehdr header;
  if (llvm::Error error = expect(0, sizeof header))
    return error;
  std::memcpy(&header, data.data(), sizeof header);
  uint64_t programs = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  // The sections' headers are the end of the file, so that they are missed first.
  if (llvm::Error error = expect(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)))
    return error;
  if (llvm::Error error = expect(header.e_phoff, programs))
    return error;
  for (uint64_t at = 0; at < programs; at += sizeof(Elf64_Phdr)) {
    Elf64_Phdr segment;
    std::memcpy(&segment, data.data() + header.e_phoff + at, sizeof segment);
    if (segment.p_type == PT_LOAD)
      if (llvm::Error error = expect(segment.p_offset, segment.p_filesz))
        return error;
  }
  return llvm::Error::success();
}

/// What is damaged could end the process when it is loaded. What is not there dlopen itself
/// refuses.
static llvm::Error checkFile(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::Error::success();
  if (llvm::Error error = checkLength((*file)->getBuffer()))
    return error;
  return checkSeal((*file)->getBuffer());
}

/// The functions that bundles of this ABI version have, by their names in Bundle.h, without
/// "fuse_bundle_".
#define FUSE_BUNDLE_FUNCTIONS(ENTRY)                                                               \
  ENTRY(report) ENTRY(cpus) ENTRY(cpu) ENTRY(open) ENTRY(close) ENTRY(num_inputs)                  \
  ENTRY(num_outputs) ENTRY(input) ENTRY(output) ENTRY(context_create) ENTRY(context_destroy)       \
  ENTRY(query) ENTRY(run) ENTRY(error)

struct LoadedBundle::Functions {
#define FUSE_MEMBER(name) decltype(&fuse_bundle_##name) name = nullptr;
  FUSE_MEMBER(abi_version)
  FUSE_MEMBER(version)
  FUSE_BUNDLE_FUNCTIONS(FUSE_MEMBER)
  FUSE_MEMBER(input_dim)
  FUSE_MEMBER(output_dim)
#undef FUSE_MEMBER
};

template <typename Fn>
static llvm::Error find(void *library, const char *name, Fn &function) {
  function = reinterpret_cast<Fn>(dlsym(library, name));
  if (function)
    return llvm::Error::success();
  return llvm::createStringError("is no bundle: it has no function '%s'", name);
}

LoadedBundle::LoadedBundle() = default;

LoadedBundle::~LoadedBundle() {
  if (context)
    functions->context_destroy(context);
  if (bundle)
    functions->close(bundle);
  if (library)
    dlclose(library);
}

llvm::Error LoadedBundle::makeError() const {
  return llvm::createStringError(functions->error(context));
}

llvm::Expected<std::unique_ptr<LoadedBundle>> LoadedBundle::open(StringRef path, int32_t threads) {
  std::unique_ptr<LoadedBundle> loaded(new LoadedBundle());
  if (llvm::Error error = loaded->load(path, threads))
    return llvm::createStringError("'" + path + "': " + llvm::toString(std::move(error)));
  return loaded;
}

llvm::Error LoadedBundle::load(StringRef path, int32_t threads) {
  SmallString<128> file(path); // a name without a folder would be looked for elsewhere
  if (std::error_code code = llvm::sys::fs::make_absolute(file))
    return llvm::errorCodeToError(code);
  if (llvm::Error error = checkFile(file))
    return error;
  library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError(std::string("cannot load: ") + dlerror());
  functions = std::make_unique<Functions>();
  if (llvm::Error error = find(library, "fuse_bundle_abi_version", functions->abi_version))
    return error;
  if (llvm::Error error = find(library, "fuse_bundle_version", functions->version))
    return error;
  version = functions->version();
  if (functions->abi_version() != FUSE_ABI_VERSION)
    return llvm::createStringError(
        "expected a bundle of ABI version " + std::to_string(FUSE_ABI_VERSION) + ", which fuse " +
        getBundleVersion() + " has, found ABI version " + std::to_string(functions->abi_version()) +
        ", made by fuse " + version + "; compile it again");
#define FUSE_FIND(name)                                                                            \
  if (llvm::Error error = find(library, "fuse_bundle_" #name, functions->name))                    \
    return error;
  FUSE_BUNDLE_FUNCTIONS(FUSE_FIND)
#undef FUSE_FIND
  // Bundles made before names of dimensions were kept have no such functions.
  llvm::consumeError(find(library, "fuse_bundle_input_dim", functions->input_dim));
  llvm::consumeError(find(library, "fuse_bundle_output_dim", functions->output_dim));
  report = functions->report();
  char text[1024] = {};
  if (functions->open(FUSE_ABI_VERSION, nullptr, &bundle, text, sizeof text) ||
      functions->context_create(bundle, threads, &context, text, sizeof text))
    return llvm::createStringError(text);
  cpus = functions->cpus();
  cpu = functions->cpu(bundle);
  signature.function = llvm::sys::path::stem(path).str();
  describe();
  return llvm::Error::success();
}

/// `getDim`: names of dimensions of the value at `index`; null: there are none.
static ValueInfo toInfo(const fuse_bundle *bundle, const fuse_bundle_value &value, int64_t index,
                        decltype(&fuse_bundle_input_dim) getDim) {
  ValueInfo info;
  info.name = value.name;
  info.type = static_cast<ElementType>(value.dtype);
  for (int64_t size : ArrayRef(value.shape, static_cast<size_t>(value.rank)))
    info.shape.push_back(size < 0 ? ShapedType::kDynamic : size);
  for (int32_t dim = 0; dim < value.rank; ++dim) {
    const char *name = getDim ? getDim(bundle, index, dim) : nullptr;
    info.dimNames.push_back(name ? name : "");
  }
  info.isMemref = value.flags & FUSE_VALUE_IN_PLACE;
  info.saysSizes = value.flags & FUSE_VALUE_SAYS_SIZES;
  return info;
}

void LoadedBundle::describe() {
  for (int64_t i = 0; i < functions->num_inputs(bundle); ++i) {
    const fuse_bundle_value &value = *functions->input(bundle, i);
    signature.inputs.push_back(toInfo(bundle, value, i, functions->input_dim));
    indexExtents.push_back(value.indices_below ? std::optional(value.indices_below) : std::nullopt);
  }
  for (int64_t i = 0; i < functions->num_outputs(bundle); ++i)
    signature.results.push_back(
        toInfo(bundle, *functions->output(bundle, i), i, functions->output_dim));
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
  if (functions->query(context, ins.data(), outs.data()))
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
  int32_t status = functions->run(context, ins.data(), outs.data());
  lastRun = getSteadyNs() - begin;
  return status ? makeError() : llvm::Error::success();
}
