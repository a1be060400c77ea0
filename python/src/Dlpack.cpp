//===- Dlpack.cpp - Arrays of other packages ----------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Dlpack.h"

#include "fuse/Runtime/Runtime.h"

#include <nanobind/nanobind.h>

#include <cstring>

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
    return tensor.bits == 8 ? b8 : tensor.bits == 16 ? b16 : tensor.bits == 32 ? b32 : tensor.bits == 64 ? b64 : -1;
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

std::string fuse_python::viewDlpack(PyObject *capsule, DlpackArray &array) {
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, kName));
  if (!managed) {
    PyErr_Clear();
    return "expected a capsule of DLPack, found another object";
  }
  const Tensor &tensor = managed->tensor;
  if (tensor.deviceType != kCpu && tensor.deviceType != kPinned)
    return "expected memory of the CPU, found an array on a device: copy it first";
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.dtype = getType(tensor);
  array.rank = tensor.rank;
  array.sizes = tensor.shape;
  array.strides = tensor.strides;
  return "";
}

void fuse_python::releaseDlpack(PyObject *capsule) {
  // While its name is as it was, the capsule itself frees what it holds.
  Py_DECREF(capsule);
}

static void copyDim(const DlpackArray &from, int32_t dim, int64_t bytes, const char *source, char *&to) {
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
