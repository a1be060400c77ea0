//===- MpiJob.cpp - Ranks that are processes of MPI ----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// Communicators are made by the members of a group alone (MPI_Comm_create_group), once per group:
// a split by all ranks would wait for those that do not run this collective, and one per call would
// exhaust what MPI has of them.
//
// MPI's maximum of a number and a NaN depends on the order of the two; maxima and minima of floats
// are therefore ops of our own.
//
//===----------------------------------------------------------------------------------------===//

#include "Mpi.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

using namespace mlir::fuse::runtime;
using namespace mlir::fuse::runtime::mpi;

extern "C" int __cxa_atexit(void (*function)(void *), void *argument, void *library);

namespace {

/// A collective of more elements than an int counts is several of them, or none.
constexpr int64_t kMostElements = int64_t(1) << 30;

/// One job per process, which opens one library.
template <typename Abi> Library<Abi> library;

template <typename Abi> struct MpiTransport {
  using Any = typename Abi::Any;
  static Library<Abi> &getLibrary() { return library<Abi>; }

  static Any getComm(const fuse_group &group) {
    Any comm;
    std::memcpy(&comm, &group.connection, sizeof(comm));
    return comm;
  }

  static int32_t check(const char *what, int code, const ErrorText &error) {
    return code == kSuccess ? 0 : getLibrary().fail(what, code, error);
  }

  static int32_t connect(fuse_group &group, const int64_t *members, const ErrorText &error) {
    Library<Abi> &mpi = getLibrary();
    auto *ranks = static_cast<int *>(std::malloc(static_cast<size_t>(group.size) * sizeof(int)));
    if (!ranks)
      return error.fail("out of memory: a group of ranks");
    for (int64_t i = 0; i < group.size; ++i)
      ranks[i] = static_cast<int>(members[i]);
    Any all, some, comm;
    int32_t status = check("Comm_group", mpi.Comm_group(mpi.world, &all), error);
    if (status == 0) {
      status = check("Group_incl",
                     mpi.Group_incl(all, static_cast<int>(group.size), ranks, &some), error);
      if (status == 0) {
        status = check("Comm_create_group", mpi.Comm_create_group(mpi.world, some, 0, &comm), error);
        (void)mpi.Group_free(&some);
      }
      (void)mpi.Group_free(&all);
    }
    std::free(ranks);
    if (status == 0)
      std::memcpy(&group.connection, &comm, sizeof(comm));
    return status;
  }

  static void disconnect(fuse_group &group) {
    Any comm = getComm(group);
    (void)getLibrary().Comm_free(&comm);
  }

  static Any getOp(const Elements &elements) {
    Library<Abi> &mpi = getLibrary();
    bool isFloat = elements.dtype == FUSE_F32 || elements.dtype == FUSE_F64;
    switch (elements.kind) {
    case FUSE_REDUCE_SUM:
      return mpi.sum;
    case FUSE_REDUCE_PROD:
      return mpi.product;
    case FUSE_REDUCE_MAX:
      return isFloat ? mpi.extremes[0][elements.dtype == FUSE_F64] : mpi.max;
    case FUSE_REDUCE_MIN:
      return isFloat ? mpi.extremes[1][elements.dtype == FUSE_F64] : mpi.min;
    case FUSE_REDUCE_ANY:
      return mpi.max;
    default:
      return mpi.min;
    }
  }

  static int32_t allReduce(fuse_group &group, const Elements &elements, const void *in, void *out,
                           const ErrorText &error) {
    Library<Abi> &mpi = getLibrary();
    int64_t size = fuse_dtype_size(elements.dtype);
    for (int64_t begin = 0; begin < elements.count; begin += kMostElements) {
      int64_t rest = elements.count - begin;
      int count = static_cast<int>(rest < kMostElements ? rest : kMostElements);
      if (check("Allreduce",
                mpi.Allreduce(static_cast<const char *>(in) + begin * size,
                              static_cast<char *>(out) + begin * size, count,
                              mpi.types[elements.dtype], getOp(elements), getComm(group)),
                error))
        return 1;
    }
    return 0;
  }

  static int32_t checkCount(const char *what, int64_t count, const ErrorText &error) {
    if (count <= INT_MAX)
      return 0;
    return error.fail("MPI_%s: expected at most %d elements for each rank, found %lld", what,
                      INT_MAX, toLong(count));
  }

  /// The widest elements that so many bytes are made of, so that an int counts much.
  static Any getWords(int64_t bytes, int64_t &count) {
    int64_t size = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    count = bytes / size;
    int32_t dtype = size == 8 ? FUSE_U64 : size == 4 ? FUSE_U32 : size == 2 ? FUSE_U16 : FUSE_U8;
    return getLibrary().types[dtype];
  }

  static int32_t allGather(fuse_group &group, const void *in, void *out, int64_t bytes,
                           const ErrorText &error) {
    int64_t count;
    Any type = getWords(bytes, count);
    if (checkCount("Allgather", count, error))
      return 1;
    int n = static_cast<int>(count);
    return check("Allgather",
                 getLibrary().Allgather(in, n, type, out, n, type, getComm(group)), error);
  }

  static int32_t allToAll(fuse_group &group, const void *in, void *out, int64_t bytes,
                          const ErrorText &error) {
    int64_t count;
    Any type = getWords(bytes, count);
    if (checkCount("Alltoall", count, error))
      return 1;
    int n = static_cast<int>(count);
    return check("Alltoall", getLibrary().Alltoall(in, n, type, out, n, type, getComm(group)),
                 error);
  }

  static int32_t broadcast(fuse_group &group, void *data, int64_t bytes, int64_t root,
                           const ErrorText &error) {
    int64_t count;
    Any type = getWords(bytes, count);
    int64_t size = bytes / count;
    for (int64_t begin = 0; begin < count; begin += kMostElements) {
      int64_t rest = count - begin;
      int part = static_cast<int>(rest < kMostElements ? rest : kMostElements);
      if (check("Bcast",
                getLibrary().Bcast(static_cast<char *>(data) + begin * size, part, type,
                                   static_cast<int>(root), getComm(group)),
                error))
        return 1;
    }
    return 0;
  }

  static int32_t barrier(fuse_group &group, const ErrorText &error) {
    return check("Barrier", getLibrary().Barrier(getComm(group)), error);
  }

  static void abort(fuse_job &, int32_t status) {
    (void)getLibrary().Abort(getLibrary().commWorld, status);
    std::_Exit(status); // not reached
  }

  static constexpr Transport kTransport = {"mpi",    connect,   disconnect, allReduce, allGather,
                                           allToAll, broadcast, barrier,    abort};
};

template <typename Abi, int32_t Kind, int32_t DType>
void combineExtremes(void *in, void *out, int *count, typename Abi::Any *) {
  combine({Kind, DType, *count}, in, out);
}

fuse_job theJob;
char theVersion[kMostVersionText]; // of the library
char theError[FUSE_ERROR_CAPACITY];
int32_t theStatus = 1;

template <typename Abi> void finish(void *) {
  int finalized = 0;
  if (library<Abi>.Finalized(&finalized) == kSuccess && !finalized)
    (void)library<Abi>.Finalize();
}

/// Keeps the code of finish where a bundle that has it is closed before the process ends.
void stayLoaded() {
  Dl_info info;
  if (dladdr(&theJob, &info) && info.dli_fname)
    (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

template <typename Abi> int32_t initialize(Library<Abi> &mpi, const ErrorText &error) {
  using Transport = MpiTransport<Abi>;
  int initialized = 0, provided = 0;
  if (Transport::check("Initialized", mpi.Initialized(&initialized), error))
    return 1;
  if (initialized)
    return 0;
  if (Transport::check("Init_thread",
                       mpi.Init_thread(nullptr, nullptr, kThreadSerialized, &provided), error))
    return 1;
  stayLoaded();
  // Without a library of which it is, it is called when the process ends. Bundles are linked to the C
  // library alone, which has no atexit.
  return __cxa_atexit(finish<Abi>, nullptr, nullptr)
             ? error.fail("out of memory: what finalizes MPI")
             : 0;
}

/// The version's first line, without what a library tells of its build behind a comma.
template <typename Abi> void readVersion(Library<Abi> &mpi) {
  int length = 0;
  if (mpi.Get_library_version(theVersion, &length) != kSuccess)
    snprintf(theVersion, sizeof(theVersion), "MPI");
  theVersion[std::strcspn(theVersion, ",\n")] = '\0';
  for (char *each = theVersion; *each; ++each)
    if (*each == '\t')
      *each = ' ';
}

template <typename Abi> int32_t openJob(void *handle, const ErrorText &error) {
  using Transport = MpiTransport<Abi>;
  Library<Abi> &mpi = library<Abi>;
  if (const char *missing = mpi.find(handle))
    return error.fail("expected a library of MPI 3.0 or later, found one without %s", missing);
  if (initialize(mpi, error))
    return 1;
  readVersion(mpi);
  int rank = 0, size = 0;
  if (Transport::check("Comm_dup", mpi.Comm_dup(mpi.commWorld, &mpi.world), error) ||
      Transport::check("Comm_set_errhandler",
                       mpi.Comm_set_errhandler(mpi.world, mpi.errorsReturn), error) ||
      Transport::check("Comm_rank", mpi.Comm_rank(mpi.world, &rank), error) ||
      Transport::check("Comm_size", mpi.Comm_size(mpi.world, &size), error))
    return 1;
  constexpr int kCommutes = 1;
  struct {
    void (*function)(void *, void *, int *, typename Abi::Any *);
    typename Abi::Any &op;
  } extremes[] = {{combineExtremes<Abi, FUSE_REDUCE_MAX, FUSE_F32>, mpi.extremes[0][0]},
                  {combineExtremes<Abi, FUSE_REDUCE_MAX, FUSE_F64>, mpi.extremes[0][1]},
                  {combineExtremes<Abi, FUSE_REDUCE_MIN, FUSE_F32>, mpi.extremes[1][0]},
                  {combineExtremes<Abi, FUSE_REDUCE_MIN, FUSE_F64>, mpi.extremes[1][1]}};
  for (const auto &each : extremes)
    if (Transport::check("Op_create", mpi.Op_create(each.function, kCommutes, &each.op), error))
      return 1;
  // A program of one rank on each of several processes would run, and give what nobody asked for.
  if (int64_t started = fuse_job_started_ranks(); started > 0 && started != size)
    return error.fail("expected the job of %lld ranks that mpirun has started, found one of %d by "
                      "%s: mpirun belongs to another MPI (FUSE_MPI names a library)",
                      toLong(started), size, theVersion);
  theJob = {&Transport::kTransport, rank, size, theVersion, nullptr, nullptr, nullptr};
  return startJob(theJob) ? 0 : error.fail("out of memory: a job of %d ranks", size);
}

void openOnce() {
  ErrorText error = {theError, sizeof(theError)};
  void *handle = openLibrary(error);
  if (handle)
    theStatus = dlsym(handle, kCommWorld.symbol) ? openJob<OpenMpi>(handle, error)
                                                 : openJob<Mpich>(handle, error);
}

} // namespace

extern "C" int32_t fuse_job_open(fuse_job **job, char *error, int64_t capacity) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, openOnce);
  *job = theStatus == 0 ? &theJob : nullptr;
  return theStatus == 0 ? 0 : ErrorText{error, capacity}.fail("%s", theError);
}
