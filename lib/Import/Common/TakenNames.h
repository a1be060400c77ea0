//===- TakenNames.h - Names of which no two are alike ----------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_TAKENNAMES_H
#define FUSE_IMPORT_COMMON_TAKENNAMES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace mlir::fuse::importer {

/// `base`, or where it is taken `base_1` or the next number that is free: a model may use such a name itself. It is taken
/// from then on. `taken`: how often each name was asked for.
inline std::string takeName(StringRef base, llvm::StringMap<unsigned> &taken) {
  std::string name = base.str();
  unsigned number = taken[base]++;
  if (number == 0)
    return name;
  do
    name = (base + "_" + Twine(number++)).str();
  while (!taken.try_emplace(name, 1).second);
  taken[base] = number;
  return name;
}

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_TAKENNAMES_H
