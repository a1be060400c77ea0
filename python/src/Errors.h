//===- Errors.h - fuse.Error ---------------------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_ERRORS_H
#define FUSE_PYTHON_ERRORS_H

#include <nanobind/nanobind.h>

#include <string>

namespace fuse_python {

/// Makes fuse.Error and adds it to the module.
void addErrorType(nanobind::module_ &module);

/// Raises fuse.Error. messages: of the compiler, as JSON; empty: none. With the GIL held.
[[noreturn]] void throwError(const std::string &text, const std::string &messages = "");

} // namespace fuse_python

#endif // FUSE_PYTHON_ERRORS_H
