//===- Checks.h - What importers of all formats check and say -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_CHECKS_H
#define FUSE_IMPORT_COMMON_CHECKS_H

#include "fuse/Support/ElementType.h"

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>

namespace mlir::fuse::importer {

/// Why no tensor can have these extents, some of which may be dynamic; nothing if one can.
std::optional<std::string> findShapeProblem(ElementType type, ArrayRef<int64_t> shape);

/// A name of the model as messages show it: in quotes, with escapes for what terminals would not
/// print, and not longer than a line.
std::string quote(StringRef name);

/// "8", or "?" for an extent that is not known.
std::string describeExtent(int64_t extent);

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_CHECKS_H
