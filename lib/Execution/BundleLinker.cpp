//===- BundleLinker.cpp - Objects to a shared library ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleParts.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::fuse;

/// Bundles show their interface and nothing else, so that any number of them can live in a process.
static constexpr StringLiteral kExports = "{\n"
                                          "global: fuse_bundle_*; fuse_dtype_size; "
                                          "fuse_dtype_name; fuse_fail;\n"
                                          "local: *;\n"
                                          "};\n";

static llvm::Expected<std::string> findLinker() {
  for (const char *name : {"ld.lld-22", "ld.lld"}) {
    if (auto path = llvm::sys::findProgramByName(name, {FUSE_LLVM_TOOLS}))
      return *path;
    if (auto path = llvm::sys::findProgramByName(name))
      return *path;
  }
  return llvm::createStringError("cannot find the linker ld.lld (Debian's package lld-22), neither "
                                 "in " FUSE_LLVM_TOOLS " nor in PATH");
}

/// The library that this process has `symbol` from: linking needs no development files then.
static llvm::Expected<std::string> findLibrary(StringRef name, const char *symbol) {
  Dl_info info;
  void *address = dlsym(RTLD_DEFAULT, symbol);
  if (!address || !dladdr(address, &info) ||
      !llvm::sys::path::filename(info.dli_fname).starts_with(name))
    return llvm::createStringError("cannot find " + name.str() + ", which bundles need");
  return std::string(info.dli_fname);
}

static llvm::Error writeFile(const Twine &path, StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path.str(), code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (!code)
    return llvm::Error::success();
  return llvm::createStringError("'" + path.str() + "': cannot write: " + code.message());
}

/// Where the loader looks anyway.
static bool isStandardFolder(StringRef folder) {
  return folder.starts_with("/lib/") || folder.starts_with("/lib64") || folder == "/lib" ||
         folder == "/usr/lib" || folder == "/usr/lib64" ||
         (folder.starts_with("/usr/lib/") && folder.ends_with("-linux-gnu"));
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
mlir::fuse::linkBundle(StringRef name, ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects) {
  auto linker = findLinker();
  if (!linker)
    return linker.takeError();
  std::vector<std::string> libraries;
  // Whatever symbol is asked for, it must be one that no sanitizer replaces.
  for (auto [library, symbol] : {std::pair("libomp", "omp_get_max_threads"),
                                 {"libm.", "fegetround"},
                                 {"libc.", "gnu_get_libc_version"}}) {
    auto path = findLibrary(library, symbol);
    if (!path)
      return path.takeError();
    libraries.push_back(*path);
  }

  SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("fuse-compile", folder))
    return llvm::createStringError("cannot make a temporary folder: " + code.message());
  llvm::scope_exit removeFolder([&] { (void)llvm::sys::fs::remove_directories(folder); });
  auto inFolder = [&](const Twine &file) { return (folder + "/" + file).str(); };

  std::string output = inFolder("bundle.so"), log = inFolder("log");
  std::vector<std::string> words = {*linker, "-o", output, "-soname", name.str()};
  for (const char *word : {"-shared", "-Bsymbolic", "--gc-sections", "-z", "defs", "-z", "now",
                           "--hash-style=gnu", "--build-id=sha1"})
    words.push_back(word);
  words.insert(words.end(), {"--version-script", inFolder("exports")});
  for (auto [i, object] : llvm::enumerate(objects)) {
    words.push_back(inFolder(Twine(i) + ".o"));
    if (llvm::Error error = writeFile(words.back(), object->getBuffer()))
      return error;
  }
  // All of it: nothing in the program refers to what callers use.
  words.insert(words.end(), {"--whole-archive", inFolder("runtime.a"), "--no-whole-archive"});
  if (llvm::Error error = writeFile(inFolder("runtime.a"), getBundleRuntimeArchive()))
    return error;
  if (llvm::Error error = writeFile(inFolder("exports"), kExports))
    return error;
  llvm::append_range(words, libraries);
  StringRef omp = llvm::sys::path::parent_path(libraries.front());
  if (!isStandardFolder(omp))
    words.insert(words.end(), {"-rpath", omp.str()});

  // The command line of a program with thousands of kernels would be too long.
  std::string response;
  for (const std::string &word : ArrayRef(words).drop_front())
    response += "\"" + word + "\"\n";
  if (llvm::Error error = writeFile(inFolder("arguments"), response))
    return error;
  std::string reason;
  std::string arguments = "@" + inFolder("arguments");
  int status =
      llvm::sys::ExecuteAndWait(*linker, {*linker, arguments}, std::nullopt,
                                {std::nullopt, StringRef(log), StringRef(log)}, 0, 0, &reason);
  if (status != 0) {
    if (auto text = llvm::MemoryBuffer::getFile(log))
      reason += (*text)->getBuffer().rtrim();
    return llvm::createStringError("cannot link '" + name.str() + "': " + reason);
  }
  auto bytes = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return llvm::createStringError("'" + output + "': " + bytes.getError().message());
  return std::move(*bytes);
}
