//===- Targets.h - Known devices -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TARGET_TARGETS_H
#define FUSE_TARGET_TARGETS_H

#include "fuse/IR/FuseAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::fuse {

/// A figure of `#fuse.target` and where it is from.
struct KnownFigure {
  StringLiteral key;
  double value;
  StringLiteral source;
};

/// The names of the known devices, in the order of their table.
ArrayRef<StringRef> getTargetNames();

/// The name in the table for a product's name in any case: `a100` is `sm_80`, `h100` is `sm_90`, `mi300`
/// is `gfx942`. Other names stay as they are.
StringRef resolveTargetName(StringRef name);

/// The same as text for diagnostics: `default, metal or wgpu`.
std::string describeTargetNames();

/// The figures of the device `name` that differ from the documented defaults; none for an unknown
/// name, and for the default target.
ArrayRef<KnownFigure> getKnownFigures(StringRef name);

/// The device `name`, or an error that lists the known ones.
FailureOr<TargetAttr> lookupTarget(MLIRContext *context, StringRef name,
                                   function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::fuse

#endif // FUSE_TARGET_TARGETS_H
