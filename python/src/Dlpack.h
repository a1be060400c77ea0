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

/// Asks an object for its memory: a new reference to a capsule, or null for what has no __dlpack__. A tensor that records
/// gradients is asked without them. Raises what __dlpack__ raises.
PyObject *exportDlpack(PyObject *object);

/// What a capsule holds; it stays valid until the capsule is released. Returns why it cannot be used, or nothing.
std::string viewDlpack(PyObject *capsule, DlpackArray &array);

/// Gives the memory back.
void releaseDlpack(PyObject *capsule);

/// Copies the elements in row-major order.
void copyStrided(const DlpackArray &from, void *to);

} // namespace fuse_python

#endif // FUSE_PYTHON_DLPACK_H
