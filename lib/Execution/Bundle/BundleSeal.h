//===- BundleSeal.h - Whether a bundle's library is as it was written ---------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_BUNDLE_BUNDLESEAL_H
#define FUSE_LIB_EXECUTION_BUNDLE_BUNDLESEAL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::fuse {

/// A few bytes that stand behind the library's, where nobody else looks, and tell what those are.
std::string makeSeal(llvm::StringRef library);

/// An error where bytes are sealed and other ones than were sealed: loading them could end the
/// process. What has no seal any more, as after `strip`, is not checked.
llvm::Error checkSeal(llvm::StringRef bytes);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_BUNDLE_BUNDLESEAL_H
