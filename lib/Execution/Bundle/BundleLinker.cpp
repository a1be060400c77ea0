//===- BundleLinker.cpp - Objects to a shared library ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MachineCode/MemoryFile.h"
#include "BundleParts.h"
#include "fuse/Execution/Backend.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cfenv>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::fuse;

/// Bundles show their interface and nothing else, so that any number of them can live in a process.
static constexpr StringLiteral kExports = "{\n"
                                          "global: fuse_bundle_*; fuse_dtype_size; "
                                          "fuse_dtype_name; fuse_fail;\n"
                                          "local: *;\n"
                                          "};\n";

/// The library that this process has a function from: linking needs no development files then.
template <typename Fn>
static llvm::Expected<std::string> findLibrary(StringRef name, Fn *function) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(function), &info) ||
      !llvm::sys::path::filename(info.dli_fname).starts_with(name))
    return llvm::createStringError("cannot find " + name.str() + ", which bundles need");
  return std::string(info.dli_fname);
}

/// One file for all objects, since a process may have few files open.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
archive(ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects) {
  std::vector<std::string> names;
  for (size_t i = 0; i < objects.size(); ++i)
    names.push_back(std::to_string(i) + ".o");
  std::vector<llvm::NewArchiveMember> members;
  for (auto [object, name] : llvm::zip(objects, names))
    if (object)
      members.emplace_back(llvm::MemoryBufferRef(object->getBuffer(), name));
  return llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab,
                                    llvm::object::Archive::K_GNU, /*Deterministic=*/true,
                                    /*Thin=*/false);
}

/// lld as a library: where bundles are written, no linker need be installed.
static llvm::Error runLinker(ArrayRef<std::string> words) {
  static std::mutex mutex; // its state is the process's
  static bool isBroken = false;
  std::lock_guard<std::mutex> lock(mutex);
  if (isBroken)
    return llvm::createStringError(
        "the linker has failed before in a way that it cannot run again after");
  SmallVector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string text;
  llvm::raw_string_ostream os(text);
  lld::Result result = lld::lldMain(arguments, os, os, {{lld::Gnu, &lld::elf::link}});
  isBroken = !result.canRunAgain;
  if (result.retCode == 0)
    return llvm::Error::success();
  return llvm::createStringError(StringRef(text).rtrim());
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::linkBundle(StringRef name, StringRef folder,
                       ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects,
                       const Backend &backend) {
  std::vector<std::string> libraries;
  // Whatever function is asked for, it must be one that no sanitizer replaces.
  auto math = findLibrary("libm.", &fegetround);
  if (!math)
    return math.takeError();
  auto system = findLibrary("libc.", &gnu_get_libc_version);
  if (!system)
    return system.takeError();
  libraries = {*math, *system};

  auto archived = archive(objects);
  if (!archived)
    return archived.takeError();
  MemoryFile exports, program, runtime;
  // lld writes a file that it renames: it goes where the bundle will be, which can be written to.
  llvm::SmallString<128> model(folder);
  llvm::sys::path::append(model, name + ".tmp-%%%%%%%%");
  auto output = llvm::sys::fs::TempFile::create(model, 0666);
  if (!output)
    return llvm::createStringError("cannot write '" + model +
                                   "': " + llvm::toString(output.takeError()));
  auto discard = llvm::make_scope_exit([&] { llvm::consumeError(output->discard()); });
  std::vector<std::string> words = {"ld.lld", "-o", output->TmpName, "-soname", name.str()};
  for (const char *word : {"-shared", "-Bsymbolic", "--gc-sections", "-z", "defs", "-z", "now",
                           "--hash-style=gnu", "--build-id=sha1"})
    words.push_back(word);
  // All of both: nothing in the program refers to what callers use.
  words.insert(words.end(), {"--version-script", exports.getPath(), "--whole-archive",
                             program.getPath(), runtime.getPath(), "--no-whole-archive"});
  llvm::append_range(words, libraries);

  for (auto [file, bytes] : {std::pair<MemoryFile *, StringRef>(&exports, kExports),
                             {&program, (*archived)->getBuffer()},
                             {&runtime, getBundleRuntimeArchive(backend.hasDevice())}})
    if (llvm::Error error = file->write(bytes))
      return llvm::createStringError("cannot write what is to be linked: " +
                                     llvm::toString(std::move(error)));
  archived->reset();
  if (llvm::Error error = runLinker(words))
    return llvm::createStringError("cannot link '" + name.str() +
                                   "': " + llvm::toString(std::move(error)));
  // Read, not mapped: the file is removed.
  auto bytes = llvm::MemoryBuffer::getFile(output->TmpName, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false,
                                           /*IsVolatile=*/true);
  if (!bytes)
    return llvm::createStringError("cannot read what was linked: " + bytes.getError().message());
  return std::move(*bytes);
}
