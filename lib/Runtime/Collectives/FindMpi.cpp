//===- FindMpi.cpp - Which MPI a process takes ---------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Mpi.h"

#include <cstdlib>
#include <cstring>
#include <sys/stat.h>

using namespace mlir::fuse::runtime;

namespace {

/// What the two kinds of mpirun say in the environment of those whom they start, and the names of
/// their library. MPICH's is called otherwise by Debian than by its makers.
constexpr struct {
  const char *ranks;
  const char *libraries[2];
} kKinds[] = {{"OMPI_COMM_WORLD_SIZE", {"libmpi.so.40", nullptr}},
              {"PMI_SIZE", {"libmpich.so.12", "libmpi.so.12"}}};

/// OpenMPI's plugins look for its symbols among those of the process.
void *open(const char *name) { return name ? dlopen(name, RTLD_NOW | RTLD_GLOBAL) : nullptr; }

int64_t readRanks(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? std::strtoll(text, nullptr, 10) : 0;
}

} // namespace

void *mlir::fuse::runtime::mpi::openLibrary(const ErrorText &error) {
  if (dlsym(RTLD_DEFAULT, "MPI_Init_thread"))
    return dlopen(nullptr, RTLD_NOW);
  if (const char *chosen = std::getenv("FUSE_MPI"); chosen && *chosen) {
    // A pipe would never answer.
    struct stat file;
    if (std::strchr(chosen, '/') && stat(chosen, &file) == 0 && !S_ISREG(file.st_mode)) {
      error.fail("FUSE_MPI: expected a library of MPI, found '%s', which is no regular file",
                 chosen);
      return nullptr;
    }
    void *library = open(chosen);
    if (!library)
      error.fail("FUSE_MPI: %s", dlerror());
    return library;
  }
  // First those whose mpirun has started this process.
  for (int turn = 0; turn < 2; ++turn)
    for (const auto &kind : kKinds)
      for (const char *name : kind.libraries)
        if ((readRanks(kind.ranks) > 0) == (turn == 0))
          if (void *library = open(name))
            return library;
  error.fail("expected a library of MPI (libmpi.so.40, libmpich.so.12 or libmpi.so.12, or the one "
             "that FUSE_MPI names), found none");
  return nullptr;
}

int64_t fuse_job_started_ranks(void) {
  for (const auto &kind : kKinds)
    if (int64_t ranks = readRanks(kind.ranks); ranks > 0)
      return ranks;
  return 0;
}
