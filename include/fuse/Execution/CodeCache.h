//===- CodeCache.h - Compiled code that is kept between runs -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A folder of files, one per piece of code, named by a hash of all that the code depends on.
// Several processes may use one folder at once: a file appears whole, under its name, or not at
// all, and what is read is checked, so that a damaged file is as good as none.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_CODECACHE_H
#define FUSE_EXECUTION_CODECACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Error.h"

#include <mutex>
#include <optional>
#include <string>

namespace mlir::fuse {

/// What a cache takes of the disk unless its user says otherwise: 512 MiB, and what nobody has read
/// for a month goes. How old files are is looked at every 20 minutes at most.
llvm::CachePruningPolicy getDefaultCachePolicy();

/// All functions may be called from several threads at once.
class CodeCache {
public:
  /// The folder is made when something is first stored.
  explicit CodeCache(std::string folder, llvm::CachePruningPolicy policy = getDefaultCachePolicy())
      : folder(std::move(folder)), policy(policy) {}

  /// The name of what is made of `parts`, whatever they hold, by this build of the compiler. Other
  /// parts, another order of them, another build of ours, of MLIR or of LLVM: another name.
  static std::string getKey(llvm::ArrayRef<llvm::StringRef> parts);

  /// What was stored under a key; nothing where there is no file of that name, it is damaged, or
  /// others than the owner can write to the folder, which takeWarning tells of.
  std::optional<std::string> load(llvm::StringRef key);

  /// Keeps `bytes` under a key. A failure is no reason to stop; takeWarning tells of it.
  void store(llvm::StringRef key, llvm::StringRef bytes);

  /// Removes what the policy lets go, the oldest files first, and what killed processes left.
  void prune();

  /// Why something could not be stored, once; empty if everything was.
  std::string takeWarning();

private:
  std::string getPath(llvm::StringRef key) const;
  llvm::Error write(llvm::StringRef key, llvm::StringRef bytes) const;
  bool isTrusted() const;
  void warn(const std::string &text);
  void removeStaleTemporaries() const;

  std::string folder;
  llvm::CachePruningPolicy policy;
  std::mutex mutex; // of the warning
  std::string warning;
  bool hasWarned = false;
};

/// What tells apart two builds of the program or shared library that this is linked into, of MLIR
/// and of LLVM.
const std::string &getCompilerId();

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_CODECACHE_H
