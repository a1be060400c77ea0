//===- OpenedThreads.cpp - The threads of whatever OpenMP a process has -----------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The library that the process has loaded comes first, since two of them would both keep their
// threads busy; else the first that the loader finds. libomp, libiomp5 and libgomp all have GNU's
// entry, whose arguments do not depend on what compiled the caller.
//
//===----------------------------------------------------------------------------------------===//

#include "Threads.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <pthread.h>
#include <type_traits>

using namespace mlir::fuse::runtime;

namespace {

struct OpenMp {
  void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags) = nullptr;
  int (*getThread)() = nullptr;
  int (*getThreads)() = nullptr;
  int (*getMost)() = nullptr;

  bool find(void *library) {
    auto get = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return get(parallel, "GOMP_parallel") && get(getThread, "omp_get_thread_num") &&
           get(getThreads, "omp_get_num_threads") && get(getMost, "omp_get_max_threads");
  }
};

bool open(OpenMp &openMp, const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return library && openMp.find(library);
}

/// All null where there is none. `FUSE_OPENMP` names the library, and where it is empty none is taken.
const char *given = nullptr; // by setOpenMp

OpenMp findOpenMp() {
  OpenMp openMp;
  if (const char *chosen = std::getenv("FUSE_OPENMP"))
    return *chosen && open(openMp, chosen) ? openMp : OpenMp();
  if (given && open(openMp, given))
    return openMp;
  if (openMp.find(RTLD_DEFAULT))
    return openMp;
  for (const char *name : {"libomp.so.5", "libiomp5.so", "libgomp.so.1"})
    if (open(openMp, name))
      return openMp;
  return OpenMp();
}

OpenMp opened;

/// Found once for the process. A bundle has no C++ library, whose guard a local static would need.
const OpenMp &getOpenMp() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, [] { opened = findOpenMp(); });
  return opened;
}

struct Call {
  ThreadBody body;
  void *data;
};

} // namespace

void mlir::fuse::runtime::setOpenMp(const char *file) {
  // What was given before may be in use: it stays for as long as the process lives.
  if (!file || !given || std::strcmp(file, given) != 0)
    given = file ? strdup(file) : nullptr;
}

void mlir::fuse::runtime::runOnThreads(int32_t threads, ThreadBody body, void *data) {
  const OpenMp &openMp = getOpenMp();
  if (!openMp.parallel)
    return body(data, 0, 1);
  Call call = {body, data};
  openMp.parallel(
      [](void *given) {
        auto *call = static_cast<Call *>(given);
        call->body(call->data, getOpenMp().getThread(), getOpenMp().getThreads());
      },
      &call, static_cast<unsigned>(threads), 0);
}

int32_t mlir::fuse::runtime::getThreads(int32_t wanted) {
  if (wanted == 1) // needs no library to be opened
    return 1;
  const OpenMp &openMp = getOpenMp();
  return !openMp.parallel ? 1 : wanted > 0 ? wanted : openMp.getMost();
}

const char *mlir::fuse::runtime::whyOneThread() {
  return getOpenMp().parallel
             ? nullptr
             : "expected an OpenMP runtime (libomp.so.5, libiomp5.so or libgomp.so.1, or the one that "
               "FUSE_OPENMP names), found none; one thread needs none";
}
