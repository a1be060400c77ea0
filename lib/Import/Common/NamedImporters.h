//===- NamedImporters.h - Importers of ops by the ops' names ---------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_IMPORT_COMMON_NAMEDIMPORTERS_H
#define FUSE_IMPORT_COMMON_NAMEDIMPORTERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <cassert>

namespace mlir::fuse::importer {

/// What the op tables of all formats have in common. `Importer` says how an op of the format is imported.
template <typename Importer>
class NamedImporters {
public:
  /// All names, sorted.
  SmallVector<StringRef> getNames() const {
    SmallVector<StringRef> names(importers.keys());
    llvm::sort(names);
    return names;
  }

  /// Null for an op that is not supported.
  const Importer *lookup(StringRef op) const {
    auto it = importers.find(op);
    return it == importers.end() ? nullptr : &it->second;
  }

protected:
  Importer &insert(StringRef op, Importer importer) {
    assert(!importers.contains(op) && "one importer for each op");
    return importers[op] = std::move(importer);
  }

  llvm::StringMap<Importer> importers;
};

} // namespace mlir::fuse::importer

#endif // FUSE_IMPORT_COMMON_NAMEDIMPORTERS_H
