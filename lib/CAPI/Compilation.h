//===- Compilation.h - What a compilation leaves ---------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_CAPI_COMPILATION_H
#define FUSE_LIB_CAPI_COMPILATION_H

#include "Options.h"
#include "fuse/Driver/CompileWeighted.h"
#include "fuse/Driver/Message.h"

#include <map>

struct fuse_compilation {
  ~fuse_compilation();

  std::string name; ///< of the source, for pictures
  std::vector<mlir::fuse::Message> messages;
  mlir::fuse::ProgramTexts texts;
  /// Null after an error. The program holds it, too.
  std::shared_ptr<const mlir::fuse::CompiledProgram> compiled;
  fuse_program *program = nullptr;
  /// Texts that were asked for, by fuse_text.
  std::map<int32_t, std::string> given;
};

#endif // FUSE_LIB_CAPI_COMPILATION_H
