//===- BundleSeal.cpp - Whether a bundle's library is as it was written ---------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "BundleParts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

static constexpr llvm::StringLiteral kMark = "fuse bundle seal ";

std::string mlir::fuse::makeSeal(StringRef library) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(library));
  return kMark.str() + llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) +
         llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16) + "\n";
}

llvm::Error mlir::fuse::checkSeal(StringRef bytes) {
  // Something may be missing at its end, or stand behind it.
  size_t begin = bytes.rfind(kMark);
  if (begin == StringRef::npos || bytes.substr(begin) == makeSeal(bytes.take_front(begin)))
    return llvm::Error::success();
  return llvm::createStringError("expected the bytes that were written, as their checksum says, "
                                 "found others: the file is damaged");
}
