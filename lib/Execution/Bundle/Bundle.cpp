//===- Bundle.cpp - Compiled programs as files -----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/Bundle.h"

#include "../MachineCode/NativeCode.h"
#include "BundleParts.h"
#include "fuse/Execution/Backend.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Files that appear under their names together, once all of them are complete.
class FileSet {
public:
  ~FileSet() {
    for (File &file : files)
      llvm::consumeError(file.temporary.discard());
  }

  /// Adds a file that is to be called `path`.
  llvm::Error add(std::string path) {
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(path, status) && llvm::sys::fs::exists(status) &&
        !llvm::sys::fs::is_regular_file(status))
      return fail(path, "expected a regular file, found another kind of file");
    auto file = llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%", 0666);
    if (!file)
      return fail(path, llvm::toString(file.takeError()));
    files.push_back({std::move(path), std::move(*file)});
    return llvm::Error::success();
  }

  /// Fills the file that was added as number `index`.
  llvm::Error write(size_t index, llvm::function_ref<void(llvm::raw_ostream &)> fill) {
    llvm::raw_fd_ostream stream(files[index].temporary.FD, /*shouldClose=*/false);
    fill(stream);
    stream.flush();
    std::error_code code = stream.error();
    stream.clear_error();
    return code ? fail(files[index].path, code.message()) : llvm::Error::success();
  }

  /// Gives the files their names, the first one last.
  llvm::Error keep() {
    for (size_t i = files.size(); i-- > 0;) {
      if (llvm::Error error = files[i].temporary.keep(files[i].path)) {
        for (size_t done = i + 1; done < files.size(); ++done)
          (void)llvm::sys::fs::remove(files[done].path);
        return fail(files[i].path, llvm::toString(std::move(error)));
      }
    }
    return llvm::Error::success();
  }

private:
  struct File {
    std::string path;
    llvm::sys::fs::TempFile temporary;
  };

  static llvm::Error fail(StringRef path, const Twine &text) {
    return llvm::createStringError("'" + path + "': cannot write: " + text);
  }

  std::vector<File> files;
};
} // namespace

/// Of all that decides what a run computes.
static BuildId computeBuildId(ArrayRef<BundleVariant> variants, const WeightsLayout &weights,
                              StringRef description) {
  std::vector<uint64_t> parts;
  auto add = [&](const char *data, size_t size) {
    llvm::XXH128_hash_t hash =
        llvm::xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(data), size));
    parts.push_back(hash.low64);
    parts.push_back(hash.high64);
  };
  // Code of a device is part of the description.
  for (const BundleVariant &variant : variants)
    for (const std::unique_ptr<llvm::MemoryBuffer> &object : variant.compiled.objects)
      if (object)
        add(object->getBufferStart(), object->getBufferSize());
  for (const WeightsLayout::Entry &entry : weights.entries)
    add(entry.array->getBytes(), static_cast<size_t>(entry.array->getByteSize()));
  add(description.data(), description.size());
  add(reinterpret_cast<const char *>(parts.data()), parts.size() * sizeof(uint64_t));
  return {parts[parts.size() - 2], parts.back()};
}

/// Opens the files of a bundle whose name, without its extension, goes to `stem`.
static llvm::Error addFiles(StringRef path, FileSet &files, StringRef &stem) {
  stem = path;
  if (!stem.consume_back(".so"))
    return llvm::createStringError("expected a file's name that ends in .so, found '" + path + "'");
  for (StringRef extension : {".so", ".weights", ".h"})
    if (llvm::Error error = files.add((stem + extension).str()))
      return error;
  return llvm::Error::success();
}

llvm::Error mlir::fuse::checkBundleFiles(StringRef path) {
  FileSet files;
  StringRef stem;
  return addFiles(path, files, stem);
}

llvm::Error mlir::fuse::writeBundle(StringRef path, std::vector<BundleVariant> variants,
                                    const BundleContents &contents,
                                    const ObjectCompilerOptions &options) {
  if (!options.backend->canBundle())
    return llvm::createStringError("expected a backend that has bundles, found '" +
                                   options.backend->getName() + "'");
  FileSet files;
  StringRef stem;
  if (llvm::Error error = addFiles(path, files, stem))
    return error;
  StringRef name = llvm::sys::path::filename(stem);
  auto weights = WeightsLayout::get(contents);
  if (!weights)
    return weights.takeError();
  // The functions of the first keep their names.
  for (BundleVariant &variant : llvm::MutableArrayRef(variants).drop_front()) {
    variant.suffix = "." + variant.cpu;
    if (llvm::Error error = renameSymbols(variant.compiled.objects, variant.suffix))
      return error;
  }
  std::string anonymous = describeProgram(contents, *weights, variants, BuildId{});
  BuildId build = computeBuildId(variants, *weights, anonymous);
  auto description =
      compileAssembly(describeProgram(contents, *weights, variants, build), "description", options);
  if (!description)
    return description.takeError();
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  for (BundleVariant &variant : variants)
    llvm::move(variant.compiled.objects, std::back_inserter(objects));
  objects.push_back(std::move(*description));
  auto library = linkBundle((name + ".so").str(), llvm::sys::path::parent_path(path), objects, *options.backend);
  if (!library)
    return library.takeError();

  std::string header = writeHeader(name, contents);
  char seal[FUSE_BUNDLE_SEAL_BYTES];
  fuse_bundle_seal((*library)->getBufferStart(), (*library)->getBufferSize(), seal);
  if (llvm::Error error = files.write(0, [&](llvm::raw_ostream &os) {
        os << (*library)->getBuffer() << StringRef(seal, sizeof seal);
      }))
    return error;
  if (llvm::Error error = files.write(1, [&](llvm::raw_ostream &os) { weights->write(os, build); }))
    return error;
  if (llvm::Error error = files.write(2, [&](llvm::raw_ostream &os) { os << header; }))
    return error;
  return files.keep();
}
