//===- CrashReproducer.h - What a crash leaves behind -------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_CRASHREPRODUCER_H
#define FUSE_EXECUTION_CRASHREPRODUCER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::fuse {

/// From now on a crash (a fatal signal, or a fatal error of LLVM's) of this process writes
/// `program`, whole and under `name`'s extension, to fuse-run-crash-PID.EXT in the working
/// directory, else in $TMPDIR, else in /tmp, says on stderr where it is, and exits with status 1.
/// A textual program starts with the command line as a comment; beside bytecode it lies in
/// fuse-run-crash-PID.EXT.txt. A second call replaces the program.
///
/// Everything is copied here, since a crashed process can do little more than write.
void installCrashReproducer(llvm::StringRef name, llvm::StringRef program,
                            llvm::ArrayRef<llvm::StringRef> commandLine);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_CRASHREPRODUCER_H
