//===- BundleLinker.cpp - Objects to a shared library ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "../MachineCode/MemoryFile.h"
#include "BundleParts.h"
#include "fuse/Execution/Backend.h"

#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::fuse;

/// Bundles show their interface and nothing else, so that any number of them can live in a process.
static constexpr StringLiteral kExports = "{\n"
                                          "global: fuse_bundle_*; fuse_dtype_size; "
                                          "fuse_dtype_name; fuse_fail;\n"
                                          "local: *;\n"
                                          "};\n";

/// The library that this process has `symbol` from: linking needs no development files then.
static llvm::Expected<std::string> findLibrary(StringRef name, const char *symbol) {
  Dl_info info;
  void *address = dlsym(RTLD_DEFAULT, symbol);
  if (!address || !dladdr(address, &info) ||
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

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::linkBundle(StringRef name, ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects,
                       const Backend &backend) {
  auto linker = findLinker();
  if (!linker)
    return linker.takeError();
  std::vector<std::string> libraries;
  // Whatever symbol is asked for, it must be one that no sanitizer replaces.
  for (auto [library, symbol] : {std::pair("libm.", "fegetround"),
                                 {"libc.", "gnu_get_libc_version"}}) {
    auto path = findLibrary(library, symbol);
    if (!path)
      return path.takeError();
    libraries.push_back(*path);
  }

  auto archived = archive(objects);
  if (!archived)
    return archived.takeError();
  MemoryFile exports, program, runtime, arguments, output;
  // The linker writes to its standard output: what has a name it would replace.
  std::vector<std::string> words = {"-o", "-", "-soname", name.str()};
  for (const char *word : {"-shared", "-Bsymbolic", "--gc-sections", "-z", "defs", "-z", "now",
                           "--hash-style=gnu", "--build-id=sha1"})
    words.push_back(word);
  // All of both: nothing in the program refers to what callers use.
  words.insert(words.end(), {"--version-script", exports.getPath(), "--whole-archive",
                             program.getPath(), runtime.getPath(), "--no-whole-archive"});
  llvm::append_range(words, libraries);

  std::string response;
  for (const std::string &word : words)
    response += "\"" + word + "\"\n";
  for (auto [file, bytes] : {std::pair<MemoryFile *, StringRef>(&exports, kExports),
                             {&program, (*archived)->getBuffer()},
                             {&runtime, getBundleRuntimeArchive(backend.hasDevice())},
                             {&arguments, response},
                             {&output, ""}})
    if (llvm::Error error = file->write(bytes))
      return llvm::createStringError("cannot write what is to be linked: " +
                                     llvm::toString(std::move(error)));
  archived->reset();
  auto messages = runProgram(*linker, {"@" + arguments.getPath()}, &output);
  if (!messages)
    return llvm::createStringError("cannot link '" + name.str() +
                                   "': " + llvm::toString(messages.takeError()));
  auto bytes = output.read();
  if (!bytes)
    return llvm::createStringError("cannot read what was linked: " + bytes.getError().message());
  return std::move(*bytes);
}
