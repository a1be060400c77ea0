//===- MemoryBundle.h - Compiled programs as if they were bundles ----------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What Bundle.h writes to files is called through fuse/Runtime/Bundle.h. The same program can be
// called the same way in this process, by the same code: its arguments, weights and kernels are
// described as a bundle describes them.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_MEMORYBUNDLE_H
#define FUSE_EXECUTION_MEMORYBUNDLE_H

#include "fuse/Execution/Bundle.h"
#include "fuse/Runtime/Program.h"

#include <memory>

namespace mlir::fuse {

/// Loads the first of `variants` that this CPU can run and opens it with the weights of `contents`,
/// which are not copied. Both stay until `owner` is let go, by the last fuse_program_release.
/// Errors: those of Program::load and of fuse_program_open; a backend without bundles; no variant
/// for this CPU; a weight without an array or with another type or shape.
llvm::Expected<fuse_program *> openInMemory(ArrayRef<BundleVariant> variants,
                                            const BundleContents &contents,
                                            std::shared_ptr<const void> owner);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_MEMORYBUNDLE_H
