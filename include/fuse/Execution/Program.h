//===- Program.h - Compiled programs, loaded ----------------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A Program is immutable and may be used from any number of threads; each of them runs it through
// a Session of its own (Session.h).
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_PROGRAM_H
#define FUSE_EXECUTION_PROGRAM_H

#include "fuse/Execution/ObjectCompiler.h"
#include "fuse/Execution/Signature.h"
#include "fuse/Runtime/Runtime.h"

#include <deque>
#include <map>

namespace mlir::fuse {

/// The entries of one public function; see Runtime.h for status codes.
struct ProgramEntry {
  using RunFn = int32_t (*)(fuse_context *, const fuse_buffer *ins, fuse_buffer *outs, void *arena);
  using QueryFn = int32_t (*)(fuse_context *, const fuse_buffer *ins, fuse_buffer *outs,
                              int64_t *arenaBytes);
  using PrepareFn = int32_t (*)(fuse_context *, const fuse_buffer *params, fuse_buffer *prepared);

  Signature signature;
  RunFn run = nullptr;
  QueryFn query = nullptr;
  PrepareFn prepare = nullptr;
};

class Program {
public:
  /// Compiles and loads a lowered module; `signatures` are those of its public functions before
  /// lowering. Beyond compileObjects' errors: a symbol that is missing or undefined.
  static llvm::Expected<std::shared_ptr<const Program>>
  load(ModuleOp lowered, ArrayRef<Signature> signatures,
       const ObjectCompilerOptions &options = {});

  /// Loads what compileObjects made.
  static llvm::Expected<std::shared_ptr<const Program>> load(CompiledObjects compiled,
                                                             ArrayRef<Signature> signatures);

  ~Program();

  ArrayRef<ProgramEntry> getEntries() const { return entries; }
  /// Null if the program has no such function.
  const ProgramEntry *lookup(StringRef function) const;
  /// In launch order; the names live as long as the program.
  ArrayRef<fuse_kernel> getKernels() const { return kernels; }
  /// What the program was compiled for.
  const Backend &getBackend() const { return *backend; }
  /// How many objects were compiled: equal kernels share one.
  size_t getNumObjects() const { return numObjects; }

private:
  struct Loader;
  Program();

  std::unique_ptr<Loader> loader;
  std::vector<KernelUnit> units; // own the names
  std::map<size_t, DeviceCode> images;          // device kernels point into them
  std::deque<fuse_device_kernel> deviceKernels; // kernels point at them
  std::vector<fuse_kernel> kernels;
  std::vector<ProgramEntry> entries;
  size_t numObjects = 0;
  const Backend *backend = &getDefaultBackend();
};

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_PROGRAM_H
