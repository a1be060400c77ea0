//===- ToolCache.cpp - Where tools keep compiled code -------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/UserCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace mlir::fuse;
using llvm::sys::Process;

/// Empty where there is no place for a cache.
static std::string findFolder(const PlanningOptions &options) {
  if (!options.usesCache)
    return "";
  if (!options.cacheFolder.empty())
    return options.cacheFolder;
  if (std::optional<std::string> folder = Process::GetEnv("FUSE_CACHE_DIR"))
    return *folder;
  llvm::SmallString<128> path;
  std::optional<std::string> caches = Process::GetEnv("XDG_CACHE_HOME");
  if (caches && !caches->empty())
    path = *caches;
  else if (llvm::sys::path::home_directory(path))
    llvm::sys::path::append(path, ".cache");
  else
    return "";
  llvm::sys::path::append(path, "fuse");
  return path.str().str();
}

llvm::Expected<std::unique_ptr<CodeCache>> mlir::fuse::openCache(const PlanningOptions &options) {
  std::string folder = findFolder(options);
  if (folder.empty())
    return nullptr;
  llvm::CachePruningPolicy policy = getDefaultCachePolicy();
  if (std::optional<std::string> text = Process::GetEnv("FUSE_CACHE_POLICY")) {
    auto given = llvm::parseCachePruningPolicy(*text);
    if (!given)
      return llvm::createStringError("FUSE_CACHE_POLICY: expected a policy such as "
                                     "cache_size_bytes=1g:prune_after=24h, found '" +
                                     *text + "': " + llvm::toString(given.takeError()));
    policy = *given;
  }
  return std::make_unique<CodeCache>(std::move(folder), policy);
}

void mlir::fuse::reportCache(CodeCache *cache, llvm::StringRef tool) {
  if (!cache)
    return;
  if (std::string text = cache->takeWarning(); !text.empty())
    llvm::WithColor::warning(llvm::errs(), tool) << text << "\n";
}
