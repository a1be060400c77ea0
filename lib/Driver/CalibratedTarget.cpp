//===- CalibratedTarget.cpp - What fuse-calibrate measured
//-------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "fuse/Driver/CalibratedTarget.h"

#include "fuse/Runtime/Cpu.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace mlir::fuse;

std::string mlir::fuse::getCalibratedPath() {
  if (std::optional<std::string> path = llvm::sys::Process::GetEnv("FUSE_TARGET_FILE"))
    return *path;
  SmallString<128> path;
  std::optional<std::string> config = llvm::sys::Process::GetEnv("XDG_CONFIG_HOME");
  if (config && !config->empty())
    path = *config;
  else if (llvm::sys::path::home_directory(path))
    llvm::sys::path::append(path, ".config");
  else
    return "";
  llvm::sys::path::append(path, "fuse", "target.json");
  return path.str().str();
}

bool mlir::fuse::isHostNamedNowhere() {
  std::optional<std::string> path = llvm::sys::Process::GetEnv("FUSE_TARGET_FILE");
  return path && path->empty();
}

FailureOr<TargetAttr> mlir::fuse::findCalibratedTarget(MLIRContext *context) {
  std::string path = getCalibratedPath();
  bool isNamed = llvm::sys::Process::GetEnv("FUSE_TARGET_FILE").has_value();
  if (path.empty() || (!isNamed && !llvm::sys::fs::exists(path)))
    return TargetAttr();
  Location place = getTargetFileLoc(context, path);
  auto fail = [&](const Twine &text) {
    emitError(place) << text;
    return failure();
  };
  constexpr StringLiteral remedy =
      "; fuse-calibrate writes this machine's target anew, and FUSE_TARGET_FILE= does without";
  auto file = readTargetFile(path);
  if (!file)
    return fail("target file " + llvm::toString(file.takeError()) + remedy);
  if (file->kind != TargetKind::Cpu)
    return fail("target file '" + path + "': 'kind': expected \"cpu\", found \"" +
                stringifyTargetKind(file->kind) + "\"" + remedy);
  if (!file->cpu.empty() && file->cpu != fuse_cpu_name()) {
    emitRemark(place) << "'" << path << "' was measured on another CPU and is not used: expected "
                      << fuse_cpu_name() << ", found " << file->cpu << remedy;
    return TargetAttr();
  }
  return file->makeTarget(context);
}
