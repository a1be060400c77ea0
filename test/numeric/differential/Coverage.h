//===- Coverage.h - Which cells of the product have been compared -------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The cells that must be covered are computed from KindTypes.h, apart from the generators of cases:
//   unary, binary, compare, select, clamp, cast, reduce, argreduce:
//     kind × type × shape class, and kind × type × special values
//   all others: kind × type, and kind × shape class for f32 (the first type that is legal)
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TEST_NUMERIC_DIFFERENTIAL_COVERAGE_H
#define FUSE_TEST_NUMERIC_DIFFERENTIAL_COVERAGE_H

#include "Case.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <set>

namespace mlir::fuse::differential {

class Coverage {
public:
  /// Declares the cells of families that `isSelected`.
  explicit Coverage(llvm::function_ref<bool(StringRef family)> isSelected);

  /// A comparison that was made, whatever came out.
  void add(const Case &c, ValueSet set);
  /// A case that was refused with a diagnostic counts for its shape only; its column shows an 'r'.
  void addRefused(const Case &c);

  size_t getNumCells() const { return wanted.size(); }
  size_t countEmpty() const;
  /// One table for each family, then the empty cells.
  void print(llvm::raw_ostream &os) const;

private:
  /// A column is a shape class or a set of values.
  struct Cell {
    std::string family, kind, type, column;
    bool operator<(const Cell &other) const {
      return std::tie(family, kind, type, column) <
             std::tie(other.family, other.kind, other.type, other.column);
    }
  };
  void declare(StringRef family, StringRef kind, ArrayRef<ElementType> types,
               ArrayRef<StringRef> columns);
  void declareFull(StringRef family, StringRef kind, ArrayRef<ElementType> types,
                   ArrayRef<StringRef> withoutColumns = {});
  void declareStructured(llvm::function_ref<bool(StringRef family)> isSelected);

  std::vector<std::pair<std::string, std::string>> rows; // family, kind
  std::set<Cell> wanted;
  std::map<Cell, int64_t> made;
  std::set<Cell> refused;
};

} // namespace mlir::fuse::differential

#endif // FUSE_TEST_NUMERIC_DIFFERENTIAL_COVERAGE_H
