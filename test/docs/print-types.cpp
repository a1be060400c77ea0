//===- print-types.cpp - Prints the table of docs/types.md ----------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// From the same table that the verifiers read: one row per kind.
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Support/KindTypes.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::fuse;

static void printRow(llvm::StringRef op, llvm::StringRef kind, TypeClass types) {
  llvm::outs() << "| `fuse." << op << (kind.empty() ? "" : " ") << kind << "` |";
  for (TypeClass type : {FloatTypes, SignedTypes, UnsignedTypes, BoolType})
    llvm::outs() << (types & type ? " yes |" : " |");
  llvm::outs() << "\n";
}

/// One row for each case of an enum that counts from 0.
template <typename Kind>
static void printKinds(llvm::StringRef op, uint64_t last) {
  for (uint64_t value = 0; value <= last; ++value) {
    auto kind = static_cast<Kind>(value);
    printRow(op, stringifyEnum(kind), getLegalTypes(kind));
  }
}

int main() {
  llvm::outs() << "| op and kind | f16 bf16 f32 f64 | i8 i16 i32 i64 | ui8 ui16 ui32 ui64 | i1 |\n"
               << "|---|---|---|---|---|\n";
  printKinds<UnaryKind>("unary", getMaxEnumValForUnaryKind());
  printKinds<BinaryKind>("binary", getMaxEnumValForBinaryKind());
  printKinds<ComparePredicate>("compare", getMaxEnumValForComparePredicate());
  printRow("clamp", "", getLegalClampTypes());
  printKinds<ReduceKind>("reduce", getMaxEnumValForReduceKind());
  for (uint64_t value = 0; value <= getMaxEnumValForArgReduceKind(); ++value) {
    auto kind = static_cast<ArgReduceKind>(value);
    printRow(stringifyEnum(kind), "", getLegalTypes(kind));
  }
}
