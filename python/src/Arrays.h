//===- Arrays.h - Arrays of Python as buffers -----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_ARRAYS_H
#define FUSE_PYTHON_ARRAYS_H

#include "Dlpack.h"
#include "fuse/Runtime/Bundle.h"

#include <nanobind/nanobind.h>

#include <array>
#include <string>

namespace fuse_python {

/// Before anything else here. Raises what importing NumPy raises.
void importNumPy();

/// A fuse_dtype as NumPy names it: "float32", "bfloat16".
const char *getTypeName(int32_t dtype);

constexpr int kMostRank = 64; // NumPy's

/// An array of the caller's, held as long as this lives: NumPy's, or any that DLPack exports from
/// the CPU's memory.
class Argument {
public:
  Argument() = default;
  ~Argument();
  Argument(const Argument &) = delete;
  Argument &operator=(const Argument &) = delete;

  /// Reads what is for `value`, without copying it where it is row-major; other orders are copied,
  /// and so are Python's own numbers and lists. An array that the program writes must be row-major
  /// and writable. Raises fuse.Error that names the value.
  void read(nanobind::handle array, const fuse_bundle_value &value);
  /// Reads an array whatever its type and order; `what` names it in errors.
  void readAny(nanobind::handle array, const std::string &what);

  const fuse_buffer &getBuffer() const { return buffer; }
  /// Whether it is of another package than NumPy, so that outputs are wanted as arrays of that one.
  bool isForeign() const { return capsule != nullptr || exchange != nullptr; }
  /// How that package exchanges arrays in C; may be null.
  const Exchange *getExchange() const { return exchange; }

private:
  void readNumPy(PyObject *array, const fuse_bundle_value *value, const std::string *what);
  bool readDlpack(PyObject *object, const fuse_bundle_value *value, const std::string *what);
  void take(const DlpackArray &given, const fuse_bundle_value *value, const std::string *what);

  fuse_buffer buffer = {};
  PyObject *owner = nullptr;   // of the memory
  PyObject *capsule = nullptr; // of DLPack
  const Exchange *exchange = nullptr;
  std::array<int64_t, kMostRank> strides;
  std::array<int64_t, kMostRank> sizes;
};

/// A new array of NumPy with room for an output. A type of NumPy's own, or ml_dtypes.bfloat16;
/// where that package is missing, bf16 comes as uint16.
nanobind::object makeOutput(int32_t dtype, int32_t rank, const int64_t *sizes, void *&data);

} // namespace fuse_python

#endif // FUSE_PYTHON_ARRAYS_H
