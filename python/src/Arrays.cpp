//===- Arrays.cpp - Arrays of Python as buffers
//------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Arrays.h"

#include "Errors.h"

#include <nanobind/stl/string.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

namespace nb = nanobind;
using namespace fuse_python;

static_assert(sizeof(npy_intp) == sizeof(int64_t), "extents of NumPy are used as they are");

/// The number that ml_dtypes.bfloat16 has in this process; -1 without that package.
static int getBfloat16() {
  static int number = -2;
  if (number != -2)
    return number;
  number = -1;
  PyObject *module = PyImport_ImportModule("ml_dtypes");
  if (!module) {
    PyErr_Clear();
    return number;
  }
  nb::object held = nb::steal(module);
  nb::object type = held.attr("bfloat16");
  PyArray_Descr *descr = nullptr;
  if (PyArray_DescrConverter(type.ptr(), &descr) == NPY_SUCCEED) {
    number = descr->type_num;
    Py_DECREF(descr);
  } else {
    PyErr_Clear();
  }
  return number;
}

void fuse_python::importNumPy() {
  if (_import_array() < 0)
    nb::raise_python_error();
}

const char *fuse_python::getTypeName(int32_t dtype) {
  static const char *const names[FUSE_NUM_DTYPES] = {
      "float16", "bfloat16", "float32", "float64", "bool",   "int8",  "int16",
      "int32",   "int64",    "uint8",   "uint16",  "uint32", "uint64"};
  return dtype >= 0 && dtype < FUSE_NUM_DTYPES ? names[dtype] : "unknown";
}

static int toNumPy(int32_t dtype) {
  static const int numbers[FUSE_NUM_DTYPES] = {
      NPY_HALF,  -1,        NPY_FLOAT, NPY_DOUBLE, NPY_BOOL,   NPY_INT8,  NPY_INT16,
      NPY_INT32, NPY_INT64, NPY_UINT8, NPY_UINT16, NPY_UINT32, NPY_UINT64};
  return dtype == FUSE_BF16 ? getBfloat16() : numbers[dtype];
}

/// -1 for a type that no program has.
static int32_t fromNumPy(int type) {
  switch (type) {
  case NPY_HALF:
    return FUSE_F16;
  case NPY_FLOAT:
    return FUSE_F32;
  case NPY_DOUBLE:
    return FUSE_F64;
  case NPY_BOOL:
    return FUSE_I1;
  case NPY_BYTE:
    return FUSE_I8;
  case NPY_SHORT:
    return FUSE_I16;
  case NPY_INT:
    return FUSE_I32;
  case NPY_LONG: // 64 bits where pointers have them
  case NPY_LONGLONG:
    return FUSE_I64;
  case NPY_UBYTE:
    return FUSE_U8;
  case NPY_USHORT:
    return FUSE_U16;
  case NPY_UINT:
    return FUSE_U32;
  case NPY_ULONG:
  case NPY_ULONGLONG:
    return FUSE_U64;
  default:
    return type == getBfloat16() ? FUSE_BF16 : -1;
  }
}

static std::string name(const fuse_bundle_value *value, const std::string *what) {
  return value ? "input '" + std::string(value->name) + "'" : *what;
}

[[noreturn]] static void failType(const fuse_bundle_value *value, const std::string *what,
                                  const std::string &found) {
  throwError(name(value, what) + ": expected " +
             (value ? getTypeName(value->dtype) : "a type of the table in docs/types.md") +
             ", found " + found);
}

Argument::~Argument() {
  if (capsule)
    releaseDlpack(capsule);
  Py_XDECREF(owner);
}

void Argument::readNumPy(PyObject *object, const fuse_bundle_value *value,
                         const std::string *what) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  int32_t dtype = fromNumPy(PyArray_TYPE(array));
  // Without ml_dtypes bf16 travels as its bits.
  if (value && value->dtype == FUSE_BF16 && dtype == FUSE_U16 && getBfloat16() < 0)
    dtype = FUSE_BF16;
  if (dtype < 0 || (value && dtype != value->dtype))
    failType(value, what,
             nb::cast<std::string>(
                 nb::str(nb::handle(reinterpret_cast<PyObject *>(PyArray_DESCR(array))))));
  bool isPlain = PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
  bool inPlace = value && (value->flags & FUSE_VALUE_IN_PLACE);
  if (inPlace && !(isPlain && PyArray_IS_C_CONTIGUOUS(array) && PyArray_ISWRITEABLE(array)))
    throwError(name(value, what) +
               ": the program writes it: expected a writable array in row-major order");
  if (!isPlain || (value && !PyArray_IS_C_CONTIGUOUS(array))) {
    owner = PyArray_FromArray(array, PyArray_DescrNewByteorder(PyArray_DESCR(array), NPY_NATIVE),
                              NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED);
    if (!owner)
      nb::raise_python_error();
    array = reinterpret_cast<PyArrayObject *>(owner);
  } else {
    owner = object;
    Py_INCREF(owner);
  }
  buffer.data = PyArray_DATA(array);
  buffer.rank = PyArray_NDIM(array);
  buffer.sizes = reinterpret_cast<const int64_t *>(PyArray_DIMS(array));
  buffer.dtype = dtype;
  buffer.strides = nullptr;
  if (PyArray_IS_C_CONTIGUOUS(array))
    return;
  int64_t bytes = PyArray_ITEMSIZE(array);
  for (int d = 0; d < buffer.rank; ++d) {
    if (PyArray_STRIDE(array, d) % bytes != 0)
      throwError(name(value, what) + ": expected strides of whole elements");
    strides[d] = PyArray_STRIDE(array, d) / bytes;
  }
  buffer.strides = strides.data();
}

bool Argument::readDlpack(PyObject *object, const fuse_bundle_value *value,
                          const std::string *what) {
  DlpackArray given;
  exchange = Exchange::find(Py_TYPE(object));
  if (exchange && exchange->view(object, given)) {
    owner = object;
    Py_INCREF(owner);
    take(given, value, what);
    return true;
  }
  exchange = nullptr;
  capsule = exportDlpack(object);
  if (!capsule)
    return false;
  std::string problem = viewDlpack(capsule, given);
  if (!problem.empty())
    throwError(name(value, what) + ": " + problem);
  take(given, value, what);
  return true;
}

void Argument::take(const DlpackArray &given, const fuse_bundle_value *value,
                    const std::string *what) {
  if (given.dtype < 0 || (value && given.dtype != value->dtype))
    failType(value, what, given.dtype < 0 ? "another type" : getTypeName(given.dtype));
  if (given.rank > kMostRank)
    throwError(name(value, what) + ": expected at most " + std::to_string(kMostRank) +
               " dimensions");
  bool isRowMajor = true;
  int64_t stride = 1;
  for (int d = given.rank; given.strides && d-- > 0; stride *= given.sizes[d])
    isRowMajor &= given.sizes[d] == 1 || given.strides[d] == stride;
  if (value && !isRowMajor) {
    // NumPy copies it.
    if (value->flags & FUSE_VALUE_IN_PLACE)
      throwError(name(value, what) +
                 ": the program writes it: expected an array in row-major order");
    void *data = nullptr;
    nb::object copy = makeOutput(given.dtype, given.rank, given.sizes, data);
    copyStrided(given, data);
    Py_XDECREF(owner);
    owner = copy.release().ptr();
    buffer.data = data;
  } else {
    buffer.data = given.data;
  }
  for (int d = 0; d < given.rank; ++d)
    sizes[d] = given.sizes[d];
  buffer.sizes = sizes.data();
  buffer.rank = given.rank;
  buffer.dtype = given.dtype;
  buffer.strides = nullptr;
  if (!value && !isRowMajor) {
    for (int d = 0; d < given.rank; ++d)
      strides[d] = given.strides[d];
    buffer.strides = strides.data();
  }
}

void Argument::read(nb::handle array, const fuse_bundle_value &value) {
  PyObject *object = array.ptr();
  if (PyArray_Check(object))
    return readNumPy(object, &value, nullptr);
  bool isOwn = PyFloat_Check(object) || PyLong_Check(object) || PyList_Check(object) ||
               PyTuple_Check(object) || PyArray_IsScalar(object, Generic);
  if (!isOwn && readDlpack(object, &value, nullptr))
    return;
  if (isOwn && !(value.flags & FUSE_VALUE_IN_PLACE) && toNumPy(value.dtype) >= 0) {
    PyObject *made = PyArray_FromAny(object, PyArray_DescrFromType(toNumPy(value.dtype)), 0, 0,
                                     NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED, nullptr);
    if (!made)
      nb::raise_python_error();
    nb::object held = nb::steal(made);
    return readNumPy(made, &value, nullptr);
  }
  throwError(name(&value, nullptr) +
             ": expected an array of NumPy or one that DLPack exports, found " +
             Py_TYPE(object)->tp_name);
}

void Argument::readAny(nb::handle array, const std::string &what) {
  PyObject *object = array.ptr();
  if (PyArray_Check(object))
    return readNumPy(object, nullptr, &what);
  if (readDlpack(object, nullptr, &what))
    return;
  throwError(what + ": expected an array of NumPy or one that DLPack exports, found " +
             Py_TYPE(object)->tp_name);
}

nb::object fuse_python::makeOutput(int32_t dtype, int32_t rank, const int64_t *sizes, void *&data) {
  int type = toNumPy(dtype);
  if (type < 0)
    type = NPY_UINT16;
  PyArray_Descr *descr = PyArray_DescrFromType(type);
  PyObject *array = descr ? PyArray_NewFromDescr(&PyArray_Type, descr, rank,
                                                 reinterpret_cast<const npy_intp *>(sizes), nullptr,
                                                 nullptr, 0, nullptr)
                          : nullptr;
  if (!array)
    nb::raise_python_error();
  data = PyArray_DATA(reinterpret_cast<PyArrayObject *>(array));
  return nb::steal(array);
}
