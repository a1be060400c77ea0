//===- BackendRegistry.cpp - Backends by name -----------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Backends.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Backends are only ever added, so that pointers to them stay valid.
class Registry {
public:
  /// In the order in which lists of names have them.
  Registry() {
    backends.push_back(createCpuBackend());
    backends.push_back(createCudaBackend());
    backends.push_back(createRocmBackend());
    backends.push_back(createEmulatorBackend());
  }

  llvm::Error add(std::unique_ptr<Backend> backend) {
    std::lock_guard<std::mutex> lock(mutex);
    StringRef name = backend->getName();
    if (name.empty())
      return llvm::createStringError("expected a backend with a name, found one without");
    if (lookup(name))
      return llvm::createStringError("expected a backend of a new name, found a second '" + name +
                                     "'");
    backends.push_back(std::move(backend));
    return llvm::Error::success();
  }

  const Backend *find(StringRef name) {
    std::lock_guard<std::mutex> lock(mutex);
    return lookup(name);
  }

  std::vector<const Backend *> getAll() {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<const Backend *> all;
    for (const std::unique_ptr<Backend> &backend : backends)
      all.push_back(backend.get());
    return all;
  }

private:
  const Backend *lookup(StringRef name) const {
    for (const std::unique_ptr<Backend> &backend : backends)
      if (backend->getName() == name)
        return backend.get();
    return nullptr;
  }

  std::mutex mutex;
  std::vector<std::unique_ptr<Backend>> backends;
};
} // namespace

static Registry &getRegistry() {
  static Registry registry;
  return registry;
}

llvm::Error mlir::fuse::registerBackend(std::unique_ptr<Backend> backend) {
  return getRegistry().add(std::move(backend));
}

const Backend *mlir::fuse::findBackend(StringRef name) { return getRegistry().find(name); }

std::vector<const Backend *> mlir::fuse::getBackends() { return getRegistry().getAll(); }

const Backend &mlir::fuse::getDefaultBackend() {
  static const Backend &backend = *findBackend("cpu");
  return backend;
}
