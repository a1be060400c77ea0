//===- CodeCache.cpp - Compiled code that is kept between runs===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Execution/CodeCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace mlir::fuse;
using llvm::StringRef;

/// Of each file, in front of the hash of what follows that. The number changes with the format.
static constexpr StringRef kMagic = "fuse code 1\n";

/// Of a file's contents under its name.
static std::string computeHash(StringRef key, StringRef bytes) {
  llvm::BLAKE3 hasher;
  hasher.update(key);
  hasher.update(bytes);
  return llvm::toStringRef(hasher.final<>()).str();
}

llvm::CachePruningPolicy mlir::fuse::getDefaultCachePolicy() {
  llvm::CachePruningPolicy policy;
  policy.Expiration = std::chrono::hours(30 * 24);
  policy.MaxSizeBytes = uint64_t(512) << 20;
  return policy;
}

std::string CodeCache::getKey(llvm::ArrayRef<StringRef> parts) {
  llvm::BLAKE3 hasher;
  auto add = [&](StringRef part) {
    char size[8];
    llvm::support::endian::write64le(size, part.size());
    hasher.update(StringRef(size, sizeof(size)));
    hasher.update(part);
  };
  add(getCompilerId());
  for (StringRef part : parts)
    add(part);
  return llvm::toHex(hasher.final<>(), /*LowerCase=*/true);
}

/// Pruning takes files whose names start so, and no others.
std::string CodeCache::getPath(StringRef key) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "llvmcache-" + key);
  return path.str().str();
}

/// Files that somebody else put there would run as this user.
bool CodeCache::isTrusted() const {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(folder, status) || !llvm::sys::fs::exists(status))
    return true;
  auto others = llvm::sys::fs::group_write | llvm::sys::fs::others_write;
  return (status.permissions() & others) == 0 &&
         (status.getUser() == geteuid() || status.getUser() == 0);
}

void CodeCache::warn(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!hasWarned)
    warning = "cache '" + folder + "': " + text;
  hasWarned = true;
}

std::optional<std::string> CodeCache::load(StringRef key) {
  if (!isTrusted()) {
    warn("not used: expected a folder that its owner alone can write to, and that is yours");
    return std::nullopt;
  }
  // A pipe of that name would be waited for.
  if (!llvm::sys::fs::is_regular_file(getPath(key)))
    return std::nullopt;
  // Read, not mapped: a mapped file that somebody shortens is the end of the process.
  auto file = llvm::MemoryBuffer::getFile(getPath(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!file)
    return std::nullopt;
  StringRef text = (*file)->getBuffer();
  if (!text.consume_front(kMagic) || text.size() < LLVM_BLAKE3_OUT_LEN)
    return std::nullopt;
  StringRef bytes = text.drop_front(LLVM_BLAKE3_OUT_LEN);
  if (text.take_front(LLVM_BLAKE3_OUT_LEN) != computeHash(key, bytes))
    return std::nullopt;
  return bytes.str();
}

llvm::Error CodeCache::write(StringRef key, StringRef bytes) const {
  using llvm::sys::fs::perms;
  if (std::error_code code = llvm::sys::fs::create_directories(
          folder, /*IgnoreExisting=*/true, perms::owner_all | perms::group_read |
                      perms::group_exe | perms::others_read | perms::others_exe))
    return llvm::createStringError(code, "cannot make the folder");
  std::string path = getPath(key);
  auto file = llvm::sys::fs::TempFile::create(path + ".tmp-%%%%%%%%", 0666);
  if (!file)
    return file.takeError();
  llvm::raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << kMagic << computeHash(key, bytes) << bytes;
  stream.flush();
  if (std::error_code code = stream.error()) {
    stream.clear_error();
    llvm::consumeError(file->discard());
    return llvm::errorCodeToError(code);
  }
  return file->keep(path);
}

void CodeCache::store(StringRef key, StringRef bytes) {
  if (!isTrusted())
    return;
  if (llvm::Error error = write(key, bytes))
    warn("cannot keep compiled code: " + llvm::toString(std::move(error)));
}

/// What a process left that was killed while it wrote.
void CodeCache::removeStaleTemporaries() const {
  std::error_code code;
  for (llvm::sys::fs::directory_iterator file(folder, code), end; file != end && !code;
       file.increment(code)) {
    if (!StringRef(file->path()).contains(".tmp-"))
      continue;
    auto status = file->status();
    if (!status || !llvm::sys::fs::is_regular_file(*status))
      continue;
    auto age = std::chrono::system_clock::now() - status->getLastModificationTime();
    if (age > std::chrono::hours(1))
      (void)llvm::sys::fs::remove(file->path());
  }
}

/// Whether pruneCache looks at all files again, which takes tens of milliseconds where there are many: a process may compile
/// often.
static bool isPruningDue(StringRef folder, const llvm::CachePruningPolicy &policy) {
  if (!policy.Interval || *policy.Interval == std::chrono::seconds(0))
    return true;
  llvm::SmallString<128> stamp(folder);
  llvm::sys::path::append(stamp, "llvmcache.timestamp");
  llvm::sys::fs::file_status status;
  return llvm::sys::fs::status(stamp, status) ||
         std::chrono::system_clock::now() - status.getLastModificationTime() >= *policy.Interval;
}

void CodeCache::prune() {
  if (!llvm::sys::fs::is_directory(folder) || !isTrusted() || !isPruningDue(folder, policy))
    return;
  removeStaleTemporaries();
  llvm::pruneCache(folder, policy);
}

std::string CodeCache::takeWarning() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(warning, "");
}
