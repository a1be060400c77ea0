//===- Texts.cpp - What there is to say of a compilation
//---------------------------------------===//
//
// Part of the fuse project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"

#include "fuse/Execution/FatalErrors.h"
#include "fuse/Report/Picture.h"
#include "fuse/Runtime/Cpu.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

static PictureOptions describePicture(const fuse_compilation &compilation) {
  PictureOptions options;
  options.model = compilation.name;
  if (!compilation.compiled->variants.front().compiled.backend->hasDevice())
    options.cpu = fuse_cpu_name();
  return options;
}

static std::string makeText(const fuse_compilation &compilation, int32_t what) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (what == FUSE_TEXT_MESSAGES) {
    for (const Message &message : compilation.messages)
      printMessage(message, os);
    return text;
  }
  if (what == FUSE_TEXT_MESSAGES_JSON)
    return llvm::formatv("{0:2}", toJson(compilation.messages)).str();
  if (!compilation.compiled)
    return "";
  const CompiledProgram &compiled = *compilation.compiled;
  switch (what) {
  case FUSE_TEXT_REPORT:
    printReport(compiled.report, os);
    return text;
  case FUSE_TEXT_REPORT_JSON:
    return compiled.contents.report;
  case FUSE_TEXT_LISTING:
    return compilation.texts.listing;
  case FUSE_TEXT_DOT:
    return compilation.texts.dot;
  case FUSE_TEXT_SVG:
    return makeSvg(compilation.texts.graphs, compiled.report);
  case FUSE_TEXT_PAGE:
    return makePicture(compilation.texts.graphs, compiled.report, describePicture(compilation));
  default:
    return "";
  }
}

/// Objects that are given away: writing renames what is in them.
static std::vector<BundleVariant> copyVariants(ArrayRef<BundleVariant> variants) {
  std::vector<BundleVariant> copies;
  for (const BundleVariant &variant : variants) {
    BundleVariant &copy = copies.emplace_back();
    copy.cpu = variant.cpu;
    copy.features = variant.features;
    copy.compiled.backend = variant.compiled.backend;
    copy.compiled.images = variant.compiled.images;
    copy.compiled.kernels = variant.compiled.kernels;
    for (const std::unique_ptr<llvm::MemoryBuffer> &object : variant.compiled.objects)
      copy.compiled.objects.push_back(object
                                          ? llvm::MemoryBuffer::getMemBufferCopy(
                                                object->getBuffer(), object->getBufferIdentifier())
                                          : nullptr);
  }
  return copies;
}

extern "C" {

const char *fuse_compilation_text(fuse_compilation *compilation, int32_t what) {
  CaughtFatalErrors caught;
  try {
    auto [known, isNew] = compilation->given.try_emplace(what);
    if (isNew)
      known->second = makeText(*compilation, what);
    return known->second.c_str();
  } catch (...) {
    return "";
  }
}

int32_t fuse_compilation_save(fuse_compilation *compilation, const char *path, char *error,
                              int64_t capacity) {
  if (!compilation->compiled)
    return giveError("there is no program to be saved: compiling it failed", error, capacity);
  CaughtFatalErrors caught;
  try {
    const CompiledProgram &compiled = *compilation->compiled;
    ObjectCompilerOptions options;
    options.backend = compiled.variants.front().compiled.backend;
    if (llvm::Error failed =
            writeBundle(path, copyVariants(compiled.variants), compiled.contents, options))
      return giveError(std::move(failed), error, capacity);
    return 0;
  } catch (const FatalError &fatal) {
    return giveError("the compiler gave up: " + fatal.text, error, capacity);
  } catch (const std::exception &exception) {
    return giveError(exception.what(), error, capacity);
  }
}

} // extern "C"
