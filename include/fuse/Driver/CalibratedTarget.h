//===- CalibratedTarget.h - What fuse-calibrate measured ----------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_CALIBRATEDTARGET_H
#define FUSE_DRIVER_CALIBRATEDTARGET_H

#include "fuse/Target/TargetFile.h"

namespace mlir::fuse {

/// Where the machine's target file lies: $FUSE_TARGET_FILE if that is set (empty: nowhere), else
/// fuse/target.json in $XDG_CONFIG_HOME, else in ~/.config. Empty: nowhere.
std::string getCalibratedPath();

/// Whether FUSE_TARGET_FILE is set to nothing: then times are predicted for the default target, on
/// whichever machine.
bool isHostNamedNowhere();

/// The machine's own target; null if there is no such file, or with a remark on stderr if it was
/// measured on another CPU. A file that cannot be read is an error that says how to get rid of it.
FailureOr<TargetAttr> findCalibratedTarget(MLIRContext *context);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_CALIBRATEDTARGET_H
