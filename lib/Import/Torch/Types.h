//===- Types.h - Element types of PyTorch and how they mix -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_TORCH_TYPES_H
#define FUSE_IMPORT_TORCH_TYPES_H

#include "fuse/Support/ElementType.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace mlir::fuse::torch {

/// The element type of a ScalarType of the schema; nothing for one that the dialect does not have.
std::optional<ElementType> getElement(int64_t scalarType);
/// Its name as PyTorch spells it: "complex64".
std::string getScalarTypeName(int64_t scalarType);

/// What takes part in type promotion. Tensors with dimensions go before tensors without, and these before numbers,
/// unless the type of what comes behind is of a higher kind: bool, integer, float.
struct Promoted {
  enum Rank { Number, Scalar, Tensor };
  ElementType type;
  Rank rank;
};

/// torch.result_type of operands, of which there must be one.
ElementType promote(llvm::ArrayRef<Promoted> operands);

} // namespace mlir::fuse::torch

#endif // FUSE_IMPORT_TORCH_TYPES_H
