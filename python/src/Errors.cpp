//===- Errors.cpp - fuse.Error ---------------------------------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Errors.h"

namespace nb = nanobind;
using namespace fuse_python;

static PyObject *errorType = nullptr;

void fuse_python::addErrorType(nb::module_ &module) {
  errorType = PyErr_NewExceptionWithDoc("fuse.Error",
                                        "A program that cannot be compiled, loaded or called.\n\n"
                                        "messages: what the compiler said, a list of dicts with "
                                        "severity ('error', 'warning', 'remark'), text,\n"
                                        "file, line, column, nodes (names of a model's) and notes.",
                                        PyExc_RuntimeError, nullptr);
  if (!errorType)
    nb::raise_python_error();
  module.attr("Error") = nb::handle(errorType);
}

void fuse_python::throwError(const std::string &text, const std::string &messages) {
  nb::object list = nb::list();
  if (!messages.empty())
    list = nb::module_::import_("json").attr("loads")(nb::str(messages.data(), messages.size()));
  nb::object error = nb::handle(errorType)(nb::str(text.data(), text.size()));
  error.attr("messages") = list;
  PyErr_SetObject(errorType, error.ptr());
  throw nb::python_error();
}
