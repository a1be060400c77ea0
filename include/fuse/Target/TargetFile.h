//===- TargetFile.h - Devices described in files -*- C++ -*-===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A user's own device, or what fuse-calibrate measured, as JSON; docs/targets.md has the format.
//
//===----------------------------------------------------------------------------------------===//

#ifndef FUSE_TARGET_TARGETFILE_H
#define FUSE_TARGET_TARGETFILE_H

#include "fuse/Target/Targets.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::fuse {

struct TargetFile {
  /// A figure of `#fuse.target`, in the unit documented there, and where it comes from.
  struct Figure {
    std::string key;
    double value = 0;
    std::string source; ///< may be empty
  };

  std::string name;
  TargetKind kind = TargetKind::Cpu;
  std::string cpu; ///< the CPU that was measured, as the runtime names it; empty: any
  std::vector<Figure> figures;

  /// Null if there is no such figure.
  const Figure *find(StringRef key) const;
  TargetAttr makeTarget(MLIRContext *context) const;
  /// The file's text. Figures keep their order.
  std::string toJson() const;
};

/// Reads a file's text. An error names `path`, the key, what was expected and what was found: no
/// JSON, another version, a key of another type, an unknown key or figure, a figure out of range
/// (a bandwidth of 0, a negative time), a figure that is needed and missing (`memory_bw` and
/// `dispatch_ns`; `flops_per_ns` of a CPU).
llvm::Expected<TargetFile> parseTargetFile(StringRef path, StringRef text);
llvm::Expected<TargetFile> readTargetFile(StringRef path);

/// Where errors about a file are: unknown for what is no file, since whoever prints the error reads
/// it.
Location getTargetFileLoc(MLIRContext *context, StringRef path);

/// Whether a target of that name is one of a file: it ends in .json.
bool isTargetFileName(StringRef name);

/// Whether a target of that name is made of others: it begins with `cluster:`.
bool isClusterName(StringRef name);

/// `cluster:device=h100,nodes=64,ranks=8,network_bw=400`: a known device, or that of a file, with so
/// many ranks on each of so many machines, and figures of `#fuse.target` in place of its own. An error
/// says what was expected and what was found.
FailureOr<TargetAttr> makeClusterTarget(MLIRContext *context, StringRef name,
                                        function_ref<InFlightDiagnostic()> emitError);

/// The known devices and files, for messages: `default, metal or wgpu, a file's name that ends
/// in .json, or cluster:…`.
std::string describeTargets();

/// The device `name`, which may be a file's, or an error.
FailureOr<TargetAttr> resolveTarget(MLIRContext *context, StringRef name,
                                    function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::fuse

#endif // FUSE_TARGET_TARGETFILE_H
