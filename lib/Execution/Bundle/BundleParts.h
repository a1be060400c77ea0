//===- BundleParts.h - The pieces that a bundle is made of --------------------*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_BUNDLE_BUNDLEPARTS_H
#define FUSE_LIB_EXECUTION_BUNDLE_BUNDLEPARTS_H

#include "fuse/Execution/Bundle.h"
#include "fuse/Runtime/BundleFormat.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace mlir::fuse {

/// Identifies a build: the same code and weights have the same one.
using BuildId = std::array<uint64_t, 2>;

/// The arrays of a file of weights and where they lie in it.
struct WeightsLayout {
  struct Entry {
    const ValueInfo *info = nullptr;
    const HostArray *array = nullptr;
    int64_t offset = 0;
    /// What is written, one behind the other, each from a multiple of FUSE_WEIGHTS_ALIGNMENT on: the array,
    /// or the parts that a grid of processes cuts it into.
    std::vector<HostArray> parts = {};
    int64_t getBytes() const;
  };
  std::vector<Entry> entries; // in the order of the arguments
  int64_t bytes = 0;          // of the whole file

  /// Errors: a weight without an array, or with one that does not fit.
  static llvm::Expected<WeightsLayout> get(const BundleContents &contents);
  void write(llvm::raw_ostream &os, BuildId build) const;
};

/// What BundleFormat.h calls fuse_bundle_program, as LLVM assembly.
std::string describeProgram(const BundleContents &contents, const WeightsLayout &weights,
                            ArrayRef<BundleVariant> variants, BuildId build);

/// The header NAME.h, complete without any other file of fuse.
std::string writeHeader(StringRef name, const BundleContents &contents);

/// Links objects, of which some may be null, and the bundles' runtime to the bytes of a shared
/// library called `name`. Meanwhile there is a file in `folder`, which ends up nowhere.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
linkBundle(StringRef name, StringRef folder, ArrayRef<std::unique_ptr<llvm::MemoryBuffer>> objects,
           const Backend &backend);

/// Appends `suffix` to the name of every symbol that one of the objects defines, wherever one of
/// them has it, so that they can be linked with others of the same names. Objects may be null.
/// Error: what is no object.
llvm::Error renameSymbols(std::vector<std::unique_ptr<llvm::MemoryBuffer>> &objects,
                          StringRef suffix);

/// The bytes of the archive of bundles' runtime, and the text of its public headers. That of
/// bundles for a device needs no OpenMP.
StringRef getBundleRuntimeArchive(bool isForDevice);
ArrayRef<StringRef> getBundleHeaders();

} // namespace mlir::fuse

#endif // FUSE_LIB_EXECUTION_BUNDLE_BUNDLEPARTS_H
