//===- Weights.h - Which arrays become a bundle's weights ---------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_WEIGHTS_H
#define FUSE_DRIVER_WEIGHTS_H

#include "fuse/Driver/LoadProgram.h"
#include "fuse/Execution/Signature.h"

namespace mlir::fuse {

/// The arrays of files, and else those that come with the program, for parameters of `func`. Parameters
/// without one become plain inputs: their mark is removed. Errors: a file that cannot be read, an archive without any
/// parameter, an array given twice, one of --input that no parameter is named like, a type or shape
/// that does not fit, a parameter that the program writes. Of a model (`fixedInputs`: those that are no
/// arguments any more), files may be there for the extents and values of inputs alone.
llvm::Expected<std::vector<NamedArray>> takeWeights(func::FuncOp func, const Signature &signature,
                                                    ArrayRef<InputFile> files,
                                                    ArrayRef<NamedArray> parameters,
                                                    std::optional<ArrayRef<std::string>> fixedInputs);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_WEIGHTS_H
