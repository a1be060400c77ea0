//===- Mpi.h - The functions and handles of an MPI library ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// MPI standardizes the names of functions and not what handles are: OpenMPI's are pointers to
// objects of the library, MPICH's are ints of which the predefined ones are fixed. Everything here
// exists for both, with the prototypes that each has.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_COLLECTIVES_MPI_H
#define FUSE_LIB_RUNTIME_COLLECTIVES_MPI_H

#include "Job.h"

#include <dlfcn.h>

namespace mlir::fuse::runtime::mpi {

constexpr int kSuccess = 0, kThreadSerialized = 2;
constexpr int kMostErrorText = 512, kMostVersionText = 8192; // MPICH's, which are the longer ones

/// A predefined handle: its symbol in OpenMPI, its value in MPICH.
struct Handle {
  const char *symbol;
  int value;
};

constexpr Handle kCommWorld = {"ompi_mpi_comm_world", 0x44000000};
constexpr Handle kErrorsReturn = {"ompi_mpi_errors_return", 0x54000001};
constexpr Handle kSum = {"ompi_mpi_op_sum", 0x58000003};
constexpr Handle kProduct = {"ompi_mpi_op_prod", 0x58000004};
constexpr Handle kMax = {"ompi_mpi_op_max", 0x58000001};
constexpr Handle kMin = {"ompi_mpi_op_min", 0x58000002};
constexpr Handle kFloat = {"ompi_mpi_float", 0x4c00040a};
constexpr Handle kDouble = {"ompi_mpi_double", 0x4c00080b};
constexpr Handle kInt8 = {"ompi_mpi_int8_t", 0x4c000137};
constexpr Handle kInt16 = {"ompi_mpi_int16_t", 0x4c000238};
constexpr Handle kInt32 = {"ompi_mpi_int32_t", 0x4c000439};
constexpr Handle kInt64 = {"ompi_mpi_int64_t", 0x4c00083a};
constexpr Handle kUInt8 = {"ompi_mpi_uint8_t", 0x4c00013b};
constexpr Handle kUInt16 = {"ompi_mpi_uint16_t", 0x4c00023c};
constexpr Handle kUInt32 = {"ompi_mpi_uint32_t", 0x4c00043d};
constexpr Handle kUInt64 = {"ompi_mpi_uint64_t", 0x4c00083e};

/// The two binary interfaces. `get` gives a predefined handle; false where the library has none.
struct OpenMpi {
  using Any = void *;
  static bool get(void *library, const Handle &handle, Any &result) {
    result = dlsym(library, handle.symbol);
    return result != nullptr;
  }
  /// MPI_STATUS_IGNORE.
  static void *ignoreStatus() { return nullptr; }
};

struct Mpich {
  using Any = int;
  static bool get(void *, const Handle &handle, Any &result) {
    result = handle.value;
    return true;
  }
  static void *ignoreStatus() { return reinterpret_cast<void *>(1); }
};

// Name, parameters; all return an int.
#define FUSE_MPI_ENTRIES(X)                                                                        \
  X(Initialized, (int *flag))                                                                      \
  X(Finalized, (int *flag))                                                                        \
  X(Init_thread, (int *argc, char ***argv, int required, int *provided))                           \
  X(Finalize, ())                                                                                  \
  X(Get_library_version, (char *version, int *length))                                             \
  X(Error_string, (int code, char *text, int *length))                                             \
  X(Abort, (Any comm, int status))                                                                 \
  X(Comm_rank, (Any comm, int *rank))                                                              \
  X(Comm_size, (Any comm, int *size))                                                              \
  X(Comm_dup, (Any comm, Any *result))                                                             \
  X(Comm_free, (Any *comm))                                                                        \
  X(Comm_group, (Any comm, Any *group))                                                            \
  X(Comm_create_group, (Any comm, Any group, int tag, Any *result))                                \
  X(Comm_set_errhandler, (Any comm, Any handler))                                                  \
  X(Group_incl, (Any group, int count, const int *ranks, Any *result))                             \
  X(Group_free, (Any *group))                                                                      \
  X(Op_create, (void (*function)(void *, void *, int *, Any *), int commutes, Any *result))        \
  X(Allreduce, (const void *in, void *out, int count, Any type, Any op, Any comm))                 \
  X(Allgather, (const void *in, int inCount, Any inType, void *out, int outCount, Any outType,     \
                Any comm))                                                                         \
  X(Alltoall, (const void *in, int inCount, Any inType, void *out, int outCount, Any outType,      \
               Any comm))                                                                          \
  X(Bcast, (void *data, int count, Any type, int root, Any comm))                                  \
  X(Iallreduce, (const void *in, void *out, int count, Any type, Any op, Any comm, Any *request))  \
  X(Iallgather, (const void *in, int inCount, Any inType, void *out, int outCount, Any outType,    \
                 Any comm, Any *request))                                                          \
  X(Ialltoall, (const void *in, int inCount, Any inType, void *out, int outCount, Any outType,     \
                Any comm, Any *request))                                                           \
  X(Ibcast, (void *data, int count, Any type, int root, Any comm, Any *request))                   \
  X(Test, (Any *request, int *done, void *status))                                                 \
  X(Wait, (Any *request, void *status))                                                            \
  X(Barrier, (Any comm))

/// The library that a process has, or opens; see Collectives.h. Null, with an error, where there is
/// none.
void *openLibrary(const ErrorText &error);

template <typename Abi> struct Library {
  using Any = typename Abi::Any;
#define FUSE_MPI_MEMBER(name, parameters) int(*name) parameters;
  FUSE_MPI_ENTRIES(FUSE_MPI_MEMBER)
#undef FUSE_MPI_MEMBER
  Any commWorld, errorsReturn, sum, product, max, min;
  Any types[FUSE_NUM_DTYPES];
  Any world; // the library's own communicator of all ranks
  Any extremes[2][2]; // of floats: max and min, of f32 and f64

  /// Finds what the library has; the name of what it lacks, or null.
  const char *find(void *library);
  /// Writes what MPI says of a code; returns 1.
  int32_t fail(const char *what, int code, const ErrorText &error) const;
};

template <typename Abi> const char *Library<Abi>::find(void *library) {
#define FUSE_MPI_LOOKUP(name, parameters)                                                          \
  if (void *address = dlsym(library, "MPI_" #name))                                                \
    __builtin_memcpy(&name, &address, sizeof(address));                                            \
  else                                                                                             \
    return "MPI_" #name;
  FUSE_MPI_ENTRIES(FUSE_MPI_LOOKUP)
#undef FUSE_MPI_LOOKUP
  struct {
    const Handle &handle;
    Any &place;
  } wanted[] = {{kCommWorld, commWorld}, {kErrorsReturn, errorsReturn}, {kSum, sum},
                {kProduct, product},     {kMax, max},                   {kMin, min},
                {kFloat, types[FUSE_F32]},    {kDouble, types[FUSE_F64]},
                {kUInt8, types[FUSE_I1]},     {kInt8, types[FUSE_I8]},
                {kInt16, types[FUSE_I16]},    {kInt32, types[FUSE_I32]},
                {kInt64, types[FUSE_I64]},    {kUInt8, types[FUSE_U8]},
                {kUInt16, types[FUSE_U16]},   {kUInt32, types[FUSE_U32]},
                {kUInt64, types[FUSE_U64]},   {kUInt16, types[FUSE_F16]},
                {kUInt16, types[FUSE_BF16]}};
  for (const auto &each : wanted)
    if (!Abi::get(library, each.handle, each.place))
      return each.handle.symbol;
  return nullptr;
}

template <typename Abi>
int32_t Library<Abi>::fail(const char *what, int code, const ErrorText &error) const {
  char text[kMostErrorText] = {};
  int length = 0;
  if (Error_string(code, text, &length) != kSuccess)
    text[0] = '\0';
  return error.fail("MPI_%s failed with code %d: %s", what, code, text);
}

} // namespace mlir::fuse::runtime::mpi

#endif // FUSE_LIB_RUNTIME_COLLECTIVES_MPI_H
