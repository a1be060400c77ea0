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
#include <ctime>
#include <pthread.h>

using namespace mlir::fuse::runtime;
using namespace mlir::fuse::runtime::mpi;

extern "C" int __cxa_atexit(void (*function)(void *), void *argument, void *library);

namespace {

/// A collective of more elements than an int counts is several of them, or none. What is made of several does not run beside
/// kernels.
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

  /// The elements that MPI is told of: those that are combined, or the widest that so many bytes are made of, so that an int
  /// counts much.
  struct Counted {
    Any type;
    int64_t count, size;
  };

  static Counted countElements(const Exchange &exchange) {
    Library<Abi> &mpi = getLibrary();
    if (exchange.kind == Exchange::AllReduce)
      return {mpi.types[exchange.elements.dtype], exchange.elements.count, fuse_dtype_size(exchange.elements.dtype)};
    int64_t bytes = exchange.bytes;
    int64_t size = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
    int32_t dtype = size == 8 ? FUSE_U64 : size == 4 ? FUSE_U32 : size == 2 ? FUSE_U16 : FUSE_U8;
    return {mpi.types[dtype], bytes / size, size};
  }

  /// `count` elements from element `first` on. With a request, the call returns before they have come.
  static int32_t call(fuse_group &group, const Exchange &exchange, const Counted &counted, int64_t first, int64_t count,
                      Any *request, const ErrorText &error) {
    Library<Abi> &mpi = getLibrary();
    const char *in = static_cast<const char *>(exchange.in) + first * counted.size;
    char *out = static_cast<char *>(exchange.out) + first * counted.size;
    int n = static_cast<int>(count), root = static_cast<int>(exchange.root);
    Any type = counted.type, comm = getComm(group);
    switch (exchange.kind) {
    case Exchange::AllReduce: {
      Any op = getOp(exchange.elements);
      return request ? check("Iallreduce", mpi.Iallreduce(in, out, n, type, op, comm, request), error)
                     : check("Allreduce", mpi.Allreduce(in, out, n, type, op, comm), error);
    }
    case Exchange::AllGather:
      return request ? check("Iallgather", mpi.Iallgather(in, n, type, out, n, type, comm, request), error)
                     : check("Allgather", mpi.Allgather(in, n, type, out, n, type, comm), error);
    case Exchange::AllToAll:
      return request ? check("Ialltoall", mpi.Ialltoall(in, n, type, out, n, type, comm, request), error)
                     : check("Alltoall", mpi.Alltoall(in, n, type, out, n, type, comm), error);
    case Exchange::Broadcast:
      return request ? check("Ibcast", mpi.Ibcast(out, n, type, root, comm, request), error)
                     : check("Bcast", mpi.Bcast(out, n, type, root, comm), error);
    }
    return 1; // not reached
  }

  static int32_t exchange(fuse_group &group, const Exchange &exchange, const ErrorText &error) {
    Counted counted = countElements(exchange);
    // Only what treats its elements alike can be made one piece after the other.
    bool inPieces = exchange.kind == Exchange::AllReduce || exchange.kind == Exchange::Broadcast;
    if (!inPieces && counted.count > INT_MAX)
      return error.fail("MPI_%s: expected at most %d elements for each rank, found %lld",
                        exchange.kind == Exchange::AllGather ? "Allgather" : "Alltoall", INT_MAX, toLong(counted.count));
    int64_t most = inPieces ? kMostElements : counted.count;
    for (int64_t begin = 0; begin < counted.count; begin += most) {
      int64_t rest = counted.count - begin;
      if (call(group, exchange, counted, begin, rest < most ? rest : most, nullptr, error))
        return 1;
    }
    return 0;
  }

  static int32_t start(fuse_group &group, const Exchange &exchange, Request &request, const ErrorText &error) {
    Counted counted = countElements(exchange);
    if (counted.count > kMostElements)
      return 0;
    Any started;
    if (call(group, exchange, counted, 0, counted.count, &started, error))
      return 1;
    std::memcpy(&request.handle, &started, sizeof(started));
    request.state = Request::UnderWay;
    return 0;
  }

  static int32_t test(Request &request, const ErrorText &error) {
    Any started;
    int done = 0;
    std::memcpy(&started, &request.handle, sizeof(started));
    int32_t status = check("Test", getLibrary().Test(&started, &done, Abi::ignoreStatus()), error);
    std::memcpy(&request.handle, &started, sizeof(started));
    if (done)
      request.state = Request::Done;
    return status;
  }

  static int32_t finish(Request &request, const ErrorText &error) {
    Any started;
    std::memcpy(&started, &request.handle, sizeof(started));
    request.state = Request::Done;
    return check("Wait", getLibrary().Wait(&started, Abi::ignoreStatus()), error);
  }

  static int32_t barrier(fuse_group &group, const ErrorText &error) {
    return check("Barrier", getLibrary().Barrier(getComm(group)), error);
  }

  static void abort(fuse_job &, int32_t status) {
    // mpirun reads what ranks print through pipes, at which MPICH's does not always look again once it is told to end them: of
    // 40 jobs one ended without its message.
    timespec pause = {0, 100 * 1000 * 1000};
    (void)nanosleep(&pause, nullptr);
    (void)getLibrary().Abort(getLibrary().commWorld, status);
    std::_Exit(status); // not reached
  }

  static constexpr Transport kTransport = {"mpi", connect, disconnect, exchange, barrier, abort, start, test, finish};
};

template <typename Abi, int32_t Kind, int32_t DType>
void combineExtremes(void *in, void *out, int *count, typename Abi::Any *) {
  combine({Kind, DType, *count}, in, out);
}

fuse_job theJob;
char theVersion[kMostVersionText]; // of the library
char theError[FUSE_ERROR_CAPACITY];
int32_t theStatus = 1;

template <typename Abi> void finishMpi(void *) {
  int finalized = 0;
  if (library<Abi>.Finalized(&finalized) == kSuccess && !finalized)
    (void)library<Abi>.Finalize();
}

/// Keeps the code of finishMpi where a bundle that has it is closed before the process ends.
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
  return __cxa_atexit(finishMpi<Abi>, nullptr, nullptr)
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
