//===- Dlpack.cpp - Arrays of other packages
//----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dlpack.h"

#include "fuse/Runtime/Runtime.h"

#include <nanobind/nanobind.h>

#include <cstring>
#include <deque>

namespace nb = nanobind;
using namespace fuse_python;

namespace {
// The layout of DLPack before and since version 1, which every package agrees on.
enum : int32_t { kCpu = 1, kPinned = 3 };
enum : uint8_t { kInt = 0, kUint = 1, kFloat = 2, kBfloat = 4, kBool = 6 };

struct Tensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};

struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *);
};
} // namespace

namespace {
// Version 1 of the exchange API.
struct Versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(Versioned *);
  uint64_t flags;
  Tensor tensor;
};

struct Functions {
  uint32_t major, minor;
  Functions *older;
  int (*allocate)(Tensor *prototype, Versioned **out, void *data,
                  void (*setError)(void *, const char *, const char *));
  int (*fromObject)(void *object, Versioned **out);
  int (*toObject)(Versioned *tensor, void **out);
  int (*view)(void *object, Tensor *out);
  int (*getStream)(int32_t deviceType, int32_t deviceId, void **out);
};
} // namespace

static constexpr char kName[] = "dltensor";

PyObject *fuse_python::exportDlpack(PyObject *object) {
  static PyObject *method = PyUnicode_InternFromString("__dlpack__");
  static PyObject *gradient = PyUnicode_InternFromString("requires_grad");
  PyObject *bound = PyObject_GetAttr(object, method);
  if (!bound) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      nb::raise_python_error();
    PyErr_Clear();
    return nullptr;
  }
  nb::object callable = nb::steal(bound);
  PyObject *flag = PyObject_GetAttr(object, gradient);
  if (flag) {
    bool records = flag == Py_True;
    Py_DECREF(flag);
    if (records)
      callable = nb::handle(object).attr("detach")().attr("__dlpack__");
  } else {
    PyErr_Clear();
  }
  PyObject *capsule = PyObject_CallNoArgs(callable.ptr());
  if (!capsule)
    nb::raise_python_error();
  return capsule;
}

static int32_t getType(const Tensor &tensor) {
  if (tensor.lanes != 1)
    return -1;
  auto choose = [&](int32_t b8, int32_t b16, int32_t b32, int32_t b64) {
    return tensor.bits == 8    ? b8
           : tensor.bits == 16 ? b16
           : tensor.bits == 32 ? b32
           : tensor.bits == 64 ? b64
                               : -1;
  };
  switch (tensor.code) {
  case kInt:
    return choose(FUSE_I8, FUSE_I16, FUSE_I32, FUSE_I64);
  case kUint:
    return choose(FUSE_U8, FUSE_U16, FUSE_U32, FUSE_U64);
  case kFloat:
    return choose(-1, FUSE_F16, FUSE_F32, FUSE_F64);
  case kBfloat:
    return tensor.bits == 16 ? int32_t(FUSE_BF16) : -1;
  case kBool:
    return tensor.bits == 8 ? int32_t(FUSE_I1) : -1;
  default:
    return -1;
  }
}

/// The address, the type and the extents of a tensor of the CPU's.
static bool readTensor(const Tensor &tensor, DlpackArray &array) {
  if (tensor.deviceType != kCpu && tensor.deviceType != kPinned)
    return false;
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.dtype = getType(tensor);
  array.rank = tensor.rank;
  array.sizes = tensor.shape;
  array.strides = tensor.strides;
  return true;
}

const Exchange *Exchange::find(PyTypeObject *type) {
  // A process has few such types; each is held for good, so that its address stays its own.
  struct Known {
    PyTypeObject *type;
    Exchange exchange;
  };
  static std::deque<Known> known;
  for (const Known &each : known)
    if (each.type == type)
      return each.exchange.functions ? &each.exchange : nullptr;
  constexpr size_t kMostTypes = 64;
  if (known.size() >= kMostTypes)
    return nullptr;
  Known &added = known.emplace_back();
  added.type = type;
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  PyObject *capsule =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__");
  if (!capsule) {
    PyErr_Clear();
    return nullptr;
  }
  auto *functions =
      static_cast<const Functions *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  Py_DECREF(capsule);
  if (!functions)
    PyErr_Clear();
  while (functions && functions->major != 1)
    functions = functions->older;
  if (functions && functions->view && functions->allocate && functions->toObject)
    added.exchange.functions = functions;
  return added.exchange.functions ? &added.exchange : nullptr;
}

bool Exchange::view(PyObject *object, DlpackArray &array) const {
  Tensor tensor = {};
  if (static_cast<const Functions *>(functions)->view(object, &tensor)) {
    PyErr_Clear();
    return false;
  }
  return readTensor(tensor, array);
}

void *Exchange::allocate(int32_t dtype, int32_t rank, const int64_t *sizes, void *&data) const {
  static const struct {
    uint8_t code, bits;
  } types[FUSE_NUM_DTYPES] = {{kFloat, 16}, {kBfloat, 16}, {kFloat, 32}, {kFloat, 64}, {kBool, 8},
                              {kInt, 8},    {kInt, 16},    {kInt, 32},   {kInt, 64},   {kUint, 8},
                              {kUint, 16},  {kUint, 32},   {kUint, 64}};
  Tensor prototype = {};
  prototype.deviceType = kCpu;
  prototype.rank = rank;
  prototype.code = types[dtype].code;
  prototype.bits = types[dtype].bits;
  prototype.lanes = 1;
  prototype.shape = const_cast<int64_t *>(sizes);
  std::string reason;
  Versioned *output = nullptr;
  if (static_cast<const Functions *>(functions)->allocate(
          &prototype, &output, &reason, [](void *text, const char *, const char *message) {
            *static_cast<std::string *>(text) = message;
          })) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_MemoryError, reason.c_str());
    nb::raise_python_error();
  }
  data = static_cast<char *>(output->tensor.data) + output->tensor.byteOffset;
  return output;
}

PyObject *Exchange::take(void *output) const {
  void *object = nullptr;
  if (static_cast<const Functions *>(functions)->toObject(static_cast<Versioned *>(output),
                                                          &object))
    nb::raise_python_error();
  return static_cast<PyObject *>(object);
}

void Exchange::release(void *output) {
  auto *versioned = static_cast<Versioned *>(output);
  if (versioned && versioned->deleter)
    versioned->deleter(versioned);
}

std::string fuse_python::viewDlpack(PyObject *capsule, DlpackArray &array) {
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, kName));
  if (!managed) {
    PyErr_Clear();
    return "expected a capsule of DLPack, found another object";
  }
  if (!readTensor(managed->tensor, array))
    return "expected memory of the CPU, found an array on a device: copy it first";
  return "";
}

void fuse_python::releaseDlpack(PyObject *capsule) {
  // While its name is as it was, the capsule itself frees what it holds.
  Py_DECREF(capsule);
}

static void copyDim(const DlpackArray &from, int32_t dim, int64_t bytes, const char *source,
                    char *&to) {
  if (dim == from.rank) {
    std::memcpy(to, source, static_cast<size_t>(bytes));
    to += bytes;
    return;
  }
  for (int64_t i = 0; i < from.sizes[dim]; ++i)
    copyDim(from, dim + 1, bytes, source + i * from.strides[dim] * bytes, to);
}

void fuse_python::copyStrided(const DlpackArray &from, void *to) {
  static const int64_t bytes[FUSE_NUM_DTYPES] = {2, 2, 4, 8, 1, 1, 2, 4, 8, 1, 2, 4, 8};
  char *next = static_cast<char *>(to);
  copyDim(from, 0, bytes[from.dtype], static_cast<const char *>(from.data), next);
}
