//===- Dlpack.h - Arrays of other packages --------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_DLPACK_H
#define FUSE_PYTHON_DLPACK_H

#include <Python.h>

#include <cstdint>
#include <string>

namespace fuse_python {

struct DlpackArray {
  void *data = nullptr;
  int32_t dtype = -1; ///< a fuse_dtype; -1: another type
  int32_t rank = 0;
  const int64_t *sizes = nullptr;
  const int64_t *strides = nullptr; ///< in elements; null: row-major
};

/// The functions of C by which a package exchanges arrays without a call of Python (DLPack's C
/// exchange API), of one of its types.
class Exchange {
public:
  /// Null for types that have none.
  static const Exchange *find(PyTypeObject *type);

  /// The array of an object of the type; false where it has to be asked another way. What `array`
  /// points at, its elements aside, is valid until the next call.
  bool view(PyObject *object, DlpackArray &array) const;

  /// An output in memory of the package: not yet an object, so that it can be filled without the
  /// GIL. Raises what the package reports.
  void *allocate(int32_t dtype, int32_t rank, const int64_t *sizes, void *&data) const;
  /// Makes it an object, a new reference; raises what the package raises.
  PyObject *take(void *output) const;
  /// For an output that is no object.
  static void release(void *output);

private:
  const void *functions = nullptr;
};

/// Asks an object for its memory: a new reference to a capsule, or null for what has no __dlpack__.
/// A tensor that records gradients is asked without them. Raises what __dlpack__ raises.
PyObject *exportDlpack(PyObject *object);

/// What a capsule holds; it stays valid until the capsule is released. Returns why it cannot be
/// used, or nothing.
std::string viewDlpack(PyObject *capsule, DlpackArray &array);

/// Gives the memory back.
void releaseDlpack(PyObject *capsule);

/// Copies the elements in row-major order.
void copyStrided(const DlpackArray &from, void *to);

} // namespace fuse_python

#endif // FUSE_PYTHON_DLPACK_H
