//===- LoadedBundle.h - One thread's use of a bundle --------------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What Session.h does for a program in memory, for a bundle in a file; see fuse/Runtime/Bundle.h.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_LOADEDBUNDLE_H
#define FUSE_EXECUTION_LOADEDBUNDLE_H

#include "fuse/Execution/Signature.h"
#include "fuse/Runtime/Program.h"

#include <optional>

namespace mlir::fuse {

/// Whether the file looks like a bundle: whether it starts as shared libraries do.
bool isBundle(StringRef path);

class LoadedBundle {
public:
  /// Loads NAME.so and maps the weights beside it. threads: per launch; 0: as many as OpenMP would
  /// use. Errors: a file that cannot be loaded or is no bundle; another version of the binary
  /// interface; those of fuse_bundle_open.
  static llvm::Expected<std::unique_ptr<LoadedBundle>> open(StringRef path, int32_t threads = 0);
  ~LoadedBundle();
  LoadedBundle(const LoadedBundle &) = delete;
  LoadedBundle &operator=(const LoadedBundle &) = delete;

  /// The inputs that a caller gives; weights are not among them.
  const Signature &getSignature() const { return signature; }
  /// Per input: the extent that its elements index.
  ArrayRef<std::optional<int64_t>> getIndexExtents() const { return indexExtents; }
  /// Of the fuse that compiled it.
  StringRef getVersion() const { return version; }
  /// The CPUs that it has code for, with commas between them, and the one whose code runs.
  StringRef getCpus() const { return cpus; }
  StringRef getCpu() const { return cpu; }
  /// The plan, as JSON.
  StringRef getReport() const { return report; }

  /// As Session::bind.
  llvm::Error bind(ArrayRef<NamedArray> inputs);
  /// As Session::run.
  llvm::Error run();
  int64_t getLastRunNanoseconds() const { return lastRun; }
  /// As Session::getOutputs.
  ArrayRef<NamedArray> getOutputs() const { return outputs; }

private:
  LoadedBundle() = default;
  llvm::Error load(StringRef path, int32_t threads);
  void describe();
  llvm::Error makeError() const;

  fuse_program *program = nullptr;
  fuse_program_context *context = nullptr;
  Signature signature;
  std::vector<std::optional<int64_t>> indexExtents;
  StringRef version, report, cpus, cpu;
  std::vector<HostArray> inputs;    // memrefs are this bundle's own
  std::vector<HostArray> originals; // of memrefs, else empty
  std::vector<NamedArray> outputs;
  std::vector<fuse_buffer> ins, outs;
  int64_t lastRun = 0;
};

} // namespace mlir::fuse

#endif // FUSE_EXECUTION_LOADEDBUNDLE_H
