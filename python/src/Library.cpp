//===- Library.cpp - The shared library behind the package ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Library.h"

#include "Errors.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>

using namespace fuse_python;

namespace {
struct Paths {
  std::string runtime, compiler, openMp;
};
} // namespace

static Paths &getPaths() {
  static Paths paths;
  return paths;
}

void fuse_python::setPaths(std::string runtime, std::string compiler, std::string openMp) {
  getPaths() = {std::move(runtime), std::move(compiler), std::move(openMp)};
}

static Library open(const std::string &path, const char *package, bool compiles) {
  if (path.empty())
    throwError(std::string("the package ") + package + " is not installed: pip install " + package);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throwError("cannot load the package " + std::string(package) + ": " + dlerror());
  Library library;
  library.compiles = compiles;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function)
      throwError("'" + path + "' is not of this version of fuse: it has no function " + name);
  };
#define FUSE_PYTHON_FIND(name) find(library.name, #name);
  FUSE_PYTHON_RUN_FUNCTIONS(FUSE_PYTHON_FIND)
  if (compiles) {
    FUSE_PYTHON_COMPILE_FUNCTIONS(FUSE_PYTHON_FIND)
  }
#undef FUSE_PYTHON_FIND
  if (library.fuse_api_version() != FUSE_API_VERSION)
    throwError("'" + path + "' has version " + std::to_string(library.fuse_api_version()) +
               " of the C interface, and this package needs version " +
               std::to_string(FUSE_API_VERSION) +
               ": install fuse-runtime and fuse-compiler of one version");
  return library;
}

/// An OpenMP runtime that another package has loaded, such as PyTorch's: two teams of threads would
/// disturb each other.
static std::string findLoadedOpenMp() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        const char *base = std::strrchr(info->dlpi_name, '/');
        base = base ? base + 1 : info->dlpi_name;
        for (const char *name : {"libgomp", "libiomp5", "libomp."})
          if (!std::strncmp(base, name, std::strlen(name))) {
            *static_cast<std::string *>(data) = info->dlpi_name;
            return 1;
          }
        return 0;
      },
      &found);
  return found;
}

const Library &fuse_python::getRuntime() {
  static const Library library = open(getPaths().runtime, "fuse-runtime", false);
  chooseOpenMp(library); // each bundle has one of its own
  return library;
}

const Library &fuse_python::getCompiler() {
  static const Library library = [] {
    Library opened = open(getPaths().compiler, "fuse-compiler", true);
    chooseOpenMp(opened);
    return opened;
  }();
  return library;
}

void fuse_python::chooseOpenMp(const Library &library) {
  std::string path = findLoadedOpenMp();
  if (path.empty())
    path = getPaths().openMp;
  if (!path.empty())
    library.fuse_program_set_openmp(path.c_str());
}

fuse_program_context *fuse_python::makeContext(const Library &library, fuse_program *program,
                                               int threads) {
  char error[1024] = "";
  fuse_program_context *context = nullptr;
  if (library.fuse_program_context_create(program, threads, &context, error, sizeof error))
    throwError(error);
  return context;
}
