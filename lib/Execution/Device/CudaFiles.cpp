//===- CudaFiles.cpp - Where a CUDA toolkit is -----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "CudaFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <vector>

using namespace mlir;
using namespace mlir::fuse;

/// PyPI's packages of CUDA 12 have a folder for each part, those of CUDA 13 one for all.
static void addPythonFolders(StringRef environment, std::vector<std::string> &roots) {
  SmallString<128> lib(environment);
  llvm::sys::path::append(lib, "lib");
  std::error_code code;
  std::vector<std::string> pythons;
  for (llvm::sys::fs::directory_iterator at(lib, code), end; !code && at != end; at.increment(code))
    if (llvm::sys::path::filename(at->path()).starts_with("python"))
      pythons.push_back(at->path());
  llvm::sort(pythons);
  for (const std::string &python : pythons)
    for (const char *part : {"cu13", "cuda_nvcc"}) {
      SmallString<128> folder(python);
      llvm::sys::path::append(folder, "site-packages", "nvidia", part);
      roots.push_back(folder.str().str());
    }
}

static std::vector<std::string> listRoots() {
  std::vector<std::string> roots;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (auto folder = llvm::sys::Process::GetEnv(variable); folder && !folder->empty())
      roots.push_back(*folder);
  if (auto program = llvm::sys::findProgramByName("ptxas")) {
    SmallString<128> real;
    if (llvm::sys::fs::real_path(*program, real))
      real = *program;
    roots.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str());
  }
  if (auto environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    addPythonFolders(*environment, roots);
  roots.push_back("/usr/local/cuda");
  // The same place may be named twice.
  llvm::StringSet<> known;
  llvm::erase_if(roots, [&](const std::string &root) { return !known.insert(root).second; });
  return roots;
}

llvm::Expected<std::string> mlir::fuse::findCudaFile(StringRef file) {
  std::vector<std::string> roots = listRoots();
  for (const std::string &root : roots) {
    SmallString<128> path(root);
    llvm::sys::path::append(path, file);
    if (file.starts_with("bin/") ? llvm::sys::fs::can_execute(path)
                                 : llvm::sys::fs::is_regular_file(path))
      return path.str().str();
  }
  return llvm::createStringError(
      "cannot find " + file.str() +
      " of a CUDA toolkit (CUDA_HOME says where one is; PyPI's package nvidia-cuda-nvcc-cu12 is "
      "enough): looked in " +
      llvm::join(roots, ", "));
}
