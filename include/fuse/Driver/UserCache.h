//===- ToolCache.h - Where tools keep compiled code --------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_DRIVER_USERCACHE_H
#define FUSE_DRIVER_USERCACHE_H

#include "fuse/Driver/PlanningOptions.h"
#include "fuse/Execution/CodeCache.h"

#include <memory>

namespace mlir::fuse {

/// The cache that the options or, where they say nothing, the environment names: FUSE_CACHE_DIR,
/// which means none where it is empty, else the folder `fuse` of XDG_CACHE_HOME or of ~/.cache.
/// Null where there is to be none. Error: a policy in FUSE_CACHE_POLICY that says nothing to LLVM.
llvm::Expected<std::unique_ptr<CodeCache>> openCache(const PlanningOptions &options);

/// Warns, as `tool`, of what the cache could not keep.
void reportCache(CodeCache *cache, llvm::StringRef tool);

} // namespace mlir::fuse

#endif // FUSE_DRIVER_USERCACHE_H
