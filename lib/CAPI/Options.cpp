//===- Options.cpp - How a program is compiled, from C
//-----------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Options.h"

#include "fuse/Import/StableHlo.h"
#include "fuse/Import/Torch.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace mlir::fuse;
using llvm::StringRef;

int32_t mlir::fuse::giveError(StringRef text, char *error, int64_t capacity) {
  if (!error || capacity <= 0)
    return 1;
  size_t length = std::min(text.size(), static_cast<size_t>(capacity - 1));
  std::memcpy(error, text.data(), length);
  error[length] = '\0';
  return 1;
}

int32_t mlir::fuse::giveError(llvm::Error given, char *error, int64_t capacity) {
  return giveError(llvm::toString(std::move(given)), error, capacity);
}

static const OptionSpec<fuse_options> explainSpecs[] = {
    {{"explain", nullptr, "collects a message for each decision of the planner"},
     [](fuse_options &options, StringRef) -> llvm::Error {
       options.explains = true;
       return llvm::Error::success();
     }},
};

/// All options, as for a command line.
static OptionParser makeParser(fuse_options &options) {
  OptionParser parser;
  parser.add(options.planning, getInputOptions());
  parser.add(options.planning, getPlanningOptions());
  parser.add(options.planning, getBundleOptions());
  parser.add(options.planning, getScheduleOptions());
  parser.add(options.planning, getCacheOptions());
  parser.add(options, llvm::ArrayRef(explainSpecs));
  return parser;
}

extern "C" {

const char *fuse_version(void) { return FUSE_VERSION; }

fuse_options *fuse_options_create(void) { return new (std::nothrow) fuse_options(); }

void fuse_options_destroy(fuse_options *options) { delete options; }

int32_t fuse_options_set(fuse_options *options, const char *name, const char *value, char *error,
                         int64_t capacity) {
  // What fails leaves everything as it was.
  fuse_options changed = *options;
  OptionParser parser = makeParser(changed);
  if (llvm::Error failed = parser.set(name, value ? std::optional<StringRef>(value) : std::nullopt))
    return giveError(std::move(failed), error, capacity);
  *options = std::move(changed);
  return 0;
}

static std::string listNames(llvm::ArrayRef<StringRef> names) {
  std::string text;
  for (StringRef name : names)
    text += name.str() + "\n";
  return text;
}

const char *fuse_torch_ops(void) {
  static const std::string names = listNames(getTorchOps());
  return names.c_str();
}

const char *fuse_stablehlo_ops(void) {
  static const std::string names = listNames(getStableHloOps());
  return names.c_str();
}

const char *fuse_options_help(void) {
  static const std::string text = [] {
    fuse_options options;
    std::string help;
    llvm::raw_string_ostream os(help);
    makeParser(options).printOptions(os);
    return help;
  }();
  return text.c_str();
}

void fuse_options_set_progress(fuse_options *options, fuse_progress_fn progress, void *userData) {
  options->progress = progress;
  options->progressData = userData;
}

} // extern "C"
