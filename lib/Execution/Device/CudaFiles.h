//===- CudaFiles.h - Where a CUDA toolkit is -------------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_DEVICE_CUDAFILES_H
#define FUSE_LIB_EXECUTION_DEVICE_CUDAFILES_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::fuse {

/// The path of a toolkit's file, given relative to the toolkit ("bin/ptxas"). Looks in the folders
/// that CUDA_PATH and CUDA_HOME name, in the one whose ptxas is in PATH, in those that PyPI's
/// packages make in the Python environment that VIRTUAL_ENV names, and in /usr/local/cuda. An
/// error names them all.
llvm::Expected<std::string> findCudaFile(StringRef file);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_DEVICE_CUDAFILES_H
