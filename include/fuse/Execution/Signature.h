//===- Signature.h - What a program takes and gives ---------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The names, types and roles of a function's arguments and results as tools see them. Read from
// the function before it is lowered; free of any MLIRContext afterwards.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_SIGNATURE_H
#define FUSE_EXECUTION_SIGNATURE_H

#include "fuse/Execution/Sharding.h"
#include "fuse/Support/ElementType.h"
#include "fuse/Support/HostArray.h"
#include "fuse/Support/Npz.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::fuse {

struct ValueInfo {
  std::string name;              // fuse.name, else arg0…, result0…
  ElementType type = ElementType::F32;
  SmallVector<int64_t, 4> shape; // ShapedType::kDynamic where unknown
  SmallVector<int64_t, 4> bounds; // of unknown dimensions (fuse.dim_bounds); -1: none; or empty
  /// Of open dimensions (fuse.dim_names), empty where one has none; or none at all.
  SmallVector<std::string, 0> dimNames;
  bool isParam = false;          // marked fuse.param
  bool isMemref = false;         // read and written in place: also an output
  /// Whether the host reads elements, which may say sizes: then the program must be asked for these with every call.
  bool saysSizes = false;
  /// Of a program for several processes (fuse.sharding): the shape is that of one rank's part.
  Sharding sharding;

  /// The same of the full tensor, which is not cut.
  ValueInfo getFull() const;
  /// "4x?xf32", or "4x<batch>xf32" where the open dimension has a name.
  std::string describe() const;
  /// Empty where the dimension has no name.
  StringRef getDimName(size_t dim) const;
  /// Success if `array` has this type, rank and, where known, these sizes. Otherwise an error
  /// with what was expected and what was found.
  llvm::Error check(const HostArray &array) const;
};

struct Signature {
  std::string function;
  std::vector<ValueInfo> inputs;  // the arguments in order
  std::vector<ValueInfo> results; // the results in order
  /// The arguments behind the inputs that the program computes itself, once (`fuse.prepared`).
  std::vector<ValueInfo> prepared;
  /// Of the processes that run the program together, as its shardings and collectives say; empty
  /// for a program of one.
  SmallVector<int64_t, 4> grid;

  /// How callers see the program that one process would run: with the full tensors.
  Signature getFull() const;

  /// Emits an error at `func` for types that no array has, for two inputs or two outputs with one
  /// name, for memrefs with a layout other than row-major, and for two grids of processes.
  static FailureOr<Signature> get(func::FuncOp func);

  /// Sorts `given` by argument. Errors, each with what was expected and what was found: a name
  /// that no input has or that is given twice, an input that is missing, a wrong type or shape.
  llvm::Expected<std::vector<HostArray>> matchInputs(ArrayRef<NamedArray> given) const;
};

/// The function to run: `name` if that is not empty, else `main`, else the only public function that neither
/// prepares parameters of another one nor is a variant of another one. Emits an error that lists the
/// public functions if there is none such.
FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name);

/// That function with its signature.
struct EntryFunction {
  func::FuncOp function;
  Signature signature;
};
FailureOr<EntryFunction> findEntryFunction(ModuleOp module, StringRef name);

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_SIGNATURE_H
